import { EngramError } from '../errors.ts';
import { RECORD_KEYS } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { findRow } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { findQuarantined } from '../store/quarantine.ts';
import { findSecrets, redact } from '../text/secrets.ts';

/** Why a quarantined row cannot be used, and the statements that repair it. */
interface BadRow {
  readonly reason: string;
  readonly message: string;
  readonly update: string;
  /** Null where it would delete a memory that has a good file. */
  readonly remove: string | null;
}

/** What is wrong with the row of `name` and how a person who has sqlite3 puts it right (SY-25); null for one that is not quarantined. */
export function findBadRow(db: SqliteDatabase, name: MemoryName): BadRow | null {
  const found = findQuarantined(db, 'row', name);
  const row = findRow(db, name);
  if (found === null || row === null) return null;
  const { reason, message } = found;
  // A name that is a secret is not repeated, not even to repair it.
  const where = findSecrets(name).length > 0 ? `pk = ${row.pk}` : `name = ${quoted(name)}`;
  const key = /^(?:the )?(\w+)/.exec(message)?.[1] ?? '';
  const isName = reason === 'name' || reason === 'name-clash' || key === 'name';
  const column = isName ? 'name' : RECORD_KEYS.some((each) => each === key) ? key : 'COLUMN';
  const value = isName ? `'${name.slice(0, name.indexOf('/'))}/NEW-NAME'` : "'NEW TEXT'";
  return {
    reason,
    message,
    update: `UPDATE memories SET ${column} = ${value} WHERE ${where}`,
    remove: findBase(db, name) === null ? `DELETE FROM memories WHERE ${where}` : null,
  };
}

/**
 * Refuses what only a good row allows.
 *
 * @throws EngramError `memory.quarantined` for a quarantined row that no file stands behind
 */
export function refuseBadRow(db: SqliteDatabase, name: MemoryName): void {
  const bad = findBadRow(db, name);
  if (bad === null || bad.remove === null) return;
  throw new EngramError(
    'memory.quarantined',
    `${redact(name)}: its row cannot be used: ${bad.reason}: ${bad.message}`,
    { hint: `Run: ${inSqlite(bad.update)}; or: ${inSqlite(bad.remove)}; then: engram db sync` },
  );
}

/** A statement as a command of a shell. */
export function inSqlite(statement: string): string {
  return `sqlite3 "$(engram db path)" "${statement.replace(/["$`\\]/g, '\\$&')}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
