/** A basic string on one line, every control character escaped (MF-31). */
export function basicString(text: string): string {
  return `"${text.replace(/["\\\u0000-\u001f\u007f]/g, escaped)}"`;
}

/** A multi-line basic string; its line breaks are written as `lineEnd`, everything else is escaped as in one line. */
export function multiLineString(text: string, lineEnd = '\n'): string {
  const body = text
    .replace(/[\\\u0000-\u0009\u000b-\u001f\u007f]/g, escaped)
    // Three quotes in a row, or one right before the closing ones, would end the string.
    .replace(/"{3,}|"+$/g, (quotes) => '\\"'.repeat(quotes.length))
    .replaceAll('\n', lineEnd);
  return `"""${lineEnd}${body}"""`;
}

/** A float, always with a decimal point, so that other programs do not read an integer. */
export function floatText(value: number): string {
  const text = String(value);
  if (text.includes('.')) return text;
  return /e/.test(text) ? text.replace('e', '.0e') : `${text}.0`;
}

/** A key, quoted where it has to be. */
export function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : basicString(key);
}

const SHORT_ESCAPES = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

function escaped(character: string): string {
  return SHORT_ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
