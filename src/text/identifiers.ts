import { withoutCjk } from './cjk.ts';

/**
 * A name out of code, a path, an option, a version (SE-3), all forms in lower case. `parts` are further names it
 * contains: a path without its `:line:col`, the segments of a path. `joined` are its sub-words in one, for a path those
 * of its base name without extension. `hiddenSubWords` are the sub-words that splitting at punctuation does not show.
 */
export interface Identifier {
  readonly whole: string;
  readonly parts: readonly string[];
  readonly subWords: readonly string[];
  readonly hiddenSubWords: readonly string[];
  readonly joined: readonly string[];
}

/** Runs of non-space of a normalised text, without quotes, brackets and sentence punctuation around them. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  for (const run of borderedAtCjk(text).split(BETWEEN)) {
    const piece = run.replace(PUNCTUATION_AROUND, '');
    if (piece !== '') found.push(piece);
  }
  return found;
}

/** The identifier that `piece` is, or null for a plain word. */
export function identifierIn(piece: string): Identifier | null {
  if (PLAIN.test(piece) || !IDENTIFIER.test(piece) || !LETTER_OR_DIGIT.test(piece)) return null;
  const known = memo.get(piece);
  if (known !== undefined) return known;
  if (memo.size >= MEMO_LIMIT) memo.clear();
  const made = takenApart(piece);
  memo.set(piece, made);
  return made;
}

/** Runs mixed with CJK end at the border, but a path or a name with underscores stays whole (SE-5). */
function borderedAtCjk(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replace(/[^\s]+/gu, (run) => (/[/\\_]/.test(run) ? run : withoutCjk(run)));
}

function takenApart(piece: string): Identifier {
  const untailed = piece.replace(LINE_TAIL, '');
  const segments = /[/\\]/.test(untailed) ? untailed.split(/[/\\]+/).filter((segment) => segment !== '') : [];
  const nested = segments.filter((segment) => segment !== untailed && IDENTIFIER.test(segment));
  const base = segments.at(-1) ?? untailed;
  const wordRuns = runs(piece);
  return {
    whole: piece.toLowerCase(),
    parts: [...new Set([untailed, ...nested].map(lower))].filter((part) => part !== piece.toLowerCase()),
    subWords: [...new Set(wordRuns.flatMap(split))].slice(0, MOST_SUB_WORDS),
    hiddenSubWords: wordRuns
      .map(split)
      .filter((found) => found.length > 1)
      .flat()
      .slice(0, MOST_SUB_WORDS),
    joined: joinedForms(base),
  };
}

/** With and without the extension: `useauthtokents` helps nobody, but `node.js` is also written `nodejs`. */
function joinedForms(base: string): string[] {
  const whole = runs(base);
  const stripped = /^.+\.[A-Za-z][A-Za-z0-9]{0,4}$/.test(base) ? runs(base.replace(/\.[^.]*$/, '')) : [];
  const forms = [whole, stripped]
    .filter((found) => found.flatMap(split).length > 1)
    .map((found) => lower(found.join('')));
  return [...new Set(forms)].filter((form) => form.length <= LONGEST_JOINED);
}

const runs = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
const lower = (text: string): string => text.toLowerCase();

/** Sub-words of a run of letters and digits: at case change and between letters and digits. */
function split(run: string): string[] {
  return run.replace(BORDER, ' ').toLowerCase().split(' ');
}

const ASCII = /^[\x00-\x7f]*$/;
const BETWEEN = /[\s"'`‘’‚“”„«»‹›()[\]{}<>,;|…—–→]+/u;
const PUNCTUATION_AROUND = /^(?:[:!?*=]|\.(?![\p{L}\p{N}_]))+|[:!?*.=]+$/gu;
const PLAIN = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const W = '[\\p{L}\\p{M}\\p{N}]';
const IDENTIFIER = new RegExp(
  [
    // An inner mark of code; several in a row, as in `a::b`, count as one place.
    `${W}[-_./\\\\@#+:$=~]+${W}`,
    // A leading one with something behind it, a trailing `+` or `#`.
    `^[-_.@/~]+${W}`,
    `${W}[+#]+$`,
    // A digit beside a letter, a capital after a small letter.
    '\\p{L}\\p{N}|\\p{N}\\p{L}|\\p{Ll}\\p{Lu}',
  ].join('|'),
  'u',
);
const BORDER = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
const LINE_TAIL = /(?<=[\p{L}\p{N}])(?::\d+){1,2}$/u;
const MOST_SUB_WORDS = 32;
const LONGEST_JOINED = 64;
const MEMO_LIMIT = 20_000;
const memo = new Map<string, Identifier>();
