import { FIELDS, type Field, type FieldTexts } from '../text/index-text.ts';
import { words } from '../text/words.ts';
import type { Place } from './key-counter.ts';

/** A piece of text that must be there if a key of a term is, and what the term is worth at most by that key. */
export interface Needle {
  readonly term: number;
  readonly where: 'anywhere' | 'word-start' | 'joined';
  readonly text: string;
  readonly factor: number;
  /** Values of such needles of one term add up, as sub-words of an identifier do; of others the largest counts. */
  readonly adds: boolean;
}

/** What the texts of many memories hold at most. */
export interface Bounds {
  /** For the memory at a place, a value that the match of a term in a field does not exceed; 0 where it is not there. */
  fieldValue(memory: number, field: Field, term: number): number;
  /** The largest of all fields for each term. */
  valuesOf(memory: number): number[];
}

/** The needle of a key; null where texts that are searched by needles hold no key of that place. */
export function needleOf(place: Place, key: string): Pick<Needle, 'where' | 'text'> | null {
  if (place === 'folded' || place === 'bigrams' || place === 'singles') return null;
  if (place === 'stem') return { where: 'word-start', text: sharedBeginning(key) };
  return { where: place === 'joined' ? 'joined' : 'anywhere', text: key };
}

/**
 * Bounds for the terms of `needles` in many memories. The texts are searched as one string: in a process that has just
 * started, a thousand calls cost more than the search itself.
 *
 * @param worth - what a term is worth in a field at most, by the number of its occurrences and the field's least length
 */
export function searchNeedles(
  memories: readonly FieldTexts[],
  needles: readonly Needle[],
  termCount: number,
  worth: (field: Field, occurrences: number, length: number) => number,
): Bounds {
  const haystack = haystackOf(memories);
  const { texts } = haystack;
  const values = new Float64Array(texts.length * termCount);
  const sums = new Float64Array(texts.length * termCount);
  const lengths = new Int32Array(texts.length);
  const lengthOf = (text: number): number => {
    lengths[text] ||= words(texts[text] ?? '').length;
    return lengths[text] ?? 0;
  };
  for (const { term, where, text: needle, factor, adds } of needles) {
    searchOne(haystack, needle, where, (text, occurrences) => {
      const at = text * termCount + term;
      const value = factor * worth(fieldAt(text), occurrences, lengthOf(text)) * ABOVE_ROUNDING;
      if (adds) sums[at] = (sums[at] ?? 0) + value;
      else if (value > (values[at] ?? 0)) values[at] = value;
    });
  }
  const ofText = (text: number, term: number): number => {
    if (!haystack.isPlain(text)) return worth(fieldAt(text), texts[text]?.length ?? 0, 0);
    const at = text * termCount + term;
    return Math.max(values[at] ?? 0, sums[at] ?? 0);
  };
  return {
    fieldValue: (memory, field, term) => ofText(memory * FIELDS.length + FIELDS.indexOf(field), term),
    valuesOf: (memory) => {
      const most: number[] = [];
      const text = memory * FIELDS.length;
      for (let term = 0; term < termCount; term++) {
        most.push(Math.max(ofText(text, term), ofText(text + 1, term), ofText(text + 2, term)));
      }
      return most;
    },
  };
}

const fieldAt = (text: number): Field => FIELDS[text % FIELDS.length] ?? 'content';

/** Texts one below the other; none has a line break, since all are normalised. */
interface Haystack {
  readonly texts: readonly string[];
  isPlain(text: number): boolean;
  readonly lines: Lines;
  /** Letters and digits alone. */
  joined(): Lines;
}

interface Lines {
  readonly text: string;
  readonly ends: Int32Array;
}

function haystackOf(memories: readonly FieldTexts[]): Haystack {
  const texts: string[] = [];
  for (const { situation, entity, content } of memories) texts.push(situation, entity, content);
  const whole = texts.join('\n');
  const allPlain = PLAIN.test(whole);
  const plain = allPlain ? [] : texts.map((text) => PLAIN.test(text));
  // Lower case may be longer than the text, but not of plain ones, and the others are not searched.
  const searched = allPlain ? texts : texts.map((text, i) => (plain[i] ? text : ''));
  const lines = linesOf((allPlain ? whole : searched.join('\n')).toLowerCase(), searched);
  let joined: Lines | null = null;
  return {
    texts,
    isPlain: (text) => allPlain || plain[text] === true,
    lines,
    joined: () => {
      joined ??= joinedLines(lines.text);
      return joined;
    },
  };
}

function joinedLines(text: string): Lines {
  const joined = text.replace(BETWEEN_RUNS, '');
  return linesOf(joined, joined.split('\n'));
}

function linesOf(text: string, lines: readonly string[]): Lines {
  const ends = new Int32Array(lines.length);
  let end = -1;
  for (let i = 0; i < lines.length; i++) {
    end += (lines[i]?.length ?? 0) + 1;
    ends[i] = end;
  }
  return { text, ends };
}

/** Tells how often the needle stands in each text that has it, no two overlapping: keys of one list never do. */
function searchOne(
  haystack: Haystack,
  needle: string,
  where: Needle['where'],
  tell: (text: number, count: number) => void,
): void {
  const { text, ends } = where === 'joined' ? haystack.joined() : haystack.lines;
  let [line, count] = [0, 0];
  for (let at = text.indexOf(needle); at !== -1; ) {
    if (where === 'word-start' && at > 0 && isWordCharacter(text.charCodeAt(at - 1))) {
      at = text.indexOf(needle, at + 1);
      continue;
    }
    if (at > (ends[line] ?? 0)) {
      if (count > 0) tell(line, count);
      count = 0;
      while (at > (ends[line] ?? at)) line++;
    }
    count++;
    at = text.indexOf(needle, at + needle.length);
  }
  if (count > 0) tell(line, count);
}

/** A bound and what it bounds are computed in different orders: their last digits may be rounded apart. */
const ABOVE_ROUNDING = 1 + 1e-9;

/** Of lower-case ASCII. */
function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

/**
 * What every word of a stem begins with. Its last letters may have been others: `stabl` is the stem of stability, `fli`
 * of fly, `file` of filing. A short stem that ends otherwise is a beginning itself: `ad`, of adding.
 */
export function sharedBeginning(ofStem: string): string {
  const { length } = ofStem;
  if (length >= 4) return ofStem.slice(0, Math.max(3, length - 2));
  return length > 1 && /[iel]$/.test(ofStem) ? ofStem.slice(0, -1) : ofStem;
}

/** ASCII, typographic quotes and dashes: no letter, mark or digit outside ASCII. */
const PLAIN = /^[\x00-\x7f\u2010-\u2027]*$/;
const BETWEEN_RUNS = /[^a-z0-9\n]+/g;
