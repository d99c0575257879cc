import { lstatSync, type Stats } from 'node:fs';

/**
 * The stat of a regular file itself; null for a link, anything else, nothing, and whatever cannot be looked at. For loops
 * over many files: it makes no object of its own, and the careful `lookUp` answers where it says null.
 */
export function plainStat(path: string): Stats | null {
  try {
    const stats = lstatSync(path, NOT_THERE_IS_UNDEFINED);
    return stats?.isFile() === true ? stats : null;
  } catch {
    return null;
  }
}

const NOT_THERE_IS_UNDEFINED = { throwIfNoEntry: false } as const;
