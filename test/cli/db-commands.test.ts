import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN, type Ran, runEngram } from '../support/engram.ts';
import { git } from '../support/git.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Home {
  readonly root: string;
  readonly db: (...args: readonly string[]) => Ran;
  readonly write: (path: string, text: string) => void;
}

/** A home with a store of two memories that were synced. */
function home(): Home {
  const directory = temporaryDirectory();
  const root = join(directory, '.local/share/engram');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, 'memory', path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, 'memory', path), text, { mode: 0o600 });
  };
  const db = (...args: readonly string[]) => runEngram(directory, ['db', ...args]);
  write('feedback/a.toml', feedbackText());
  write('feedback/b.toml', feedbackText({ action: '"another"' }));
  expect(db('sync').status).toBe(0);
  return { root, db, write };
}

const json = ({ stdout }: Ran) => JSON.parse(stdout) as Record<string, unknown>;

describe('SY-66, SY-67: db status', () => {
  test('is 0 whatever it says, and says the same in text and JSON', () => {
    const { db, write } = home();
    write('feedback/a.toml', 'situation = "\n');
    expect(db('sync').status).toBe(6);
    write('feedback/b.toml', feedbackText({ action: '"pending"' }));
    const text = db('status');
    expect(text.status).toBe(0);
    expect(text.stdout).toMatch(/^pending +1 files, 0 rows$/m);
    expect(text.stdout).toMatch(/^quarantined {2}feedback\/a\.toml:1:\d+ syntax/m);
    expect(text.stdout).toContain('next: engram db sync\n');
    expect(json(db('status', '--json'))).toMatchObject({
      pending: { files: 1, rows: 0 },
      quarantined: [{ side: 'file', path: 'feedback/a.toml', line: 1, reason: 'syntax' }],
      open_conflicts: 0,
      index: { lag: 0, orphans: 0 },
    });
  });
});

describe('SY-67, SY-68, SY-69: db check and db repair', () => {
  test('clean: 0; a finding: 1, repaired with a backup; nothing left: 0', () => {
    const { root, db } = home();
    expect(db('check')).toMatchObject({ status: 0, stdout: 'clean\n' });
    expect(db('repair')).toMatchObject({ status: 0, stdout: 'nothing to repair\n' });
    shell(databaseOf(root), `DELETE FROM memories WHERE name = 'feedback/a'; DELETE FROM changes;`);
    const found = db('check');
    expect(found.status).toBe(1);
    expect(found.stdout).toMatch(/^row-lost +feedback\/a /m);
    expect(found.stdout).toContain('next: engram db repair\n');
    expect(json(db('check', '--json'))).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ kind: 'row-lost', subject: 'feedback/a', remedy: 'repair' }),
      ]),
    });
    const repaired = db('repair');
    expect(repaired.status).toBe(0);
    expect(repaired.stdout).toMatch(/^repaired +row-lost +feedback\/a$/m);
    expect(readdirSync(join(root, 'backups'))).toHaveLength(1);
    expect(db('check').status).toBe(0);
  });

  test('SY-32: --undo-held brings back what is held', () => {
    const { root, db } = home();
    rmSync(join(root, 'memory/feedback'), { recursive: true });
    mkdirSync(join(root, 'memory/feedback'), { mode: 0o700 });
    expect(db('sync').status).toBe(1);
    expect(db('status').stdout).toMatch(/^held {2}feedback\/a: its file is missing/m);
    const undone = db('repair', '--undo-held');
    expect(undone.stdout).toMatch(/^brought back +file +feedback\/a$/m);
    expect(undone.status).toBe(0);
    expect(readFileSync(join(root, 'memory/feedback/a.toml'), 'utf8')).toBe(feedbackText());
    expect(json(db('status', '--json'))).toMatchObject({ holds: [], pending: { files: 0, rows: 0 } });
  });
});

describe('SY-63: a damaged database, from the command line', () => {
  test('each command says so with exit 6 and writes nothing; db rebuild builds anew and names what is gone', () => {
    const { root, db } = home();
    for (const suffix of ['-wal', '-shm']) rmSync(`${databaseOf(root)}${suffix}`, { force: true });
    writeFileSync(databaseOf(root), Buffer.alloc(10_000, 'rubbish '));
    for (const command of ['status', 'check', 'sync', 'repair', 'backup']) {
      const ran = db(command);
      expect([command, ran.status, ran.stdout]).toEqual([command, 6, '']);
      expect(ran.stderr).toMatch(/^engram: the database is damaged: .*\n {2}Run: engram db rebuild.*\n$/);
    }
    expect(readdirSync(root).sort()).toEqual(['engram.db', 'memory', 'open.lock']);
    expect(readFileSync(databaseOf(root)).equals(Buffer.alloc(10_000, 'rubbish '))).toBe(true);
    const rebuilt = db('rebuild');
    expect(rebuilt.status).toBe(0);
    expect(rebuilt.stdout).toContain('a new database with 2 memories\n');
    expect(rebuilt.stdout).toContain('only the old database held:\n');
    expect(db('check')).toMatchObject({ status: 0, stdout: 'clean\n' });
  });

  test('of a readable one it keeps what only the database holds', () => {
    const { root, db } = home();
    shell(databaseOf(root), `DELETE FROM memories WHERE name = 'feedback/a';`);
    expect(db('sync').status).toBe(0);
    const rebuilt = db('rebuild', '--json');
    expect(rebuilt.status).toBe(0);
    expect(json(rebuilt)).toMatchObject({ kind: 'refilled', memories: 1, kept_in_history: [], lost: [] });
    expect(shell(databaseOf(root), 'SELECT name FROM archive;')).toBe('feedback/a\n');
  });
});

describe('db backup', () => {
  test('SY-13: prints the path of a whole copy that its owner alone can read; the newest 5 stay', () => {
    const { root, db } = home();
    const paths = Array.from({ length: 6 }, () => db('backup').stdout.trim());
    expect(shell(paths.at(-1) ?? '', 'SELECT count(*) FROM memories; PRAGMA integrity_check;')).toBe('2\nok\n');
    expect(statSync(paths.at(-1) ?? '').mode & 0o777).toBe(0o600);
    expect(paths.map((path) => existsSync(path))).toEqual([false, true, true, true, true, true]);
    expect(readdirSync(join(root, 'backups'))).toHaveLength(5);
    expect(json(db('backup', '--json'))).toEqual({ path: expect.stringContaining(join(root, 'backups')) });
  });
});

test('MF-9: the next sync sweeps the temp file of a killed process once it is older than a minute', () => {
  const { root, db, write } = home();
  const dead = spawnSync('true').pid;
  const temp = (pid: number | undefined) => `feedback/.engram-tmp-${pid}-0123456789abcdef`;
  write(temp(dead), 'half');
  write(temp(process.pid), 'half');
  const there = (pid: number | undefined) => existsSync(join(root, 'memory', temp(pid)));
  db('sync');
  expect(there(dead)).toBe(true);
  // Its age is told by ctime, which nobody can set: the clock of the sync goes ahead instead.
  const ahead = join(root, 'ahead.cjs');
  writeFileSync(ahead, 'const now = Date.now; Date.now = () => now() + 61_000;');
  const ran = runEngram(join(root, '../../..'), ['db', 'sync'], { env: { NODE_OPTIONS: `--require ${ahead}` } });
  expect(ran.status).toBe(0);
  expect([there(dead), there(process.pid)]).toEqual([false, true]);
});

describe('SY-67: what db sync says in words', () => {
  test('SY-19: an older copy of a file put over it: what was kept, and where the older text is', () => {
    const { root, db, write } = home();
    const newer = feedbackText({ action: '"newer"', updated_at: '"2026-05-01T00:00:00Z"' });
    write('feedback/a.toml', newer);
    expect(db('sync').status).toBe(0);
    const older = `# an old copy\n${feedbackText()}`;
    write('feedback/a.toml', older);
    const kept = () =>
      shell(databaseOf(root), `SELECT count(*) FROM history WHERE CAST(bytes AS TEXT) LIKE '# an old copy%';`);
    expect(db('sync').stdout).toMatch(
      /^merge +feedback\/a +an older version of feedback\/a was saved; what came since was kept: engram history feedback\/a$/m,
    );
    expect(readFileSync(join(root, 'memory/feedback/a.toml'), 'utf8')).toBe(`# an old copy\n${newer}`);
    expect(kept()).toBe('1\n');
    write('feedback/a.toml', older);
    db('sync');
    expect(kept()).toBe('1\n');
    write('feedback/a.toml', feedbackText({ updated_at: '"2026-05-02T00:00:00Z"' }));
    db('sync');
    expect(readFileSync(join(root, 'memory/feedback/a.toml'), 'utf8')).not.toContain('newer');
  });

  test('SY-19: the same older copy put there by git is taken as it is, lower counts and all', () => {
    const { root, db, write } = home();
    const memory = join(root, 'memory');
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['commit', '-qm', 'start'],
    ])
      git(memory, ...args);
    write('feedback/a.toml', feedbackText({ action: '"newer"', surfaced_count: '9' }));
    expect(db('sync').stdout).toMatch(/^import +feedback\/a /m);
    git(memory, 'checkout', '-q', '--', 'feedback/a.toml');
    expect(db('sync').stdout).toMatch(/^import +feedback\/a +the file changed$/m);
    expect(readFileSync(join(memory, 'feedback/a.toml'), 'utf8')).toBe(feedbackText());
    const row = shell(databaseOf(root), `SELECT surfaced_count FROM memories WHERE name = 'feedback/a';`);
    expect([row, git(memory, 'status', '--porcelain')]).toEqual(['6\n', '']);
  });

  test('held deletions once, with a plain reason', () => {
    const { root, db } = home();
    rmSync(join(root, 'memory/feedback'), { recursive: true });
    mkdirSync(join(root, 'memory/feedback'), { mode: 0o700 });
    for (let again = 0; again < 2; again += 1) {
      const { stdout } = db('sync');
      expect(stdout.split('feedback/a')).toHaveLength(2);
      expect(stdout).toMatch(/^held {2}2 deletions \(the whole directory was replaced\): feedback\/a, feedback\/b$/m);
    }
  });

  test('a line break in a file name breaks no line; a long name does not push the others away', () => {
    const { db, write } = home();
    write('feedback/x\ny.toml', feedbackText());
    write(`feedback/${'l'.repeat(150)}.toml`, feedbackText({ action: '"long"' }));
    for (const command of ['check', 'sync', 'status']) expect(db(command).stdout).not.toMatch(/^y/m);
    expect(db('status').stdout).toContain('feedback/x\\ny.toml');
    write('feedback/a.toml', feedbackText({ action: '"pending"' }));
    write(`feedback/${'l'.repeat(150)}.toml`, feedbackText({ action: '"longer"' }));
    expect(db('check').stdout).toMatch(/feedback\/a {1,50}its file/);
  });
});

describe.skipIf(process.getuid?.() !== 0)('SY-67: permissions', () => {
  const asNobody = (root: string, ...args: readonly string[]) => {
    for (let path = dirname(root); path.length > tmpdir().length; path = dirname(path)) chmodSync(path, 0o755);
    return spawnSync(
      'setpriv',
      ['--reuid=65534', '--clear-groups', process.execPath, BIN, '--data-dir', root, ...args],
      {
        cwd: '/',
        env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
        encoding: 'utf8',
      },
    );
  };
  const readable = (root: string) => execFileSync('chmod', ['-R', 'go+rX', root]);

  test('SY-59: db sync of a read-only root says that nothing was stored', () => {
    const { root } = home();
    readable(root);
    const text = asNobody(root, 'db', 'sync');
    expect(text).toMatchObject({
      status: 0,
      stdout: '2 files checked, read-only: compared with an index in memory, nothing was stored\n',
    });
    expect(JSON.parse(asNobody(root, 'db', 'sync', '--json').stdout)).toMatchObject({ read_only: true });
  });

  test.each([
    ['db', 'sync'],
    ['db', 'status'],
    ['db', 'check'],
    ['query', 'adding a column'],
    ['list'],
    ['context'],
    ['show', 'a'],
  ])('SY-29: a root or memory/ that cannot be read is an error, never an empty store: %s %s', (...command) => {
    const { root } = home();
    readable(root);
    for (const path of [root, join(root, 'memory')]) {
      chmodSync(path, 0o000);
      const ran = asNobody(root, ...command);
      expect(ran).toMatchObject({ status: 1, stdout: '' });
      expect(ran.stderr).toContain(`engram: ${path} cannot be read: permission denied\n`);
      chmodSync(path, 0o755);
    }
  });

  test('SY-59: of a database that cannot be written the message names the database', () => {
    const { root } = home();
    execFileSync('chown', ['-R', '65534', root]);
    execFileSync('chown', ['0', databaseOf(root)]);
    chmodSync(databaseOf(root), 0o444);
    const ran = asNobody(root, 'db', 'backup');
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain(`engram: the database ${databaseOf(root)} cannot be written\n`);
  });

  test('SY-67: a directory that cannot be written is exit 1 with its path, not "try again"', () => {
    const { root } = home();
    shell(databaseOf(root), `UPDATE memories SET impact = 'by SQL' WHERE name = 'feedback/a';`);
    execFileSync('chown', ['-R', '65534', root]);
    execFileSync('chmod', ['-R', '555', join(root, 'memory')]);
    const ran = asNobody(root, 'db', 'sync');
    expect(ran.stdout).toMatch(/^unwritable {2}feedback\/a: .*memory\/feedback\/a\.toml.*EACCES.*permissions$/m);
    expect(ran.stdout).not.toContain('again');
    expect(ran.status).toBe(1);
    expect(JSON.parse(asNobody(root, 'db', 'sync', '--json').stdout)).toMatchObject({
      unwritable: [{ name: 'feedback/a' }],
      unfinished: [],
    });
  });
});

describe.skipIf(process.getuid?.() !== 0)('SY-59: a root that cannot be written', () => {
  test('status says read_only and unknown; what would write refuses; nothing changes', () => {
    const { root } = home();
    const directory = join(root, '../../..');
    for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const isDirectory = statSync(join(directory, path)).isDirectory();
      chmodSync(join(directory, path), isDirectory ? 0o755 : 0o644);
    }
    chmodSync(directory, 0o755);
    const before = readdirSync(root).map((name) => [name, statSync(join(root, name)).mtimeMs]);
    const asNobody = (...args: readonly string[]) =>
      spawnSync('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, BIN, '--data-dir', root, ...args], {
        cwd: '/',
        env: { PATH: process.env.PATH ?? '', HOME: directory },
        encoding: 'utf8',
      });
    const status = asNobody('db', 'status');
    expect(status.stdout).toMatch(/^degraded {2}read_only/m);
    expect(status.stdout).toMatch(/^feedback +2 files, unknown rows$/m);
    for (const command of ['repair', 'rebuild', 'backup']) {
      const ran = asNobody('db', command, '--json');
      expect([command, ran.status]).toEqual([command, 1]);
      expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'data-root.read-only' } });
    }
    expect(readdirSync(root).map((name) => [name, statSync(join(root, name)).mtimeMs])).toEqual(before);
  });
});
