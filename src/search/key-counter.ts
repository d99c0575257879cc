import { stem } from '../text/stem.ts';
import type { TextAnalysis } from '../text/words.ts';
import { sharedBeginning } from './needles.ts';

/** The lists of an analysis in which a key is looked for; `stem` is the words' stems. */
export type Place = keyof TextAnalysis | 'stem';

/**
 * Counts how often each key that a query looks for stands in a text. One query counts in hundreds of texts, mostly in a
 * process that has just started and runs everything slowly: hence the plain loops, and as few look-ups as possible.
 */
export class KeyCounter {
  readonly #slotsByPlace = new Map<Place, Map<string, number>>();
  readonly #owners: number[][] = [];
  readonly #counts: number[] = [];
  #touchedSlots: number[] = [];
  /** Beginnings of the words looked for, by their length: other words need no second look. */
  readonly #beginnings: Set<string>[] = [new Set(), new Set(), new Set()];

  /** The slot in which `key` is counted; a text that holds it is reported for `owner`. */
  slot(place: Place, key: string, owner: number): number {
    const slots = this.#slotsByPlace.get(place) ?? new Map<string, number>();
    this.#slotsByPlace.set(place, slots);
    let slot = slots.get(key);
    if (slot === undefined) {
      slot = this.#counts.push(0) - 1;
      this.#owners.push([]);
      slots.set(key, slot);
      if (place === 'stem' || place === 'words') this.#addBeginning(key, place);
    }
    this.#owners[slot]?.push(owner);
    return slot;
  }

  /** Counts anew; returns the owners of the keys that `analysis` holds, each once. */
  count(analysis: TextAnalysis): number[] {
    for (let i = 0; i < this.#touchedSlots.length; i++) this.#counts[this.#touchedSlots[i] ?? 0] = 0;
    this.#touchedSlots = [];
    this.#countWords(analysis.words);
    for (let i = 0; i < OTHER_PLACES.length; i++) {
      const place = OTHER_PLACES[i] ?? 'joined';
      const keys = analysis[place];
      const slots = keys.length === 0 ? undefined : this.#slotsByPlace.get(place);
      if (slots !== undefined) for (let k = 0; k < keys.length; k++) this.#add(slots.get(keys[k] ?? ''));
    }
    return this.#touchedSlots.length === 0 ? NO_OWNERS : this.#touchedOwners();
  }

  /** One occurrence may stand in several lists, so the largest count is the number of occurrences. */
  most(slots: readonly number[]): number {
    let most = 0;
    for (let i = 0; i < slots.length; i++) most = Math.max(most, this.#counts[slots[i] ?? 0] ?? 0);
    return most;
  }

  #countWords(words: readonly string[]): void {
    const exact = this.#slotsByPlace.get('words');
    const stems = this.#slotsByPlace.get('stem');
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? '';
      if (!this.#mayMatter(word)) continue;
      this.#add(exact?.get(word));
      if (stems !== undefined) this.#add(stems.get(stem(word)));
    }
  }

  #mayMatter(word: string): boolean {
    for (let length = LONGEST_BEGINNING; length > 0; length--) {
      const beginnings = this.#beginnings[length - 1];
      if (beginnings !== undefined && beginnings.size > 0 && beginnings.has(word.slice(0, length))) return true;
    }
    return false;
  }

  #addBeginning(key: string, place: Place): void {
    const beginning = (place === 'stem' ? sharedBeginning(key) : key).slice(0, LONGEST_BEGINNING);
    this.#beginnings[beginning.length - 1]?.add(beginning);
  }

  #touchedOwners(): number[] {
    const owners: number[] = [];
    for (let i = 0; i < this.#touchedSlots.length; i++) {
      for (const owner of this.#owners[this.#touchedSlots[i] ?? 0] ?? [])
        if (!owners.includes(owner)) owners.push(owner);
    }
    return owners;
  }

  #add(slot: number | undefined): void {
    if (slot === undefined) return;
    const count = this.#counts[slot] ?? 0;
    if (count === 0) this.#touchedSlots.push(slot);
    this.#counts[slot] = count + 1;
  }
}

const LONGEST_BEGINNING = 3;
const NO_OWNERS: number[] = [];
const OTHER_PLACES = [
  'subWords',
  'identifiers',
  'joined',
  'folded',
  'bigrams',
  'singles',
] as const satisfies readonly Place[];
