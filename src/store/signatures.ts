import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, statement } from './statement.ts';

/**
 * The stat signatures of all bases, a column each; what stands at one place belongs together. Every read command asks for
 * them (SY-57), and as JSON they arrive in half the time that rows take.
 */
export interface SignatureColumns {
  readonly paths: readonly string[];
  readonly sizes: readonly number[];
  /** By `timeUnits`, as are `ctimes`. */
  readonly mtimes: readonly number[];
  readonly ctimes: readonly number[];
  readonly inodes: readonly number[];
  readonly readAtMs: readonly number[];
}

/** From the index `bases_signature` alone. */
export function listSignatureColumns(db: SqliteDatabase): SignatureColumns {
  const [paths, sizes, mtimes, ctimes, inodes, readAtMs] = statement(db, COLUMNS).raw(true).get() as string[];
  const numbers = (json: string | undefined) => JSON.parse(json ?? '[]') as number[];
  return {
    paths: JSON.parse(paths ?? '[]') as string[],
    sizes: numbers(sizes),
    mtimes: numbers(mtimes),
    ctimes: numbers(ctimes),
    inodes: numbers(inodes),
    readAtMs: numbers(readAtMs),
  };
}

/**
 * A time of a stat as a whole number: SQLite would print a fraction with too few digits. A double of milliseconds is a
 * multiple of 1/4096 since 2004, so nothing is lost that tells two of today's times apart.
 */
export function timeUnits(ms: number): number {
  return Math.trunc(ms * 4096);
}

/** The memory whose base has this path. */
export function findNameByPath(db: SqliteDatabase, path: string): MemoryName | null {
  return oneRow<{ name: MemoryName }>(db, 'SELECT name FROM bases WHERE path = ?', path)?.name ?? null;
}

const COLUMNS = `SELECT json_group_array(path), json_group_array(size_bytes),
    json_group_array(CAST(mtime_ms * 4096 AS INTEGER)), json_group_array(CAST(ctime_ms * 4096 AS INTEGER)),
    json_group_array(ino), json_group_array(read_at_ms)
  FROM bases`;
