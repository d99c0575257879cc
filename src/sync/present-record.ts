import { EngramError } from '../errors.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { findRow, rowRecord } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { effectiveRowRecord } from './effective-record.ts';

/**
 * What a live memory says: its row, NULLs filled from the last agreement (MF-22).
 *
 * @throws EngramError `memory.not-found`
 */
export function presentRecord(db: SqliteDatabase, name: MemoryName): MemoryRecord {
  const row = findRow(db, name);
  if (row === null)
    throw new EngramError('memory.not-found', `${name}: its file is gone`, { hint: 'Run: engram db sync' });
  const known = findBase(db, name)?.record ?? null;
  return { ...effectiveRowRecord(rowRecord(row), known, directoryOf(name), null), extra: row.extra };
}
