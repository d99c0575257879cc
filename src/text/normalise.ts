/**
 * The one form of a text for index and query (SE-1): NFC, lone surrogates as U+FFFD, control and format characters gone
 * inside a word and a space elsewhere, white space runs as one space, trimmed. Private-use characters become a space:
 * they mark the token classes of the index (SE-7), so none may come from a text.
 */
export function normalise(text: string): string {
  if (!UNUSUAL.test(text)) return text.trim();
  if (PRINTABLE.test(text)) return text.replace(/\s+/g, ' ').trim();
  const { invisibleInWord, spaces } = invisiblePatterns();
  return text
    .replace(LONE_SURROGATE, '\uFFFD')
    .replace(invisibleInWord, '')
    .replace(spaces, ' ')
    .normalize('NFC')
    .trim();
}

/** The part of a situation that is matched: it ends before the first `\nKeywords:` (MF-26). */
export function matchedSituation(situation: string): string {
  const end = situation.indexOf('\nKeywords:');
  return end === -1 ? situation : situation.slice(0, end);
}

/** `text` cut to `maxBytes` of UTF-8 at a character; the same string when it fits (SE-2). */
export function cutToBytes(text: string, maxBytes: number): string {
  // A UTF-16 unit is at most three bytes, so most texts need no look at their characters.
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Length(character.codePointAt(0) ?? 0);
    if (bytes > maxBytes) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** Anything that needs more than trimming. Most texts are ASCII with single spaces. */
const UNUSUAL = /[^\x20-\x7e]| {2}/;
/** ASCII whose only control characters are white space. */
const PRINTABLE = /^[\t\n\v\f\r\x20-\x7e]*$/;
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** White space that is also a control character (tab, line break) is white space. */
const INVISIBLE = '[\\p{Cf}\\u0000-\\u0008\\u000E-\\u001F\\u007F-\\u0084\\u0086-\\u009F]';
let madePatterns: { readonly invisibleInWord: RegExp; readonly spaces: RegExp } | null = null;

/** Made for the first text that needs them: classes of Unicode take milliseconds to compile. */
function invisiblePatterns() {
  madePatterns ??= {
    invisibleInWord: new RegExp(`(?<=[\\p{L}\\p{M}\\p{N}])${INVISIBLE}+(?=[\\p{L}\\p{M}\\p{N}])`, 'gu'),
    spaces: new RegExp(`(?:[\\s\\u0085\\p{Co}]|${INVISIBLE})+`, 'gu'),
  };
  return madePatterns;
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
