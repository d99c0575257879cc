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

/** The identifiers of a normalised text in order, with repetitions. */
export function identifiers(text: string): Identifier[] {
  return mayHoldIdentifier(text) ? takeIdentifiers(text).found : [];
}

/** False for a text of words and sentence punctuation alone, as most are; much cheaper than looking for identifiers. */
function mayHoldIdentifier(text: string): boolean {
  return !ONLY_WORDS.test(text);
}

/** The identifiers of a normalised text, and what is left of it without them. */
export function takeIdentifiers(text: string): { found: Identifier[]; rest: string[] } {
  const found: Identifier[] = [];
  const rest: string[] = [];
  for (const run of borderedAtCjk(text).split(' ')) {
    if (PLAIN.test(run)) rest.push(run);
    else {
      for (const piece of run.split(BETWEEN)) {
        const id = identifierIn(piece.replace(patternsFor(piece).punctuationAround, ''));
        if (id === null) rest.push(piece);
        else found.push(id);
      }
    }
  }
  return { found, rest };
}

/** `piece` is a run of non-space without quotes, brackets and sentence punctuation around it; null for a plain word. */
function identifierIn(piece: string): Identifier | null {
  const known = memo.get(piece);
  if (known !== undefined) return known;
  if (memo.size >= MEMO_LIMIT) memo.clear();
  const made = patternsFor(piece).identifier.test(piece) ? takenApart(piece) : null;
  memo.set(piece, made);
  return made;
}

/** Runs mixed with CJK end at the border, but a path or a name with underscores stays whole (SE-5). */
function borderedAtCjk(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replace(/[^\s]+/gu, (run) => (/[/\\_]/.test(run) ? run : withoutCjk(run)));
}

function takenApart(piece: string): Identifier {
  const { identifier, lineTail } = patternsFor(piece);
  const whole = lower(piece);
  const untailed = piece.replace(lineTail, '');
  const segments = /[/\\]/.test(untailed) ? untailed.split(/[/\\]+/).filter((segment) => segment !== '') : [];
  const nested = segments.filter((segment) => segment !== untailed && identifier.test(segment));
  const splitRuns = runs(piece).map(split);
  return {
    whole,
    parts: [...new Set([untailed, ...nested].map(lower))].filter((part) => part !== whole),
    subWords: [...new Set(splitRuns.flat())].slice(0, MOST_SUB_WORDS),
    hiddenSubWords: splitRuns
      .filter((found) => found.length > 1)
      .flat()
      .slice(0, MOST_SUB_WORDS),
    joined: joinedForms(segments.at(-1) ?? untailed),
  };
}

/** With and without the extension: `useauthtokents` helps nobody, but `node.js` is also written `nodejs`. */
function joinedForms(base: string): string[] {
  const forms = [joinedForm(base)];
  if (EXTENSION.test(base)) forms.push(joinedForm(base.replace(EXTENSION, '')));
  return forms.filter((form, i) => form !== '' && form.length <= LONGEST_JOINED && forms.indexOf(form) === i);
}

/** Empty for a single word. */
function joinedForm(base: string): string {
  const found = runs(base);
  const single = found.length === 1 && split(found[0] ?? '').length === 1;
  return single ? '' : lower(found.join(''));
}

const runs = (text: string): string[] => text.match(patternsFor(text).runs) ?? [];
const lower = (text: string): string => text.toLowerCase();

/** Sub-words of a run of letters and digits: at case change and between letters and digits. */
function split(run: string): string[] {
  if (ONE_SUB_WORD.test(run)) return [run];
  return run.replace(patternsFor(run).border, ' ').toLowerCase().split(' ');
}

const ASCII = /^[\x00-\x7f]*$/;
const BETWEEN = /["'`‘’‚“”„«»‹›()[\]{}<>,;|…—–→]+/u;
/** What most runs of a text are; the quick way past them. */
const PLAIN = /^["'([`]*(?:[A-Z]?[a-z]+|[A-Z]+|\d+)?[,.;:!?)\]"'`]*$/;
/** A text of such runs has no identifier. Each character can be matched in one way only, so that no text takes long. */
const ONLY_WORDS = /^(?:["'([`]*(?:(?:[A-Z]?[a-z]+|[A-Z]+|\d+)[,.;:!?)\]"'`]*)?(?: |$))*$/;

/** Classes of characters, as parts of a character class. */
interface Alphabet {
  readonly letter: string;
  readonly small: string;
  readonly capital: string;
  readonly number: string;
  readonly mark: string;
  readonly flags: 'u' | '';
}

interface Patterns {
  readonly identifier: RegExp;
  readonly punctuationAround: RegExp;
  readonly runs: RegExp;
  readonly border: RegExp;
  readonly lineTail: RegExp;
}

function patternsOf({ letter, small, capital, number, mark, flags }: Alphabet): Patterns {
  const L = `[${letter}]`;
  const N = `[${number}]`;
  const W = `[${letter}${mark}${number}]`;
  const identifier = [
    // An inner mark of code; several in a row, as in `a::b`, count as one place.
    `${W}[-_./\\\\@#+:$=~]+${W}`,
    // A leading one with something behind it, a trailing `+` or `#`.
    `^[-_.@/~]+${W}`,
    `${W}[+#]+$`,
    // A digit beside a letter, a capital after a small letter.
    `${L}${N}|${N}${L}|[${small}][${capital}]`,
  ];
  const border = [
    `(?<=[${small}])(?=[${capital}])`,
    `(?<=[${capital}])(?=[${capital}][${small}])`,
    `(?<=${L})(?=${N})|(?<=${N})(?=${L})`,
  ];
  return {
    identifier: new RegExp(identifier.join('|'), flags),
    punctuationAround: new RegExp(`^(?:[:!?*=]|\\.(?![${letter}${number}_]))+|[:!?*.=]+$`, `g${flags}`),
    runs: new RegExp(`${W}+`, `g${flags}`),
    border: new RegExp(border.join('|'), `g${flags}`),
    lineTail: new RegExp(`(?<=[${letter}${number}])(?::\\d+){1,2}$`, flags),
  };
}

const ASCII_PATTERNS = patternsOf({
  letter: 'A-Za-z',
  small: 'a-z',
  capital: 'A-Z',
  number: '0-9',
  mark: '',
  flags: '',
});
let unicodePatterns: Patterns | null = null;

/** The same for ASCII, where most texts need no more: classes of Unicode take milliseconds to compile. */
function patternsFor(text: string): Patterns {
  if (ASCII.test(text)) return ASCII_PATTERNS;
  unicodePatterns ??= patternsOf({
    letter: '\\p{L}',
    small: '\\p{Ll}',
    capital: '\\p{Lu}',
    number: '\\p{N}',
    mark: '\\p{M}',
    flags: 'u',
  });
  return unicodePatterns;
}

const EXTENSION = /(?<=.)\.[A-Za-z][A-Za-z0-9]{0,4}$/;
const ONE_SUB_WORD = /^(?:[a-z]+|\d+)$/;
const MOST_SUB_WORDS = 32;
const LONGEST_JOINED = 64;
const MEMO_LIMIT = 20_000;
const memo = new Map<string, Identifier | null>();
