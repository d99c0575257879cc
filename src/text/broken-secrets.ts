import { TOKEN_CHARACTERS } from './long-runs.ts';
import { librarySecrets } from './secret-library.ts';
import type { SecretPlace } from './secret-place.ts';
import { tokenSecrets } from './token-secrets.ts';

/** Tokens that one line end breaks in two, as mail programs and narrow terminals do. */
export function brokenSecrets(text: string): readonly SecretPlace[] {
  const places: SecretPlace[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const end = endOfLine(text, at);
    let start = end;
    while (TOKEN_CHARACTERS[text.charCodeAt(start - 1)] === 1 && end - start < LONGEST) start -= 1;
    // Most lines end in a quote, a stop or a short word.
    if (end - start >= SHORTEST_PART) places.push(...brokenAt(text, { start, end }, at));
  }
  return places;
}

/** Where the line that a line feed ends stops, without the blanks and the mark of a shell that stand before it. */
function endOfLine(text: string, lineFeed: number): number {
  let end = lineFeed;
  if (text.charCodeAt(end - 1) === CARRIAGE_RETURN) end -= 1;
  while (end > lineFeed - MOST_BLANKS && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.charCodeAt(end - 1) === BACKSLASH ? end - 1 : end;
}

const isBlank = (code: number) => code === 32 || code === 9;
const CARRIAGE_RETURN = 13;
const BACKSLASH = 92;

function brokenAt(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  lineFeed: number,
): readonly SecretPlace[] {
  REST.lastIndex = lineFeed + 1;
  const [all = '', right = ''] = REST.exec(text) ?? [];
  if (end - start + right.length < SHORTEST) return [];
  const whole = text.slice(start, end) + right;
  // No token is made of letters alone.
  if (!/\d/.test(whole)) return [];
  const left = end - start;
  const rightStart = lineFeed + 1 + all.length - right.length;
  return [...tokenSecrets(whole), ...librarySecrets(whole)]
    .filter((place) => place.start < left && place.end > left)
    .map((place) => ({ ...place, start: start + place.start, end: rightStart + place.end - left }));
}

const MOST_BLANKS = 8;
const SHORTEST_PART = 3;
/** No token is shorter. */
const SHORTEST = 18;
const LONGEST = 400;
/** Behind what a quote, a comment or an indented line begins with. */
const REST = /(?:[ \t]{0,16}[>#*|/]{0,3}[ \t]{1,8})?[ \t]{0,16}([\w.~+/=@:\\-]{1,400})/y;
