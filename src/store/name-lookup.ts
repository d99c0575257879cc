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
  const suggestion = nearest(asked, suggestionsFor(db, asked, scope));
  throw new EngramError(
    'memory.not-found',
    `no ${scope === 'archived' ? 'archived ' : ''}memory is called ${JSON.stringify(text)}`,
    {
      hint:
        suggestion === null
          ? `See what there is: engram list${scope === 'archived' ? ' --archived' : ''}`
          : `Did you mean ${suggestion}?`,
    },
  );
}

function candidatesFor(asked: string): MemoryName[] {
  if (/^(feedback|facts)\//.test(asked)) return [parseMemoryName(asked)];
  if (!isSlug(asked)) throw new EngramError('memory.name', `not a memory name: ${JSON.stringify(asked)}`);
  return MEMORY_DIRECTORIES.map((directory) => memoryName(directory, asked));
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

function suggestionsFor(db: SqliteDatabase, asked: string, scope: NameScope): string[] {
  const table = scope === 'archived' ? 'archive WHERE restored_at_ms IS NULL' : 'memories WHERE 1';
  const names = allRows<{ name: string }>(db, `SELECT name FROM ${table} LIMIT 20000`).map((row) => row.name);
  return asked.includes('/') ? names : names.map((name) => name.slice(name.indexOf('/') + 1));
}
