import { FIELDS, type Field, type FieldTexts, markedToken } from '../text/index-text.ts';
import { stem } from '../text/stem.ts';
import { analyse, type TextAnalysis } from '../text/words.ts';
import type { QueryTerm, TokenCount } from './compile-query.ts';
import { KeyCounter, type Place } from './key-counter.ts';
import { type Bounds, type Needle, needleOf, searchNeedles } from './needles.ts';
import { subWordWeight } from './term-weights.ts';

/** How a query term stands in a text, and how much that counts (SE-14). */
export const FORM_FACTORS = {
  word: 1,
  identifier: 1,
  stem: 0.95,
  bigram: 0.9,
  joined: 0.8,
  'sub-words': 0.8,
  part: 0.8,
  folded: 0.8,
  single: 0.65,
  rescue: 0.6,
} as const;
export type Form = keyof typeof FORM_FACTORS;

const FIELD_FACTORS: Readonly<Record<Field, number>> = { situation: 1, entity: 1, content: 0.5 };

/** The best way in which one term stands in a memory. */
export interface TermMatch {
  readonly field: Field;
  readonly form: Form;
  /** 1, or the weighted share of an identifier's sub-words that are there. */
  readonly share: number;
  readonly occurrences: number;
  readonly frequency: number;
  /** field x form x share x frequency. */
  readonly value: number;
  /** The same with a frequency that counts against every length; not larger. */
  readonly sureValue: number;
}

/** The texts of a memory and what they consist of, each analysed when it is first needed. */
export interface SearchedTexts {
  readonly texts: FieldTexts;
  readonly analysed: Partial<Record<Field, TextAnalysis>>;
}

export function analysisOf({ texts, analysed }: SearchedTexts, field: Field): TextAnalysis {
  analysed[field] ??= analyse(texts[field]);
  return analysed[field];
}

/** Lengths that frequency is measured against (SE-15). */
export interface FieldLengths {
  lengthOf(analysis: TextAnalysis): number;
  readonly average: Readonly<Record<Field, number>>;
}

/** What the match of a term in a field does not exceed. */
export type FieldBound = (field: Field, term: number) => number;

/** Looks for the terms of one query in many memories. */
export interface TermMatcher {
  /** The best match of each term, in their order; null where the memory lacks it. Bounds spare it fields. */
  match(memory: SearchedTexts, atMost?: FieldBound): (TermMatch | null)[];
  /** Values that the matches in these memories do not exceed, found without taking their texts apart. */
  bounds(memories: readonly FieldTexts[]): Bounds;
}

/** Of two memories that hold the same words the shorter one fits better, but one of any length may say much. */
const LONGEST_RATIO = 1.5;

/**
 * Frequency: 2n / (n + 0.5 + 0.5 length / average) (SE-15). Which memory fits best is asked with a ratio of at most 1.5: else a
 * long memory would be behind as soon as most others are short. How sure it is that it applies, with the whole one.
 */
export function frequency(occurrences: number, length: number, average: number, mostRatio = LONGEST_RATIO): number {
  const ratio = Math.min(mostRatio, length / Math.max(average, 1));
  return (2 * occurrences) / (occurrences + 0.5 + 0.5 * ratio);
}

/** @param countOf - how many of the memories hold a token of `fts_terms`; forms that none has are not looked for */
export function termMatcher(terms: readonly QueryTerm[], lengths: FieldLengths, countOf: TokenCount): TermMatcher {
  const counter = new KeyCounter();
  const keys: Key[] = [];
  const ways = terms.map((term, i) => {
    const slotOf = (place: Place, key: string): number => {
      const slot = counter.slot(place, key, i);
      keys.push({ place, key, slot });
      return slot;
    };
    return waysOf(term, slotOf, countOf);
  });
  /** A text is at least as long as its words are many; of short ones frequencies are larger. */
  const worth = (field: Field, occurrences: number, length: number): number =>
    FIELD_FACTORS[field] * frequency(occurrences, length, lengths.average[field]);
  return {
    match: (memory, atMost = NO_BOUND) => {
      const best = new Array<TermMatch | null>(terms.length).fill(null);
      for (const field of FIELDS) {
        if (best.every((match, i) => atMost(field, i) <= (match?.value ?? 0))) continue;
        const analysis = analysisOf(memory, field);
        for (const i of counter.count(analysis)) {
          const place = { field, length: lengths.lengthOf(analysis), average: lengths.average[field] };
          const match = bestWay(ways[i] ?? [], counter, place);
          if (match !== null && match.value > (best[i]?.value ?? 0)) best[i] = match;
        }
      }
      return best;
    },
    bounds: (memories) => searchNeedles(memories, needlesOf(ways, keys), terms.length, worth),
  };
}

const NO_BOUND: FieldBound = () => Number.POSITIVE_INFINITY;

interface Key {
  readonly place: Place;
  readonly key: string;
  readonly slot: number;
}

/** One needle for each piece of text that a term's ways look for, with the best of their factors. */
function needlesOf(ways: readonly (readonly Way[])[], keys: readonly Key[]): Needle[] {
  const needles = new Map<string, Needle>();
  const add = (term: number, slot: number, factor: number, adds: boolean): void => {
    const key = keys.find((one) => one.slot === slot);
    const needle = key === undefined ? null : needleOf(key.place, key.key);
    if (needle === null) return;
    const id = `${term} ${needle.where} ${adds} ${needle.text}`;
    if ((needles.get(id)?.factor ?? 0) < factor) needles.set(id, { ...needle, term, factor, adds });
  };
  for (const [term, ofTerm] of ways.entries()) {
    for (const { form, slots, subWords } of ofTerm) {
      // Every occurrence of the stem counts once the word itself is there.
      for (const slot of slots) add(term, slot, form === 'stem' ? FORM_FACTORS.word : FORM_FACTORS[form], false);
      const total = subWords.reduce((sum, { weight }) => sum + weight, 0);
      for (const { slots: either, weight } of subWords) {
        for (const slot of either) add(term, slot, (FORM_FACTORS['sub-words'] * weight) / total, true);
      }
    }
  }
  return [...needles.values()];
}

/** One form of a term: the places where it is counted, or for sub-words those of each with its weight. */
interface Way {
  readonly form: Form;
  readonly slots: readonly number[];
  readonly subWords: readonly { readonly slots: readonly number[]; readonly weight: number }[];
}

function waysOf(term: QueryTerm, slotOf: (place: Place, key: string) => number, countOf: TokenCount): Way[] {
  const isThere = ([place, key]: readonly [Place, string]) =>
    (place !== 'joined' && place !== 'folded') || countOf(markedToken(place, key)) > 0;
  const way = (form: Form, ...keys: readonly (readonly [Place, string])[]): Way => ({
    form,
    slots: keys.filter(isThere).map(([place, key]) => slotOf(place, key)),
    subWords: [],
  });
  if (term.kind !== 'word' && term.kind !== 'identifier') return [way(term.kind, [`${term.kind}s`, term.text])];
  if (term.kind === 'word') {
    const ways = [
      way('word', ['words', term.text]),
      way('stem', ['stem', term.stem]),
      way('sub-words', ['subWords', term.text]),
      way('joined', ['joined', term.text]),
      way('folded', ['folded', term.folded], ['words', term.folded]),
    ];
    if (term.rescues.length > 0) ways.push(way('rescue', ...term.rescues.map((word) => ['stem', stem(word)] as const)));
    return ways;
  }
  const { whole, parts, joined, subWords } = term.identifier;
  const forms: Way[] = [way('identifier', ['identifiers', whole], ['words', whole])];
  for (const part of parts) forms.push(way(isWithoutTail(whole, part) ? 'identifier' : 'part', ['identifiers', part]));
  for (const form of joined) forms.push(way('joined', ['joined', form], ['words', form]));
  const parted = subWords.map((word) => ({
    slots: [slotOf('stem', stem(word)), slotOf('subWords', word)],
    weight: subWordWeight(word),
  }));
  return [...forms, { form: 'sub-words', slots: [], subWords: parted }];
}

/** `a/b.ts` of `a/b.ts:42`: the same file. */
function isWithoutTail(whole: string, part: string): boolean {
  return whole.startsWith(part) && /^(?::\d+)+$/.test(whole.slice(part.length));
}

interface FieldPlace {
  readonly field: Field;
  readonly length: number;
  readonly average: number;
}

function bestWay(ways: readonly Way[], counter: KeyCounter, { field, length, average }: FieldPlace): TermMatch | null {
  let best: TermMatch | null = null;
  for (const { form, slots, subWords } of ways) {
    let occurrences = counter.most(slots);
    let share = 1;
    if (subWords.length > 0) ({ occurrences, share } = sharedSubWords(subWords, counter));
    if (occurrences === 0) continue;
    // Every occurrence of the stem counts once the word itself is there.
    if (form === 'word') occurrences = Math.max(occurrences, counter.most(ways[1]?.slots ?? []));
    const often = frequency(occurrences, length, average);
    const factor = FIELD_FACTORS[field] * FORM_FACTORS[form] * share;
    const value = factor * often;
    if (value <= (best?.value ?? 0)) continue;
    const sureValue = factor * frequency(occurrences, length, average, Number.POSITIVE_INFINITY);
    best = { field, form, share, occurrences, frequency: often, value, sureValue };
  }
  return best;
}

function sharedSubWords(subWords: Way['subWords'], counter: KeyCounter): { occurrences: number; share: number } {
  let matched = 0;
  let total = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const { slots, weight } of subWords) {
    total += weight;
    const count = counter.most(slots);
    if (count === 0) continue;
    matched += weight;
    fewest = Math.min(fewest, count);
  }
  return matched === 0 ? { occurrences: 0, share: 0 } : { occurrences: fewest, share: matched / total };
}
