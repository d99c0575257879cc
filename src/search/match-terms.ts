import { FIELDS, type Field } from '../text/index-text.ts';
import { stem } from '../text/stem.ts';
import type { TextAnalysis } from '../text/words.ts';
import type { QueryTerm } from './compile-query.ts';
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

export const FIELD_FACTORS: Readonly<Record<Field, number>> = { situation: 1, entity: 1, content: 0.5 };

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
}

export type AnalysedMemory = Readonly<Record<Field, TextAnalysis>>;

/** Lengths that frequency is measured against (SE-15). */
export interface FieldLengths {
  lengthOf(analysis: TextAnalysis): number;
  readonly average: Readonly<Record<Field, number>>;
}

/** Looks for the terms of one query in many memories. */
export interface TermMatcher {
  /** The best match of each term, in their order; null where the memory lacks it. */
  match(memory: AnalysedMemory): (TermMatch | null)[];
}

/** Frequency: 2n / (n + 0.5 + 0.5 length / average) (SE-15). */
export function frequency(occurrences: number, length: number, average: number): number {
  return (2 * occurrences) / (occurrences + 0.5 + (0.5 * length) / Math.max(average, 1));
}

export function termMatcher(terms: readonly QueryTerm[], lengths: FieldLengths): TermMatcher {
  const slots = new SlotTable();
  const ways = terms.map((term) => waysOf(term, slots));
  return {
    match: (memory) => {
      const best: (TermMatch | null)[] = ways.map(() => null);
      for (const field of FIELDS) {
        const analysis = memory[field];
        const length = lengths.lengthOf(analysis);
        if (length === 0) continue;
        slots.count(analysis);
        for (const [i, ofTerm] of ways.entries()) {
          const match = bestWay(ofTerm, slots, field, length, lengths.average[field]);
          if (match !== null && match.value > (best[i]?.value ?? 0)) best[i] = match;
        }
      }
      return best;
    },
  };
}

/** The lists of an analysis in which a key is looked for; `stem` is the words' stems. */
type Place = keyof TextAnalysis | 'stem';

/** One form of a term: the places where it is counted, or for sub-words those of each with its weight. */
interface Way {
  readonly form: Form;
  readonly slots: readonly number[];
  readonly subWords: readonly { readonly slots: readonly number[]; readonly weight: number }[];
}

function waysOf(term: QueryTerm, slots: SlotTable): Way[] {
  const way = (form: Form, ...keys: readonly (readonly [Place, string])[]): Way => ({
    form,
    slots: keys.map(([place, key]) => slots.slot(place, key)),
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
    slots: [slots.slot('stem', stem(word)), slots.slot('subWords', word)],
    weight: subWordWeight(word),
  }));
  return [...forms, { form: 'sub-words', slots: [], subWords: parted }];
}

/** `a/b.ts` of `a/b.ts:42`: the same file. */
function isWithoutTail(whole: string, part: string): boolean {
  return whole.startsWith(part) && /^(?::\d+)+$/.test(whole.slice(part.length));
}

function bestWay(
  ways: readonly Way[],
  slots: SlotTable,
  field: Field,
  length: number,
  average: number,
): TermMatch | null {
  let best: TermMatch | null = null;
  for (const { form, slots: ofWay, subWords } of ways) {
    let occurrences = slots.most(ofWay);
    let share = 1;
    if (subWords.length > 0) ({ occurrences, share } = sharedSubWords(subWords, slots));
    if (occurrences === 0) continue;
    // Every occurrence of the stem counts once the word itself is there.
    if (form === 'word') occurrences = Math.max(occurrences, slots.counts[ways[1]?.slots[0] ?? -1] ?? 0);
    const often = frequency(occurrences, length, average);
    const value = FIELD_FACTORS[field] * FORM_FACTORS[form] * share * often;
    if (value > (best?.value ?? 0)) best = { field, form, share, occurrences, frequency: often, value };
  }
  return best;
}

function sharedSubWords(subWords: Way['subWords'], slots: SlotTable): { occurrences: number; share: number } {
  let matched = 0;
  let total = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const { slots: ofWord, weight } of subWords) {
    total += weight;
    const count = slots.most(ofWord);
    if (count === 0) continue;
    matched += weight;
    fewest = Math.min(fewest, count);
  }
  return matched === 0 ? { occurrences: 0, share: 0 } : { occurrences: fewest, share: matched / total };
}

/** Counts how often each key that a query looks for stands in a text. Reused from text to text. */
class SlotTable {
  readonly counts: number[] = [];
  readonly #byPlace = new Map<Place, Map<string, number>>();
  /** Beginnings of the stems looked for: only words with one of them are stemmed. */
  readonly #beginnings = new Set<string>();

  slot(place: Place, key: string): number {
    const keys = this.#byPlace.get(place) ?? new Map<string, number>();
    this.#byPlace.set(place, keys);
    const slot = keys.get(key) ?? this.counts.push(0) - 1;
    keys.set(key, slot);
    if (place === 'stem') this.#beginnings.add(key.slice(0, Math.min(3, Math.max(1, key.length - 1))));
    return slot;
  }

  /** One occurrence may stand in several lists, so the largest count is the number of occurrences. */
  most(slots: readonly number[]): number {
    let most = 0;
    for (const slot of slots) most = Math.max(most, this.counts[slot] ?? 0);
    return most;
  }

  count(analysis: TextAnalysis): void {
    this.counts.fill(0);
    for (const [place, keys] of this.#byPlace) {
      if (place === 'stem') this.#countStems(analysis.words, keys);
      else for (const key of analysis[place]) this.#add(keys.get(key));
    }
  }

  #countStems(words: readonly string[], keys: ReadonlyMap<string, number>): void {
    for (const word of words) {
      if (this.#mayHaveStem(word)) this.#add(keys.get(stem(word)));
    }
  }

  /** A stem begins like its word: four letters and more share three with it, shorter ones all but the last. */
  #mayHaveStem(word: string): boolean {
    const beginnings = this.#beginnings;
    return beginnings.has(word.slice(0, 3)) || beginnings.has(word.slice(0, 2)) || beginnings.has(word.slice(0, 1));
  }

  #add(slot: number | undefined): void {
    if (slot !== undefined) this.counts[slot] = (this.counts[slot] ?? 0) + 1;
  }
}
