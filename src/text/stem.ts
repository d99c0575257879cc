/**
 * The stem of a lower-case word, equal to what FTS5's `porter` makes of it (SE-13). It works on UTF-8 bytes, as FTS5
 * does: a letter outside ASCII counts as several consonants.
 */
export function stem(word: string): string {
  const known = memo.get(word);
  if (known !== undefined) return known;
  if (memo.size >= MEMO_LIMIT) memo.clear();
  const made = word.length > LONGEST ? word : ASCII.test(word) ? porter(word) : fromBytes(porter(toBytes(word)));
  memo.set(word, made);
  return made;
}

/** Words repeat (Zipf); the limit only bounds the memory of processes that run for days. */
const MEMO_LIMIT = 50_000;
const memo = new Map<string, string>();
/** FTS5 leaves longer tokens alone. */
const LONGEST = 64;
const ASCII = /^[\x00-\x7f]*$/;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const toBytes = (text: string): string => String.fromCharCode(...encoder.encode(text));
const fromBytes = (bytes: string): string => decoder.decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)));

function porter(word: string): string {
  if (word.length > LONGEST || word.length < 3) return word;
  let w = step1c(step1b(step1a(word)));
  w = replaceSuffix(w, STEP_2, measureAbove0);
  w = replaceSuffix(w, STEP_3, measureAbove0);
  return step5(step4(w));
}

function step1a(w: string): string {
  if (!w.endsWith('s')) return w;
  if (w.at(-2) === 'e') {
    const twoOff = (w.length > 4 && w.endsWith('sses')) || (w.length > 3 && w.at(-3) === 'i');
    return w.slice(0, twoOff ? -2 : -1);
  }
  return w.at(-2) === 's' ? w : w.slice(0, -1);
}

function step1b(w: string): string {
  if (w.length > 3 && w.endsWith('eed')) return measureAbove0(w.slice(0, -3)) ? w.slice(0, -1) : w;
  const cut = w.length > 2 && w.endsWith('ed') ? 2 : w.length > 3 && w.endsWith('ing') ? 3 : 0;
  if (cut === 0 || !hasVowel(w.slice(0, -cut))) return w;
  return step1bRepair(w.slice(0, -cut));
}

function step1bRepair(w: string): string {
  if (w.length > 2 && (w.endsWith('at') || w.endsWith('bl') || w.endsWith('iz'))) return `${w}e`;
  const last = w.at(-1) ?? '';
  if (!isVowel(last, false) && !'lsz'.includes(last) && last === w.at(-2)) return w.slice(0, -1);
  return measureIs1(w) && endsCvc(w) ? `${w}e` : w;
}

function step1c(w: string): string {
  return w.endsWith('y') && hasVowel(w.slice(0, -1)) ? `${w.slice(0, -1)}i` : w;
}

/** Suffix and replacement, by the last letter but one, the longer suffix first. The first that fits decides. */
type SuffixTable = Readonly<Record<string, readonly (readonly [suffix: string, replacement: string])[]>>;

const STEP_2: SuffixTable = {
  a: [
    ['ational', 'ate'],
    ['tional', 'tion'],
  ],
  c: [
    ['enci', 'ence'],
    ['anci', 'ance'],
  ],
  e: [['izer', 'ize']],
  g: [['logi', 'log']],
  l: [
    ['bli', 'ble'],
    ['alli', 'al'],
    ['entli', 'ent'],
    ['eli', 'e'],
    ['ousli', 'ous'],
  ],
  o: [
    ['ization', 'ize'],
    ['ation', 'ate'],
    ['ator', 'ate'],
  ],
  s: [
    ['alism', 'al'],
    ['iveness', 'ive'],
    ['fulness', 'ful'],
    ['ousness', 'ous'],
  ],
  t: [
    ['aliti', 'al'],
    ['iviti', 'ive'],
    ['biliti', 'ble'],
  ],
};

const STEP_3: SuffixTable = {
  a: [['ical', 'ic']],
  s: [['ness', '']],
  t: [
    ['icate', 'ic'],
    ['iciti', 'ic'],
  ],
  u: [['ful', '']],
  v: [['ative', '']],
  z: [['alize', 'al']],
};

const STEP_4: SuffixTable = {
  a: [['al', '']],
  c: [
    ['ance', ''],
    ['ence', ''],
  ],
  e: [['er', '']],
  i: [['ic', '']],
  l: [
    ['able', ''],
    ['ible', ''],
  ],
  n: [
    ['ant', ''],
    ['ement', ''],
    ['ment', ''],
    ['ent', ''],
  ],
  o: [
    ['ion', ''],
    ['ou', ''],
  ],
  s: [['ism', '']],
  t: [
    ['ate', ''],
    ['iti', ''],
  ],
  u: [['ous', '']],
  v: [['ive', '']],
  z: [['ize', '']],
};

function replaceSuffix(w: string, table: SuffixTable, fits: (rest: string, suffix: string) => boolean): string {
  for (const [suffix, replacement] of table[w.at(-2) ?? ''] ?? []) {
    if (w.length <= suffix.length || !w.endsWith(suffix)) continue;
    const rest = w.slice(0, -suffix.length);
    return fits(rest, suffix) ? rest + replacement : w;
  }
  return w;
}

function step4(w: string): string {
  return replaceSuffix(
    w,
    STEP_4,
    (rest, suffix) => measureAbove1(rest) && (suffix !== 'ion' || rest.endsWith('s') || rest.endsWith('t')),
  );
}

function step5(word: string): string {
  let w = word;
  if (w.endsWith('e')) {
    const rest = w.slice(0, -1);
    if (measureAbove1(rest) || (measureIs1(rest) && !endsCvc(rest))) w = rest;
  }
  return w.length > 1 && w.endsWith('ll') && measureAbove1(w.slice(0, -1)) ? w.slice(0, -1) : w;
}

function isVowel(letter: string, yIsVowel: boolean): boolean {
  return (
    letter === 'a' ||
    letter === 'e' ||
    letter === 'i' ||
    letter === 'o' ||
    letter === 'u' ||
    (yIsVowel && letter === 'y')
  );
}

/** Where the first vowel-consonant sequence from `start` ends, 0 when there is none. */
function skipVowelConsonant(w: string, start: number, afterConsonant: boolean): number {
  let consonant = afterConsonant;
  let i = start;
  for (; i < w.length; i++) {
    consonant = !isVowel(w.charAt(i), consonant);
    if (!consonant) break;
  }
  for (i++; i < w.length; i++) {
    consonant = !isVowel(w.charAt(i), consonant);
    if (consonant) return i + 1;
  }
  return 0;
}

const measureAbove0 = (w: string): boolean => skipVowelConsonant(w, 0, false) > 0;

function measureAbove1(w: string): boolean {
  const first = skipVowelConsonant(w, 0, false);
  return first > 0 && skipVowelConsonant(w, first, true) > 0;
}

function measureIs1(w: string): boolean {
  const first = skipVowelConsonant(w, 0, false);
  return first > 0 && skipVowelConsonant(w, first, true) === 0;
}

function hasVowel(w: string): boolean {
  for (let i = 0; i < w.length; i++) if (isVowel(w.charAt(i), i > 0)) return true;
  return false;
}

/** Ends consonant, vowel, consonant, the last one not w, x or y. */
function endsCvc(w: string): boolean {
  if ('wxy'.includes(w.at(-1) ?? 'w')) return false;
  const kinds: boolean[] = [];
  for (let i = 0; i < w.length; i++) kinds.push(!isVowel(w.charAt(i), kinds[i - 1] ?? false));
  return kinds.at(-1) === true && kinds.at(-2) === false && kinds.at(-3) === true;
}
