/**
 * `text` for a terminal, a chat or a model (SE-59): what could move the cursor, turn the reading direction or hide itself
 * is shown as `\u{..}`, also a CR and lone surrogates. ANSI sequences lose their escape. Line break and tab stay.
 */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  const hidden = hiddenCharacters();
  if (text.search(hidden) === -1) return text;
  return text.replace(ANSI_ESCAPE, '').replace(hidden, (character) => `\\u{${hex(character)}}`);
}

/** JSON of `value` in which C1, bidi and zero-width characters are escaped too (SE-59). `space` as in `JSON.stringify`. */
export function visibleJson(value: unknown, space?: number): string {
  const json = JSON.stringify(value, null, space);
  if (PLAIN.test(json)) return json;
  return json.replace(hiddenCharacters(), (character) =>
    // White space between the tokens of JSON is no character of a text.
    character === '\n' ? character : Array.from({ length: character.length }, (_, i) => unit(character, i)).join(''),
  );
}

const unit = (text: string, at: number): string => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);

/** The escape that begins a sequence (CSI, OSC, DCS ...): without it the rest is plain text. */
const ANSI_ESCAPE = /\x1b(?=[[\]PX^_()#%NO])/g;
/** Most texts; spares compiling a large expression. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
/** What chooses the look of the emoji or ideograph before it. Anywhere else it is seen by nobody but a model. */
const LOOK = '(?<=\\p{Emoji})[\\uFE0E\\uFE0F]|(?<=\\p{Script=Han})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]';
/**
 * Controls but line break and tab; C1; line and paragraph separators; every format character: bidi, zero width, tags; and
 * what else is drawn as nothing, such as fillers and variation selectors.
 */
const CLASS = `(?!${LOOK})[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u2028\\u2029\\p{Cf}\\p{Surrogate}\\p{Default_Ignorable_Code_Point}]`;
let compiled: RegExp | null = null;

function hiddenCharacters(): RegExp {
  compiled ??= new RegExp(CLASS, 'gu');
  return compiled;
}
