/** A text as a reader sees it, with the way back to the text itself. */
export interface PlainForm {
  readonly text: string;
  /** Place in the text itself of an offset in `text`. */
  offsetOf(offset: number): number;
}

/**
 * `text` without what nobody sees, and with ordinary letters for those that only look like them: a secret with a zero-width
 * space in it, in full-width letters or with a Cyrillic `a` is still one, because a reader can type it.
 */
export function plainForm(text: string): PlainForm {
  if (ASCII.test(text)) return { text, offsetOf: (offset) => offset };
  let plain = '';
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    for (const unit of plainLetter(character)) {
      for (let i = 0; i < unit.length; i += 1) offsets.push(at);
      plain += unit;
    }
    at += character.length;
  }
  offsets.push(at);
  return { text: plain, offsetOf: (offset) => offsets[offset] ?? text.length };
}

function plainLetter(character: string): string {
  if (ASCII.test(character)) return character;
  const seen = LOOK_ALIKES.get(character) ?? character.normalize('NFKC');
  return seen.replace(unseen(), '');
}

const ASCII = /^[\x00-\x7f]*$/;
let unseenPattern: RegExp | null = null;

/** Made for the first text that needs it: classes of Unicode take milliseconds to compile. */
function unseen(): RegExp {
  unseenPattern ??= /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
  return unseenPattern;
}

/** Letters of other scripts that look like those of a key, and dashes and quotes that an editor makes of the plain ones. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    ['АΑ', 'A'],
    ['ВΒ', 'B'],
    ['СϹ', 'C'],
    ['ЕΕ', 'E'],
    ['Ԍ', 'G'],
    ['НΗ', 'H'],
    ['ІΙ', 'I'],
    ['Ј', 'J'],
    ['КΚ', 'K'],
    ['МΜ', 'M'],
    ['Ν', 'N'],
    ['ОΟ', 'O'],
    ['РΡ', 'P'],
    ['Ѕ', 'S'],
    ['ТΤ', 'T'],
    ['ХΧ', 'X'],
    ['ҮΥ', 'Y'],
    ['Ζ', 'Z'],
    ['аα', 'a'],
    ['с', 'c'],
    ['ԁ', 'd'],
    ['е', 'e'],
    ['һ', 'h'],
    ['іι', 'i'],
    ['ј', 'j'],
    ['ӏ', 'l'],
    ['о\u03bf', 'o'],
    ['рρ', 'p'],
    ['ѕ', 's'],
    ['ԛ', 'q'],
    ['υ', 'u'],
    ['ν', 'v'],
    ['ԝ', 'w'],
    ['хχ', 'x'],
    ['уγ', 'y'],
    ['‐‑‒–—−', '-'],
    ['‘’‚‹›', "'"],
    ['“”„«»', '"'],
    ['∕⁄', '/'],
    ['∶', ':'],
  ].flatMap(([others = '', letter = '']) => Array.from(others, (other) => [other, letter] as const)),
);
