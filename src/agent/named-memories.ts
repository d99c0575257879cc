import { type MemoryName, slugOf } from '../memory/slug.ts';
import type { Argument } from './state.ts';

/** All that were shown in full, unless the reply names some of them. */
export function countedNames({ memories }: Argument, text: string): MemoryName[] {
  const full = memories.filter(({ isFull }) => isFull).map(({ name }) => name);
  const folded = text.toLowerCase();
  const named = full.filter((name) => isNamed(slugOf(name).toLowerCase(), folded));
  return named.length === 0 ? full : named;
}

/** The slug as a whole: `use-tabs` is not named by `use-tabs-in-make`. */
function isNamed(slug: string, text: string): boolean {
  for (let at = text.indexOf(slug); at !== -1; at = text.indexOf(slug, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + slug.length] ?? ' '];
    if (!/[\p{L}\p{N}_-]/u.test(before) && !/[\p{L}\p{N}_-]/u.test(after)) return true;
  }
  return false;
}
