import { listDirectory } from '../files/memory-directory.ts';
import { plainStat } from '../files/plain-stat.ts';
import { MEMORY_DIRECTORIES } from '../memory/record.ts';
import { listFileSights } from '../store/quarantine.ts';
import { timeUnits } from '../store/signatures.ts';
import type { SyncContext } from './context.ts';
import { isRacy } from './look.ts';
import { knownBases } from './scan.ts';

/**
 * Whether every file is one that the bases know, with the very signature they know, and none is missing: the usual case
 * before a read, decided with one comparison a file. False says nothing but that the full scan has to look.
 */
export function isAllAsAgreed(context: SyncContext): boolean {
  if (listFileSights(context.store.db).length > 0) return false;
  const bases = knownBases(context);
  const { sizes, mtimes, ctimes, inodes, readAtMs, paths } = bases.columns;
  let seen = 0;
  for (const directory of MEMORY_DIRECTORIES) {
    const absolute = context.paths[directory];
    const listing = (context.list ?? listDirectory)(absolute);
    if (listing.kind !== 'complete') return false;
    for (const name of listing.names) {
      const place = bases.placeOf(`${directory}/${name}`);
      if (place === undefined) {
        if (isIgnored(name)) continue;
        return false;
      }
      const stats = plainStat(`${absolute}/${name}`);
      if (
        stats === null ||
        stats.size !== sizes[place] ||
        stats.ino !== inodes[place] ||
        timeUnits(stats.mtimeMs) !== mtimes[place] ||
        timeUnits(stats.ctimeMs) !== ctimes[place] ||
        isRacy(stats, readAtMs[place] ?? stats.ctimeMs)
      ) {
        return false;
      }
      seen += 1;
    }
  }
  return seen === paths.length;
}

/** Names that no memory has (MF-2). */
function isIgnored(name: string): boolean {
  return name.startsWith('.') || !name.endsWith('.toml');
}
