import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  effectiveness,
  followRate,
  missRate,
  netEffectiveness,
  relevanceRate,
  unresolved,
} from '../../src/memory/effectiveness.ts';
import { oneRow } from '../../src/store/statement.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const migrations = readdirSync(MIGRATIONS)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));
const statements = migrations
  .flatMap((sql) => sql.split('--> statement-breakpoint'))
  .map((sql) => sql.replaceAll(/^\s*--.*$/gm, '').trim());

describe('SY-8: nothing newer than SQLite 3.31', () => {
  test.each([
    ['STRICT tables (3.37)', /\)\s*STRICT\b/i],
    ['-> and ->> (3.38)', /->/],
    ['unixepoch() (3.38)', /\bunixepoch\s*\(/i],
    ['format() and concat() (3.38, 3.44)', /\b(format|concat|concat_ws|string_agg)\s*\(/i],
    ['iif() (3.32)', /\biif\s*\(/i],
    ['UPDATE FROM (3.33)', /\bUPDATE\b[^;]*\bSET\b[^;]*\bFROM\b(?![^;]*\()/i],
    ['RETURNING (3.35)', /\bRETURNING\b/i],
    ['MATERIALIZED (3.35)', /\bMATERIALIZED\b/i],
    ['mathematical functions (3.35)', /\b(sqrt|ln|log|pow|exp|ceil|floor)\s*\(/i],
    ['IS DISTINCT FROM, RIGHT and FULL JOIN (3.39)', /\bIS (NOT )?DISTINCT\b|\b(RIGHT|FULL)\s+(OUTER\s+)?JOIN\b/i],
    ['timediff() and subsec (3.42, 3.43)', /\btimediff\b|'subsec/i],
  ])('%s', (_, feature) => {
    expect(statements.filter((sql) => feature.test(sql))).toEqual([]);
  });

  test('no JSON function and no full-text table in a trigger, built-in functions only', () => {
    const triggers = statements.filter((sql) => sql.startsWith('CREATE TRIGGER'));
    expect(triggers.length).toBeGreaterThanOrEqual(4);
    for (const sql of triggers) {
      expect(sql).not.toMatch(/json|fts_|vec0/i);
      const called = [...sql.matchAll(/\b([a-z_]+)\s*\(/gi)].map((match) => match[1]?.toLowerCase());
      expect(
        called.filter(
          (name) => !['strftime', 'changes', 'values', 'in', 'exists', 'embedding_blocks'].includes(name ?? ''),
        ),
      ).toEqual([]);
    }
  });

  test('the whole schema loads in the shell, with a schema that is not trusted too', () => {
    for (const trusted of ['ON', 'OFF'] as const) {
      const database = join(temporaryDirectory(), 'schema.db');
      shell(database, migrations.join('\n').replaceAll('--> statement-breakpoint', ';'), { trusted });
      expect(shell(database, 'PRAGMA integrity_check;', { trusted })).toBe('ok\n');
    }
  });
});

describe('SY-9: triggers', () => {
  test('each change of a row is one line of the log; a text makes its index old, a count does not', async () => {
    using store = await temporaryStore();
    store.write('feedback/a.toml', feedbackText());
    store.sync();
    const database = databaseOf(store.root);
    const stale = () => shell(database, 'SELECT count(*) FROM index_state WHERE text_hash IS NULL;');
    shell(database, 'UPDATE memories SET followed_count = 9;');
    expect(stale()).toBe('0\n');
    shell(database, `UPDATE memories SET impact = 'x';`);
    expect(stale()).toBe('1\n');
    shell(database, `UPDATE memories SET name = 'feedback/b'; DELETE FROM memories;`);
    expect(shell(database, 'SELECT op, name, old_name FROM changes ORDER BY seq;')).toBe(
      'update|feedback/a|\nupdate|feedback/a|\nupdate|feedback/b|feedback/a\ndelete|feedback/b|\n',
    );
    expect(shell(database, 'SELECT count(*) FROM index_state;')).toBe('0\n');
  });
});

describe('SY-6: views for people', () => {
  test('v_memories has the figures of the program', async () => {
    using store = await temporaryStore();
    store.write('feedback/a.toml', feedbackText({ project_scoped: 'true', project_slug: '"shop"', missed_count: '2' }));
    store.write('feedback/b.toml', feedbackText({ followed_count: '0', not_followed_count: '0', surfaced_count: '0' }));
    store.sync();
    const view = (name: string) =>
      oneRow<Record<string, unknown>>(store.context.store.db, 'SELECT * FROM v_memories WHERE name = ?', name);
    const counts = {
      surfaced_count: 6,
      followed_count: 4,
      not_followed_count: 1,
      irrelevant_count: 0,
      missed_count: 2,
    };
    expect(view('feedback/a')).toMatchObject({
      slug: 'a',
      project: 'shop',
      effectiveness: effectiveness(counts),
      net_effectiveness: netEffectiveness(counts),
      follow_rate: followRate(counts),
      relevance_rate: relevanceRate(counts),
      unresolved: unresolved(counts),
      miss_rate: missRate(counts),
    });
    expect(view('feedback/b')).toMatchObject({
      project: null,
      effectiveness: null,
      follow_rate: null,
      miss_rate: null,
    });
  });

  test('v_files says what state each file is in', async () => {
    using store = await temporaryStore();
    for (const name of ['clean', 'changed', 'broken', 'clash', 'held'])
      store.write(`feedback/${name}.toml`, feedbackText());
    store.sync();
    const state = (name: string) =>
      shell(databaseOf(store.root), `SELECT state FROM v_files WHERE name = 'feedback/${name}';`).trim();
    store.write('feedback/broken.toml', 'action = "');
    store.write('feedback/new.toml', 'also broken = "\n');
    store.write('feedback/clash.toml', feedbackText({ action: '"file"' }));
    shell(databaseOf(store.root), `UPDATE memories SET action = 'row' WHERE name = 'feedback/clash';`);
    store.sync();
    shell(databaseOf(store.root), `UPDATE memories SET followed_count = 9 WHERE name = 'feedback/changed';`);
    store.sql(`INSERT INTO deletion_holds VALUES ('feedback/held', 'file', 'brake', 1)`);
    expect(['clean', 'changed', 'broken', 'clash', 'held', 'new'].map(state)).toEqual([
      'clean',
      'row_changed',
      'quarantined',
      'conflict',
      'held',
      'quarantined',
    ]);
  });

  test('v_history, v_conflicts, v_outcomes and v_archive show texts and times', async () => {
    using store = await temporaryStore();
    for (const name of ['a', 'gone']) store.write(`feedback/${name}.toml`, feedbackText());
    store.sync();
    store.write('feedback/a.toml', feedbackText({ action: '"file"' }));
    shell(
      databaseOf(store.root),
      `UPDATE memories SET action = 'row' WHERE name = 'feedback/a'; DELETE FROM memories WHERE name = 'feedback/gone';`,
    );
    store.sync();
    const show = (sql: string) => shell(databaseOf(store.root), sql, { trusted: 'OFF' });
    expect(show(`SELECT field, file_value, row_value, state FROM v_conflicts;`)).toBe('action|file|row|open\n');
    expect(show(`SELECT count(*) FROM v_history WHERE name = 'feedback/a' AND at GLOB '20*Z';`)).not.toBe('0\n');
    expect(show(`SELECT name, origin, restored, text LIKE '%situation = %' FROM v_archive;`)).toBe(
      'feedback/gone|sql-delete|0|1\n',
    );
    expect(show(`SELECT kind, delta, origin FROM v_outcomes WHERE name = 'feedback/a' ORDER BY kind;`)).toBe(
      'followed|4|import\nnot-followed|1|import\nsurfaced|6|import\n',
    );
  });

  test('they are read-only', async () => {
    using store = await temporaryStore();
    for (const view of ['v_memories', 'v_files', 'v_history', 'v_conflicts', 'v_outcomes', 'v_archive']) {
      expect(() => store.sql(`DELETE FROM ${view}`)).toThrow(/because it is a view/);
    }
  });
});
