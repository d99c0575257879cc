import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GITHUB_TOKEN } from '../support/fake-secrets.ts';
import { leaksBelow } from '../support/leaks.ts';
import { home, saysNothing } from '../support/secret-home.ts';
import { shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';

describe('rows', () => {
  const inTheRow = ['engram.db', 'engram.db-wal'];
  const elsewhere = (root: string) => leaksBelow(root, GITHUB_TOKEN).filter((path) => !inTheRow.includes(path));
  /** The tables in which something of it is found. */
  const tablesWith = (database: string) =>
    shell(database, '.dump')
      .split('\n')
      .filter((line) => line.includes(GITHUB_TOKEN.slice(4, 16)))
      .map((line) => /INTO (\w+)/.exec(line)?.[1]);

  test('SY-27: an edited row with a secret is held: no file, no index, no answer, no history', () => {
    const { root, run, put, file, database } = home();
    put('feedback/a.toml', feedbackText());
    run(['db', 'sync']);
    shell(database, `UPDATE memories SET impact = 'With ${GITHUB_TOKEN}' WHERE name = 'feedback/a'`);
    const ran = run(['db', 'sync']);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toContain('feedback/a secret: impact seems to hold a secret (github-pat); UPDATE the row');
    saysNothing(ran, GITHUB_TOKEN);
    for (const words of [
      ['show', 'a', '--json'],
      ['list', '--json'],
      ['query', 'adding a column', '--json'],
      ['history', 'a'],
      ['context'],
    ]) {
      saysNothing(run(words), GITHUB_TOKEN);
    }
    expect(tablesWith(database)).toEqual(['memories']);
    // The file is edited meanwhile, in the same field: what the row said is told in a conflict, without the secret.
    put('feedback/a.toml', feedbackText({ impact: '"Edited in the file"', action: '"Edited too"' }));
    run(['db', 'sync']);
    expect(run(['show', 'a']).stdout).toContain('Edited too');
    expect(tablesWith(database)).toEqual([]);
    expect(run(['conflicts', 'show', '1']).stdout).toContain('With [redacted:github-pat]');
    expect(elsewhere(root)).toEqual([]);
    expect(readFileSync(file('feedback/a.toml'), 'utf8')).not.toContain(GITHUB_TOKEN);

    shell(database, `UPDATE memories SET impact = 'With the token of the vault' WHERE name = 'feedback/a'`);
    expect(run(['db', 'sync']).status).not.toBe(6);
    expect(tablesWith(database)).toEqual([]);
  });

  test('SY-27: a new row with a secret gets no file; a rebuild keeps no copy of it in history', () => {
    const { root, run, database } = home();
    run(['db', 'sync']);
    const values = `'feedback/b', 'feedback', 'When deploying', 'By hand', 'It broke', 'Use ${GITHUB_TOKEN}'`;
    shell(database, `INSERT INTO memories(name, type, situation, behavior, impact, action) VALUES (${values})`);
    const ran = run(['db', 'sync']);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toContain('feedback/b secret: action seems to hold a secret (github-pat)');
    expect(readdirSync(join(root, 'memory/feedback'))).toEqual([]);
    for (const words of [
      ['list', '--json'],
      ['query', 'deploying', '--json'],
    ])
      saysNothing(run(words), GITHUB_TOKEN);
    expect(tablesWith(database)).toEqual(['memories']);
    saysNothing(run(['db', 'rebuild']), GITHUB_TOKEN);
    expect(tablesWith(database)).toEqual([]);
  });

  const insert = (name: string, action: string) =>
    `INSERT INTO memories(name, type, situation, behavior, impact, action)
     VALUES ('${name}', 'feedback', 'When deploying the shop', 'By hand', 'It broke', '${action}');`;
  const pkOf = (database: string, name: string) =>
    shell(database, `SELECT pk FROM memories WHERE name = '${name}'`).trim();

  test('SY-27: a secret in the name of a row is shown and stored nowhere; the row is found by its number', () => {
    const { root, run, database, file } = home();
    run(['db', 'sync']);
    const names = [`feedback/${GITHUB_TOKEN}`, `feedback/x-${GITHUB_TOKEN}`] as const;
    shell(database, names.map((name) => insert(name, 'Use the pipeline')).join('\n'));
    const dry = run(['db', 'sync', '--dry-run', '--json']);
    saysNothing(dry, GITHUB_TOKEN);
    expect(dry.status).toBe(6);
    const ran = run(['db', 'sync']);
    expect(ran.status).toBe(6);
    expect(
      ran.stdout.match(/^quarantined {2}feedback\/(?:x-)?\[redacted:github-pat\] secret: the name/gm),
    ).toHaveLength(2);
    for (const words of [
      ['db', 'sync'],
      ['db', 'sync', '--json'],
      ['db', 'status'],
      ['db', 'status', '--json'],
      ['db', 'check'],
      ['db', 'check', '--json'],
      ['doctor'],
      ['doctor', '--json'],
      ['list', '--json'],
      ['query', 'deploying the shop', '--json', '--explain'],
      ['context', '--json'],
      ['show', names[0]],
      ['show', names[0], '--json'],
      ['forget', names[0]],
      ['edit', names[0], '--action', 'a'],
      ['history', names[0], '--json'],
      ['related', names[0], '--json'],
      ['outcome', names[0], 'followed', '--json'],
      ['pin', names[0], '--json'],
    ]) {
      saysNothing(run(words), GITHUB_TOKEN);
    }
    expect(tablesWith(database)).toEqual(['memories', 'memories']);
    expect(readdirSync(join(root, 'memory/feedback'))).toEqual([]);
    expect(run(['list']).stdout).not.toContain('deploying');
    expect(JSON.parse(run(['db', 'status', '--json']).stdout).pending).toEqual({ files: 0, rows: 0 });
    const [first, second] = names.map((name) => pkOf(database, name));
    expect(run(['db', 'check']).stdout).toContain(
      `"UPDATE memories SET name = 'feedback/NEW-NAME' WHERE pk = ${first}" (or DELETE FROM memories WHERE pk = ${first})`,
    );

    shell(
      database,
      `UPDATE memories SET name = 'feedback/a' WHERE pk = ${first}; DELETE FROM memories WHERE pk = ${second}`,
    );
    expect(run(['db', 'sync']).status).toBe(0);
    expect(readFileSync(file('feedback/a.toml'), 'utf8')).toContain('Use the pipeline');
    expect(run(['show', 'a']).status).toBe(0);
    expect(tablesWith(database)).toEqual([]);
    expect(leaksBelow(join(root, 'memory'), GITHUB_TOKEN)).toEqual([]);
  });

  test('SY-27: a known memory is not renamed to a secret, and its file stays', () => {
    const { run, put, database, file } = home();
    put('feedback/a.toml', feedbackText());
    run(['db', 'sync']);
    shell(database, `UPDATE memories SET name = 'feedback/${GITHUB_TOKEN}' WHERE name = 'feedback/a'`);
    for (const words of [
      ['db', 'sync'],
      ['db', 'sync', '--json'],
      ['db', 'status', '--json'],
      ['list', '--json'],
    ])
      saysNothing(run(words), GITHUB_TOKEN);
    expect(readdirSync(file('feedback'))).toEqual(['a.toml']);
    expect(new Set(tablesWith(database))).toEqual(new Set(['memories']));
  });

  test('SY-27: each command that needs a good row exits 6 and gives the statement that repairs it', () => {
    const { run, database } = home();
    run(['db', 'sync']);
    shell(database, insert('feedback/b', `Use ${GITHUB_TOKEN}`) + insert(`feedback/it''s`, ''));
    run(['db', 'sync']);
    const update = `sqlite3 "$(engram db path)" "UPDATE memories SET action = 'NEW TEXT' WHERE name = 'feedback/b'"`;
    const remove = `sqlite3 "$(engram db path)" "DELETE FROM memories WHERE name = 'feedback/b'"`;
    for (const words of [
      ['show', 'b'],
      ['forget', 'b'],
      ['edit', 'b', '--action', 'Use the pipeline'],
      ['pin', 'b'],
      ['unpin', 'b'],
      ['related', 'b'],
      ['outcome', 'b', 'followed'],
    ]) {
      const ran = run(words);
      expect([words[0], ran.status, ran.stderr]).toEqual([
        words[0],
        6,
        `engram: feedback/b: its row cannot be used: secret: action seems to hold a secret (github-pat); UPDATE the row\n  Run: ${update}; or: ${remove}; then: engram db sync\n`,
      ]);
    }
    const odd = run(['forget', `it's`]);
    expect([odd.status, odd.stderr]).toEqual([6, expect.stringContaining(`WHERE name = 'feedback/it''s'"`)]);
    const command = (odd.stderr.split('; or: ')[1] ?? '')
      .split('; then')[0]
      ?.replace('engram db path', `echo '${database}'`);
    expect(spawnSync('sh', ['-c', command ?? '']).status).toBe(0);
    shell(database, `UPDATE memories SET action = 'Use the pipeline' WHERE name = 'feedback/b'`);
    expect(run(['db', 'sync']).status).toBe(0);
    expect(run(['outcome', 'b', 'followed']).status).toBe(0);
  });

  test('SY-40: a count that went to the file does not wait for the row that holds a secret', () => {
    const { run, put, file, database } = home();
    put('feedback/a.toml', feedbackText());
    run(['db', 'sync']);
    shell(database, `UPDATE memories SET impact = 'With ${GITHUB_TOKEN}' WHERE name = 'feedback/a'`);
    run(['db', 'sync']);
    const ran = run(['outcome', 'a', 'followed']);
    expect([ran.status, ran.stdout]).toEqual([0, expect.stringMatching(/^counted followed for feedback\/a\n/)]);
    expect(ran.stdout).not.toContain('waits');
    expect(readFileSync(file('feedback/a.toml'), 'utf8')).toContain('followed_count = 1');
    const shown = run(['show', 'a']).stdout;
    expect(shown).toContain(
      `run: sqlite3 "$(engram db path)" "UPDATE memories SET impact = 'NEW TEXT' WHERE name = 'feedback/a'"; shown is the last good record`,
    );
  });
});

describe('names of files', () => {
  test('MF-23, SY-66: a file whose name is a secret is not pending after a sync, and doctor says to rename it', () => {
    const { root, run, put } = home();
    put(`feedback/${GITHUB_TOKEN}.toml`, feedbackText());
    put(`feedback/x-${GITHUB_TOKEN}.toml`, feedbackText({ action: '"Another"' }));
    const pending = () => JSON.parse(run(['db', 'status', '--json']).stdout).pending;
    expect(pending()).toEqual({ files: 2, rows: 0 });
    for (let round = 0; round < 3; round += 1) {
      expect(run(['db', 'sync']).status).toBe(6);
      expect(pending()).toEqual({ files: 0, rows: 0 });
    }
    const { findings } = JSON.parse(run(['doctor', '--json']).stdout);
    const about = findings.filter(({ kind }: { kind: string }) => kind === 'quarantined' || kind === 'not-synced');
    expect(about.map(({ kind, next }: { kind: string; next: string }) => [kind, next])).toEqual([
      ['quarantined', 'rename the file, then: engram db sync'],
      ['quarantined', 'rename the file, then: engram db sync'],
    ]);
    expect(leaksBelow(root, GITHUB_TOKEN).filter((path) => !path.startsWith('memory/'))).toEqual([]);
  });

  test('MF-4, MF-23: nor is one stored that is refused for another reason too', () => {
    const { root, run, put } = home();
    put('feedback/a.toml', feedbackText());
    put(`feedback/a.sync-conflict-20260402-100000-${GITHUB_TOKEN}.toml`, feedbackText({ action: '"Another"' }));
    put(`feedback/A-${GITHUB_TOKEN}.toml`, feedbackText());
    put(`feedback/a-${GITHUB_TOKEN}.toml`, feedbackText({ impact: '"Another"' }));
    for (let round = 0; round < 2; round += 1) {
      for (const words of [
        ['db', 'sync', '--json'],
        ['db', 'sync', '--dry-run'],
        ['db', 'status'],
        ['db', 'check'],
        ['doctor'],
        ['conflicts', 'list'],
      ]) {
        const ran = run(words);
        saysNothing(ran, GITHUB_TOKEN);
        if (words[1] === 'sync') expect(ran.status).toBe(6);
      }
    }
    expect(leaksBelow(root, GITHUB_TOKEN).filter((path) => !path.startsWith('memory/'))).toEqual([]);
  });
});
