import { EngramError } from '../errors.ts';
import { MEMORY_DIRECTORIES } from '../memory/record.ts';
import { isSlug, type MemoryName, memoryName, parseMemoryName } from '../memory/slug.ts';
import { nearest } from '../suggest.ts';
import type { SqliteDatabase } from './native.ts';
import { findQuarantined } from './quarantine.ts';
import { allRows, oneRow } from './statement.ts';

const KNOWN = {
  live: 'SELECT 1 FROM memories WHERE name = ? UNION SELECT 1 FROM bases WHERE name = ?',
  archived: 'SELECT 1 FROM archive WHERE name = ? AND name = ? AND restored_at_ms IS NULL',
  ever: `SELECT 1 FROM memories WHERE name = ? UNION SELECT 1 FROM history WHERE name = ?
         UNION SELECT 1 FROM archive WHERE name IN (SELECT ?)`,
} as const;

/** Where a name is looked for: among live memories, in the archive, or in anything that was ever kept. */
export type NameScope = keyof typeof KNOWN;

/**
 * Finds the memory that a person means: `feedback/<slug>`, `facts/<slug>` or the bare slug (product.md section 4).
 *
 * @throws EngramError `memory.ambiguous` with the candidates, `memory.not-found` with a suggestion; `memory.quarantined`
 * or `write.contended` for a file that was never read
 */
export function resolveName(db: SqliteDatabase, text: string, scope: NameScope = 'live'): MemoryName {
  const asked = text
    .replace(/^memory\//, '')
    .replace(/\.toml$/, '')
    .normalize('NFC');
  const candidates = candidatesFor(asked).filter((name) => isKnown(db, name, scope));
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  if (candidates.length > 1) {
    throw new EngramError('memory.ambiguous', `${JSON.stringify(text)} is ambiguous: ${candidates.join(', ')}`, {
      hint: 'Name one of them in full.',
    });
  }
  if (scope !== 'archived') refuseQuarantined(db, asked);
  if (scope === 'live') refuseArchived(db, asked);
  throw new EngramError(
    'memory.not-found',
    `no ${scope === 'archived' ? 'archived ' : ''}memory is called ${JSON.stringify(text)}`,
    {
      hint:
        suggestion(asked, suggestionsFor(db, asked, scope)) ??
        `See what there is: engram list${scope === 'archived' ? ' --archived' : ''}`,
    },
  );
}

function candidatesFor(asked: string): MemoryName[] {
  if (/^(feedback|facts)\//.test(asked)) {
    if (!isSlug(asked.slice(asked.indexOf('/') + 1))) throw noName(asked);
    return [parseMemoryName(asked)];
  }
  if (!isSlug(asked)) throw noName(asked);
  return MEMORY_DIRECTORIES.map((directory) => memoryName(directory, asked));
}

function noName(asked: string): EngramError {
  return new EngramError('memory.name', `not a memory name: ${JSON.stringify(asked)}`, {
    hint: 'A name is feedback/<slug> or facts/<slug>; engram list shows them.',
  });
}

/** A memory that was forgotten is better said than missed. */
function refuseArchived(db: SqliteDatabase, asked: string): void {
  const name = candidatesFor(asked).find((candidate) => isKnown(db, candidate, 'archived'));
  if (name === undefined) return;
  throw new EngramError('memory.not-found', `${name} is archived`, { hint: `Run: engram restore ${name}` });
}

/** A file that never could be read has no memory yet, but it is there: better said than "no memory is called". */
function refuseQuarantined(db: SqliteDatabase, asked: string): void {
  for (const name of candidatesFor(asked)) {
    const found = findQuarantined(db, 'file', name);
    if (found === null) continue;
    if (found.reason === 'in-progress') {
      throw new EngramError('write.contended', `${name}: its file ${found.path} is being written by somebody else`, {
        hint: 'Try again in two seconds.',
      });
    }
    const place = found.line === null ? '' : `:${found.line}${found.col === null ? '' : `:${found.col}`}`;
    throw new EngramError('memory.quarantined', `${name}: ${found.path}${place} ${found.reason}: ${found.message}`, {
      hint: 'Repair the file, then try again.',
    });
  }
}

function isKnown(db: SqliteDatabase, name: MemoryName, scope: NameScope): boolean {
  const parameters = scope === 'ever' ? [name, name, name] : [name, name];
  return oneRow(db, KNOWN[scope], ...parameters) !== null;
}

const MOST_SUGGESTIONS = 5;

/** The one name that begins with what was asked, else those that hold it, else the one that is spelled nearly so. */
function suggestion(asked: string, names: readonly string[]): string | null {
  const beginning = names.filter((name) => name.startsWith(asked));
  const holding = names.filter((name) => name.includes(asked) && !name.startsWith(asked));
  const [only] = beginning;
  if (only !== undefined && beginning.length === 1) return `Did you mean ${only}?`;
  const parts = [...beginning.sort(), ...holding.sort()].slice(0, MOST_SUGGESTIONS);
  if (parts.length > 1) return `Did you mean one of: ${parts.join(', ')}?`;
  const near = parts[0] ?? nearest(asked, names);
  return near === null ? null : `Did you mean ${near}?`;
}

function suggestionsFor(db: SqliteDatabase, asked: string, scope: NameScope): string[] {
  const table = scope === 'archived' ? 'archive WHERE restored_at_ms IS NULL' : 'memories WHERE 1';
  const names = allRows<{ name: string }>(db, `SELECT name FROM ${table} LIMIT 20000`).map((row) => row.name);
  return asked.includes('/') ? names : names.map((name) => name.slice(name.indexOf('/') + 1));
}
