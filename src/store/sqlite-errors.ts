import { EngramError, systemErrorCode } from '../errors.ts';

export const REBUILD_HINT =
  'Run: engram db rebuild (moves the damaged database to backups/ and builds a new one from the files)';

const FREE_SPACE = 'Free some space on that disk, then try again.';

/** Turns an SQLite error into an `EngramError`; anything else passes unchanged. */
export function translateSqliteError(error: unknown): unknown {
  if (error instanceof EngramError || !(error instanceof Error)) return error;
  const code = systemErrorCode(error);
  if (code === null || !code.startsWith('SQLITE_')) return error;
  const cause = { cause: error };
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new EngramError('database.busy', 'the database is busy: another process holds it', {
      hint: 'Try again; a shell with an open transaction is the usual holder.',
      ...cause,
    });
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new EngramError('database.damaged', `the database is damaged: ${error.message}`, {
      hint: REBUILD_HINT,
      ...cause,
    });
  }
  if (code.startsWith('SQLITE_FULL'))
    return new EngramError('disk.full', 'no room for the database on its disk', { hint: FREE_SPACE, ...cause });
  if (code.startsWith('SQLITE_READONLY') || code === 'SQLITE_CANTOPEN') {
    return new EngramError('data-root.read-only', `the database cannot be written: ${error.message}`, cause);
  }
  if (/no such (table|column)/.test(error.message)) {
    return new EngramError('database.damaged', `the database lacks a part engram made: ${error.message}`, {
      hint: REBUILD_HINT,
      ...cause,
    });
  }
  return new EngramError('database.failed', `the database refused: ${error.message}`, cause);
}

/** Whether SQLite says that a full-text table, and it alone, cannot be read. */
export function isFullTextDamage(error: unknown): boolean {
  return error instanceof Error && systemErrorCode(error) === 'SQLITE_CORRUPT_VTAB';
}

/** Runs `work`; what SQLite throws comes out as an `EngramError`. */
export function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error);
  }
}
