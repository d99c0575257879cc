import { BACKGROUND_TABLE, FIRST_LEVEL, LAST_LEVEL } from './background-table.ts';

/**
 * How rare a stem is in general and technical English, 0 (in every text) to 1 (the rarest, or unknown) (SE-17). The
 * table is searched as the one string it is: making a map of it would cost every start more than all its look-ups.
 */
export function backgroundRarity(stem: string): number {
  const known = memo.get(stem);
  if (known !== undefined) return known;
  if (memo.size >= MEMO_LIMIT) memo.clear();
  const rarity = lookUp(stem) ?? 1;
  memo.set(stem, rarity);
  return rarity;
}

function lookUp(stem: string): number | null {
  if (!/^[a-z][a-z0-9]*$/.test(stem)) return null;
  const at = BACKGROUND_TABLE.indexOf(`\n${stem}:`);
  if (at === -1) return null;
  return (BACKGROUND_TABLE.charCodeAt(at + stem.length + 2) - FIRST_LEVEL) / (LAST_LEVEL - FIRST_LEVEL);
}

const MEMO_LIMIT = 20_000;
const memo = new Map<string, number>();
