import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heartbeatPath, readHeartbeat } from '../../src/files/heartbeat.ts';
import { createHints } from '../../src/sync/hints.ts';
import { storeStatus } from '../../src/sync/status.ts';
import { watchDirectories } from '../../src/sync/watch-directories.ts';
import { shell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';
import { filteredHints, watched } from '../support/watch-store.ts';

const isProbe = (path: string) => path.includes('.engram-tmp-');

/** Something that the watch does after everything that was hinted at before. */
async function settled(store: TestStore, watch: Awaited<ReturnType<typeof watched>>, mark: string): Promise<void> {
  store.write(`facts/${mark}.toml`, factText(mark));
  await watch.until(() => watch.done().some((step) => step.endsWith(`facts/${mark}`)));
}

const factText = (object: string) =>
  `schema_version = 1\ntype = "fact"\nsituation = "When asked"\n\n[content]\nsubject = "it"\npredicate = "is"\nobject = "${object}"\n`;

test('SY-51: a path is due when it was quiet for 150 ms, or 2 s after its first hint', () => {
  const hints = createHints();
  hints.add('a', 1000);
  hints.add('b', 1100);
  expect(hints.nextDueMs()).toBe(1150);
  expect(hints.takeDue(1149)).toEqual([]);
  expect(hints.takeDue(1150)).toEqual(['a']);
  for (let now = 1100; now < 3100; now += 100) hints.add('b', now);
  expect(hints.takeDue(3099)).toEqual([]);
  expect(hints.takeDue(3100)).toEqual(['b']);
  expect(hints.nextDueMs()).toBeNull();
});

test('SY-51, SY-56: an edit of a file reaches the row, an edit of the row reaches the file', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  await using watch = await watched(store);
  store.write('feedback/m.toml', feedbackText({ action: '"Do that"' }));
  await watch.until(() => store.row('feedback/m')?.action === 'Do that');
  shell(join(store.root, 'engram.db'), `UPDATE memories SET impact = 'It broke' WHERE name = 'feedback/m';`);
  await watch.until(() => store.read('feedback/m.toml').includes('impact = "It broke"'));
  expect(watch.done()).toEqual(['import feedback/m', 'export feedback/m']);
});

test('SY-5, SY-56: a clock that is set back by an hour delays neither rows nor files, nor a deletion', async () => {
  using store = await temporaryStore();
  for (const name of ['m', 'gone']) store.write(`feedback/${name}.toml`, feedbackText({ situation: `"When ${name}"` }));
  store.sync();
  await using watch = await watched(store);
  store.advance(-3_600_000);
  shell(join(store.root, 'engram.db'), `UPDATE memories SET impact = 'It broke' WHERE name = 'feedback/m';`);
  await watch.until(() => store.read('feedback/m.toml').includes('impact = "It broke"'));
  store.write('feedback/m.toml', feedbackText({ action: '"Do that"' }));
  await watch.until(() => store.row('feedback/m')?.action === 'Do that');
  store.remove('feedback/gone.toml');
  await watch.until(() => store.row('feedback/gone') === undefined);
});

test('SY-28, SY-51: a new file, a renamed one and one that is gone are told apart', async () => {
  using store = await temporaryStore();
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  await using watch = await watched(store);
  store.write('feedback/a.toml', feedbackText());
  await watch.until(() => store.row('feedback/a') !== undefined);
  const { pk } = store.row('feedback/a') ?? {};
  renameSync(store.at('feedback/a.toml'), store.at('feedback/b.toml'));
  await watch.until(() => store.row('feedback/b') !== undefined);
  expect(store.row('feedback/b')).toMatchObject({ pk });
  store.remove('feedback/b.toml');
  await watch.until(() => store.row('feedback/b') === undefined);
  expect(watch.done()).toEqual(['import feedback/a', 'rename feedback/a', 'archive feedback/b']);
});

test('SY-52: what changes between the start of the watch and the first look is taken in', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  await using watch = await watched(store, {
    watchDirectories: (paths, onHint, onFailure) => {
      const directories = watchDirectories(paths, onHint, onFailure);
      const ready = directories.ready.then(() =>
        store.write('feedback/m.toml', feedbackText({ action: '"At the last moment"' })),
      );
      return { ...directories, ready };
    },
  });
  expect(store.row('feedback/m')).toMatchObject({ action: 'At the last moment' });
  expect(watch.done()).toEqual(['import feedback/m']);
});

test('SY-53: what no event told is found by the full scan', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  await using watch = await watched(store, { watchDirectories: filteredHints(isProbe) });
  store.write('feedback/m.toml', feedbackText({ action: '"Unseen"' }));
  store.advance(31_000);
  await watch.until(() => store.row('feedback/m')?.action === 'Unseen');
});

test('SY-53: once a day every file is read, whatever its signature says', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  await using watch = await watched(store, { watchDirectories: filteredHints(isProbe) });
  store.advance(60_000);
  store.write('feedback/m.toml', feedbackText({ action: '"Behind its back"' }));
  // As a file system would that tells nothing: the base claims to have seen these very times.
  const { mtimeMs, ctimeMs, ino, size } = await import('node:fs').then(({ statSync }) =>
    statSync(store.at('feedback/m.toml')),
  );
  store.sql('UPDATE bases SET mtime_ms = ?, ctime_ms = ?, ino = ?, size_bytes = ?', mtimeMs, ctimeMs, ino, size);
  store.sql('UPDATE bases SET read_at_ms = ?', ctimeMs + 1_000_000);
  store.advance(31_000);
  await settled(store, watch, 'after-a-scan').catch(() => {});
  expect(store.row('feedback/m')).not.toMatchObject({ action: 'Behind its back' });
  store.advance(25 * 3600 * 1000);
  await watch.until(() => store.row('feedback/m')?.action === 'Behind its back');
}, 60_000);

test('SY-54, S26: events that do not arrive are found out, said once, and replaced by a scan every 2 s', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  await using watch = await watched(store, { watchDirectories: filteredHints(() => false) });
  expect(watch.events.filter(({ kind }) => kind === 'mode')).toMatchObject([
    { mode: 'degraded', reason: 'self-test failed' },
  ]);
  store.write('feedback/m.toml', feedbackText({ action: '"Found by looking"' }));
  await watch.until(() => store.row('feedback/m')?.action === 'Found by looking');
  expect(readHeartbeat(heartbeatPath(store.root), Date.now())).toMatchObject({
    mode: 'degraded',
    selfTest: { passed: false },
  });
});

test.each(['EMFILE', 'ENOSPC'])(
  'SY-54, S31: %s is one line and the slower mode; ten minutes later it is tried again',
  async (code) => {
    using store = await temporaryStore();
    store.write('feedback/m.toml', feedbackText());
    await using watch = await watched(store, {
      watchDirectories: (paths, onHint, onFailure) => {
        const directories = watchDirectories(paths, onHint, onFailure);
        return { ...directories, ready: Promise.reject(new Error(code)) };
      },
    });
    expect(watch.events.filter(({ kind }) => kind === 'mode')).toMatchObject([{ mode: 'degraded', reason: code }]);
    store.write('feedback/m.toml', feedbackText({ action: '"Found by looking"' }));
    await watch.until(() => store.row('feedback/m')?.action === 'Found by looking');
    store.advance(601_000);
    await watch.until(() => watch.events.some((event) => event.kind === 'mode' && event.mode === 'live'));
  },
);

test('SY-55: the heartbeat says who watches and how; it is gone afterwards', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  const watch = await watched(store);
  const heartbeat = readHeartbeat(heartbeatPath(store.root), Date.now());
  expect(heartbeat).toMatchObject({ pid: process.pid, command: 'test', mode: 'live', selfTest: { passed: true } });
  expect(heartbeat?.ageMs).toBeLessThan(3000);
  expect(storeStatus(store.context).watcher).toMatchObject({ pid: process.pid, mode: 'live' });
  utimesSync(heartbeatPath(store.root), 1, 1);
  await watch.until(() => (readHeartbeat(heartbeatPath(store.root), Date.now())?.ageMs ?? 1e9) < 3000);
  await watch.stop();
  expect(storeStatus(store.context).watcher).toBeNull();
});

test.each([
  '',
  'null',
  '{}',
  '[1]',
  '{"pid":"1"}',
  '\u0000',
  '{"pid":1,"command":"x","mode":"asleep","selfTest":null}',
])('SY-55: a heartbeat that reads %j is none', async (text) => {
  using store = await temporaryStore();
  writeFileSync(heartbeatPath(store.root), text);
  expect(readHeartbeat(heartbeatPath(store.root), Date.now())).toBeNull();
  expect(storeStatus(store.context).watcher).toBeNull();
});

test('SY-44: a file that somebody changes back each time is left alone for ten minutes', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.write('feedback/n.toml', feedbackText({ situation: '"When n"' }));
  await using watch = await watched(store);
  const set = (action: string) =>
    shell(join(store.root, 'engram.db'), `UPDATE memories SET action = '${action}' WHERE name = 'feedback/m';`);
  for (let round = 1; round <= 11; round += 1) {
    set(`Round ${round}`);
    await watch.until(() => store.read('feedback/m.toml').includes(`"Round ${round}"`));
  }
  await watch.until(() => watch.events.some(({ kind }) => kind === 'looping'));
  expect(watch.events.filter(({ kind }) => kind === 'looping')).toEqual([{ kind: 'looping', name: 'feedback/m' }]);
  expect(storeStatus(store.context).looping).toEqual(['feedback/m']);
  set('Not written');
  // The others are written, and what its file says is taken in.
  shell(join(store.root, 'engram.db'), `UPDATE memories SET action = 'Of n' WHERE name = 'feedback/n';`);
  await watch.until(() => store.read('feedback/n.toml').includes('"Of n"'));
  store.write('feedback/m.toml', store.read('feedback/m.toml').replace(/impact = .*/, 'impact = "Taken in"'));
  await watch.until(() => store.row('feedback/m')?.impact === 'Taken in');
  expect(store.read('feedback/m.toml')).not.toContain('Not written');
  store.advance(601_000);
  await watch.until(() => store.read('feedback/m.toml').includes('"Not written"'));
  expect(storeStatus(store.context).looping).toEqual([]);
});

test('SY-42, X01: an unparsable file is parsed once and named once, until it changes', async () => {
  using store = await temporaryStore();
  store.write('feedback/good.toml', feedbackText());
  store.write('feedback/bad.toml', 'situation = "no end\n');
  await using watch = await watched(store);
  const named = () => watch.events.filter((event) => event.kind === 'quarantined');
  expect(named()).toMatchObject([{ path: 'feedback/bad.toml', reason: 'syntax' }]);
  const tries = () => store.sql(`SELECT tries FROM quarantine WHERE path = 'feedback/bad.toml'`);
  // Once more when it is old enough for its signature to prove something.
  store.advance(60_000);
  await settled(store, watch, 'first-minute');
  const before = tries();
  for (let minute = 0; minute < 10; minute += 1) {
    store.advance(60_000);
    await settled(store, watch, `minute-${minute}`);
  }
  expect(named()).toHaveLength(1);
  expect(tries()).toEqual(before);
  store.write('feedback/bad.toml', 'situation = \n\n');
  await watch.until(() => named().length === 2);
  store.write('feedback/bad.toml', feedbackText({ situation: '"When mended"' }));
  await watch.until(() => store.row('feedback/bad') !== undefined);
  expect(watch.events).toContainEqual({ kind: 'released', path: 'feedback/bad.toml' });
});

test('SY-64, S39: a database that is replaced under the watch is opened anew and compared', async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  const database = join(store.root, 'engram.db');
  shell(database, `VACUUM INTO '${join(store.root, 'copy.db')}';`);
  store.write('feedback/m.toml', feedbackText({ action: '"Newer than the copy"' }));
  store.sync();
  const opened: TestStore[] = [];
  const watch = await watched(store, {
    reopen: async () => {
      const again = await temporaryStore(store.root);
      opened.push(again);
      return again.context;
    },
  });
  for (const end of ['', '-wal', '-shm']) renameSync(`${database}${end}`, `${database}.old${end}`);
  renameSync(join(store.root, 'copy.db'), database);
  await watch.until(() => watch.events.some(({ kind }) => kind === 'reopened'));
  await watch.until(() => opened[0]?.row('feedback/m')?.action === 'Newer than the copy');
  expect(store.read('feedback/m.toml')).toBe(feedbackText({ action: '"Newer than the copy"' }));
  await watch.stop();
  opened[0]?.context.store.close();
  rmSync(join(store.root, 'engram.db.old'), { force: true });
});
