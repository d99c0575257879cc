import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MemoryName } from '../../src/memory/slug.ts';
import { findRow } from '../../src/store/memories.ts';
import { checkExit, checkStore } from '../../src/sync/check.ts';
import { repairStore } from '../../src/sync/repair.ts';
import { engramError } from '../support/engram-error.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const DEAD_PID = 2 ** 22 + 1;

async function synced(names: readonly string[] = ['a', 'b']): Promise<TestStore> {
  const store = await temporaryStore();
  for (const name of names) store.write(`feedback/${name}.toml`, feedbackText({ action: `"do ${name}"` }));
  store.sync();
  return store;
}

function kinds(store: TestStore): string[] {
  return checkStore(store.context).map(({ kind, subject }) => `${kind} ${subject}`);
}

/** Bytes of every file but the database's own, for "nothing was changed". */
function files(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(root, path)).isFile() && !path.startsWith('engram.db'))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'base64')]));
}

/** What goes wrong, the finding it gives, and whether repair puts it right. */
const FAULTS: readonly {
  readonly what: string;
  readonly cause: (store: TestStore) => void;
  readonly finding: string;
  readonly repairable: boolean;
}[] = [
  {
    what: 'index rows without a memory',
    cause: (store) => shell(databaseOf(store.root), `INSERT INTO fts_prose(rowid, situation) VALUES (999, 'ghost');`),
    finding: 'orphan full text',
    repairable: true,
  },
  {
    what: 'an index text that is not that of its row',
    cause: (store) => shell(databaseOf(store.root), `UPDATE fts_prose SET situation = 'other' WHERE rowid = 1;`),
    finding: 'index-text feedback/a',
    repairable: true,
  },
  {
    what: 'a full-text index that is not that of its text',
    cause: (store) =>
      shell(databaseOf(store.root), `UPDATE fts_terms_content SET c0 = 'changed behind its back' WHERE id = 1;`),
    finding: 'full-text fts_terms',
    repairable: true,
  },
  {
    what: 'a full-text index whose bytes cannot be read',
    cause: (store) => shell(databaseOf(store.root), `UPDATE fts_terms_data SET block = x'00' WHERE id > 10;`),
    finding: 'full-text fts_terms',
    repairable: true,
  },
  {
    what: 'a row that is gone without a logged DELETE',
    cause: (store) =>
      shell(databaseOf(store.root), `DELETE FROM memories WHERE name = 'feedback/a'; DELETE FROM changes;`),
    finding: 'row-lost feedback/a',
    repairable: true,
  },
  {
    what: 'a row that changed without a logged change',
    cause: (store) =>
      shell(databaseOf(store.root), `UPDATE memories SET impact = 'x' WHERE name = 'feedback/a'; DELETE FROM changes;`),
    finding: 'row-unlogged feedback/a',
    repairable: true,
  },
  {
    what: 'events that do not add up to the counters',
    cause: (store) =>
      shell(databaseOf(store.root), `DELETE FROM outcome_events WHERE name = 'feedback/a' AND kind = 'surfaced';`),
    finding: 'counters feedback/a',
    repairable: true,
  },
  {
    what: 'a stale lock',
    cause: (store) => {
      writeFileSync(join(store.root, 'memory/feedback/a.toml.lock'), `${DEAD_PID}\n`);
    },
    finding: 'stale-lock feedback/a.toml.lock',
    repairable: true,
  },
  {
    what: 'a temp file of a dead process',
    cause: (store) => {
      const temp = join(store.root, `memory/feedback/.engram-tmp-${DEAD_PID}-0123456789abcdef`);
      writeFileSync(temp, 'half');
    },
    finding: `temp-file feedback/.engram-tmp-${DEAD_PID}-0123456789abcdef`,
    repairable: true,
  },
  {
    what: 'a write that was cut off',
    cause: (store) =>
      store.sql(
        `INSERT INTO pending_writes(name, op, old_hash, new_hash, payload, owner, at_ms)
         VALUES ('feedback/a', 'write', 'x', 'y', ?, '${DEAD_PID}', 1)`,
        JSON.stringify({ step: 'unlink', path: 'feedback/a.toml' }),
      ),
    finding: 'ledger feedback/a',
    repairable: true,
  },
  {
    what: 'an edit that was not synced',
    cause: (store) => store.write('feedback/a.toml', feedbackText({ action: '"edited"' })),
    finding: 'not-synced feedback/a',
    repairable: false,
  },
  {
    what: 'a change of a row that was not synced',
    cause: (store) => shell(databaseOf(store.root), `UPDATE memories SET impact = 'x' WHERE name = 'feedback/a';`),
    finding: 'not-synced feedback/a',
    repairable: false,
  },
  {
    what: 'a new file',
    cause: (store) => store.write('feedback/new.toml', feedbackText()),
    finding: 'not-synced feedback/new',
    repairable: false,
  },
  {
    what: 'a quarantined file',
    cause: (store) => {
      store.write('feedback/a.toml', 'situation = "\n');
      store.sync();
    },
    finding: 'quarantined feedback/a.toml:1:14',
    repairable: false,
  },
  {
    what: 'a name clash',
    cause: (store) => {
      store.write('feedback/A.toml', feedbackText());
      store.sync();
    },
    finding: 'name-clash feedback/A.toml',
    repairable: false,
  },
];

describe('SY-68, SY-69: check and repair', () => {
  test('a healthy store: nothing found, nothing to repair, no backup', async () => {
    using store = await synced();
    expect(checkStore(store.context)).toEqual([]);
    expect(repairStore(store.context)).toEqual({ backup: null, repaired: [], undone: null, left: [] });
    expect(existsSync(join(store.root, 'backups'))).toBe(false);
  });

  test.each(FAULTS)('$what', async ({ cause, finding, repairable }) => {
    using store = await synced();
    // A minute ahead: what lies there now is old.
    const context = { ...store.context, clock: () => Date.now() + 61_000 };
    const later = { ...store, context } as TestStore;
    cause(store);
    const before = files(store.root);
    const stamp = store.sql('SELECT total_changes() AS n, (SELECT count(*) FROM changes) AS logged');
    expect(kinds(later)).toContain(finding);
    expect(checkExit(checkStore(context))).toBe(1);
    expect(files(store.root)).toEqual(before);
    expect(store.sql('SELECT count(*) AS logged FROM changes')).toEqual([{ logged: stamp[0]?.logged }]);
    const report = repairStore(context);
    expect(report.repaired.some(({ kind, subject }) => `${kind} ${subject}` === finding)).toBe(repairable);
    expect(kinds(later).includes(finding)).toBe(!repairable);
    const after = files(store.root);
    for (const path of Object.keys(before).filter((path) => path.endsWith('.toml')))
      expect(after[path]).toBe(before[path]);
    store.sync();
    expect(store.sql('SELECT count(*) AS n FROM archive')).toEqual([{ n: 0 }]);
  });

  test('a repair that touches the database is backed up first', async () => {
    using store = await synced();
    shell(databaseOf(store.root), `DELETE FROM memories WHERE name = 'feedback/a'; DELETE FROM changes;`);
    const { backup } = repairStore(store.context);
    expect(shell(backup ?? '', 'SELECT count(*) FROM memories;')).toBe('1\n');
    expect(findRow(store.context.store.db, 'feedback/a' as MemoryName)).toMatchObject({
      action: 'do a',
      followed_count: 4,
    });
  });

  test('--locks removes stale locks and temps only, and needs no backup', async () => {
    using store = await synced();
    writeFileSync(join(store.root, 'memory/feedback/a.toml.lock'), `${DEAD_PID}\n`);
    writeFileSync(join(store.root, 'memory/feedback/b.toml.lock'), `${process.ppid}\n`);
    shell(databaseOf(store.root), `INSERT INTO fts_prose(rowid, situation) VALUES (999, 'ghost');`);
    const report = repairStore(store.context, { locksOnly: true });
    expect(report).toMatchObject({ backup: null, left: [] });
    expect(report.repaired.map(({ subject }) => subject)).toEqual(['feedback/a.toml.lock']);
    expect(existsSync(join(store.root, 'memory/feedback/b.toml.lock'))).toBe(true);
    expect(kinds(store)).toContain('orphan full text');
  });

  test('SY-32: --undo-held brings 60 deleted files back', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `m${at}`);
    using store = await synced(names);
    const { rmSync } = await import('node:fs');
    const texts = names.map((name) => store.read(`feedback/${name}.toml`));
    rmSync(join(store.root, 'memory/feedback'), { recursive: true });
    mkdirSync(join(store.root, 'memory/feedback'));
    expect(store.sync().heldDeletions).toHaveLength(60);
    const { undone } = repairStore(store.context, { undoHeld: true });
    expect(undone?.restored).toHaveLength(60);
    expect(names.map((name) => store.read(`feedback/${name}.toml`))).toEqual(texts);
    expect(store.sync().heldDeletions).toEqual([]);
  });

  test('a mode that lets others write is named with the command that ends it', async () => {
    using store = await synced();
    chmodSync(join(store.root, 'memory/feedback/a.toml'), 0o666);
    chmodSync(join(store.root, 'memory/facts'), 0o770);
    const found = checkStore(store.context);
    expect(found.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['mode', join(store.root, 'memory/facts')],
      ['mode', join(store.root, 'memory/feedback/a.toml')],
    ]);
    expect(found[1]?.message).toContain('chmod go-w');
  });

  test('SY-63: damage of the file itself is exit 6, and not for repair', async () => {
    using store = await synced();
    shell(
      databaseOf(store.root),
      `PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'history') WHERE name = 'archive';`,
    );
    using again = await temporaryStore(store.root);
    const found = checkStore(again.context);
    expect(found[0]).toMatchObject({ kind: 'integrity', remedy: 'rebuild' });
    expect(checkExit(found)).toBe(6);
    expect(() => repairStore(again.context)).toThrow(engramError('database.damaged'));
  });

  test('a lock that is held is no finding', async () => {
    using store = await synced();
    const lock = join(store.root, 'memory/feedback/a.toml.lock');
    writeFileSync(lock, `${process.ppid}\n`);
    utimesSync(lock, new Date(), new Date());
    expect(kinds(store)).toEqual([]);
  });
});
