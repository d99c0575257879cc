import { EngramError } from '../errors.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { lastGood } from '../store/last-good.ts';
import { findRow, rowRecord } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { effectiveRowRecord } from './effective-record.ts';

/**
 * What a live memory says: its row, NULLs filled from the last agreement (MF-22); that agreement for a row that is
 * quarantined (SY-42).
 *
 * @throws EngramError `memory.not-found`
 */
export function presentRecord(db: SqliteDatabase, name: MemoryName): MemoryRecord {
  const [row] = lastGood(
    db,
    [findRow(db, name)].filter((found) => found !== null),
  );
  if (row === undefined)
    throw new EngramError('memory.not-found', `${name}: its file is gone`, { hint: 'Run: engram db sync' });
  const known = findBase(db, name)?.record ?? null;
  return { ...effectiveRowRecord(rowRecord(row), known, directoryOf(name), null), extra: row.extra };
}
