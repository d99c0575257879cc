import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock } from '../../src/files/lock.ts';
import { checkStore } from '../../src/sync/check.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { startChild } from '../support/child.ts';
import { runEngram, startEngram } from '../support/engram.ts';
import { databaseOf } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';
import { until, watchProcess } from '../support/watch-process.ts';
import { noteWhatWasSaid } from './acts.ts';
import { COUNTED_BY_SQL, createPromises, learntText, type Promised, type Promises } from './promises.ts';
import { type Random, seededRandom } from './random.ts';

export interface SoakOptions {
  readonly seconds: number;
  readonly memories: number;
  readonly seed: number;
}

/** How often each hand did what. */
export interface SoakReport {
  readonly writer: number;
  readonly cli: number;
  readonly shell: number;
  readonly editor: number;
  /** Commands that gave up because somebody else was busy; they promised nothing. */
  readonly busy: number;
  readonly openConflicts: number;
  /** From the last edit until the watchers had brought every change to the other side. */
  readonly convergedMs: number;
}

/** What every hand works on. */
interface Bench {
  readonly root: string;
  readonly random: Random;
  readonly promises: Promises;
  readonly names: readonly [string, ...string[]];
  isOver(): boolean;
  readonly did: Record<'cli' | 'shell' | 'editor' | 'busy', number>;
}

/**
 * Two watchers, a writer like an agent's, the command line, the sqlite3 shell and an editor work on one store at once.
 * Then everything must have come together, and no edit be lost.
 *
 * @returns what does not hold, and what was done
 */
export async function soak({
  seconds,
  memories,
  seed,
}: SoakOptions): Promise<{ broken: string[]; report: SoakReport }> {
  const root = mkdtempSync(join(tmpdir(), 'engram-soak-'));
  const names = Array.from({ length: memories }, (_, at) => `feedback/shared-${at}`) as [string, ...string[]];
  const store = await temporaryStore(root);
  for (const name of names) store.write(`${name}.toml`, feedbackText({ situation: `"When ${name} matters"`, ...ZERO }));
  store.sync();
  const env = { ENGRAM_EMBED_PROVIDER: 'none' };
  const watchers = [watchProcess(root, root, { env }), watchProcess(root, root, { env })];
  await Promise.all(watchers.map((watcher) => Promise.race([watcher.saw('mode'), watcher.saw('waiting')])));
  const endMs = Date.now() + seconds * 1000;
  const bench: Bench = {
    root,
    random: seededRandom(seed),
    promises: createPromises(),
    names,
    isOver: () => Date.now() >= endMs,
    did: { cli: 0, shell: 0, editor: 0, busy: 0 },
  };
  const script = bundleForChild(new URL('./children/write-until-killed.ts', import.meta.url));
  const writer = startChild(process.execPath, [script, root, 'writer', '1000000', '50', ...names]);
  const broken = (await Promise.all([useCommands(bench), useShell(bench), useEditor(bench)])).flat();
  writer.process.kill('SIGKILL');
  const { stdout, stderr } = await writer.end;
  if (stderr !== '') broken.push(`writer: ${stderr}`);
  noteWhatWasSaid(bench.promises, stdout);
  const stoppedMs = Date.now();
  const waiting = () => Number(store.sql('SELECT count(*) AS n FROM changes')[0]?.n);
  await until(() => waiting() === 0);
  const convergedMs = Date.now() - stoppedMs;
  for (const watcher of watchers) watcher.process.kill('SIGTERM');
  const ends = await Promise.all(watchers.map((watcher) => watcher.end));
  broken.push(...ends.filter((end) => end !== 0).map((end) => `a watcher ended with ${end}`));
  for (const event of watchers.flatMap((watcher) => watcher.events())) {
    // It waits for others only shortly, and tries again.
    const isFine = event.kind === 'failed' && (event.code === 'database.busy' || event.code === 'lock.timeout');
    if ((event.kind === 'looping' || event.kind === 'failed') && !isFine)
      broken.push(`a watcher: ${JSON.stringify(event)}`);
  }
  broken.push(...examine(bench, store));
  const openConflicts = Number(store.sql('SELECT count(*) AS n FROM conflicts WHERE resolution IS NULL')[0]?.n);
  store.context.store.close();
  if (broken.length === 0) rmSync(root, { recursive: true });
  else broken.push(`the store is left in ${root}`);
  const written = stdout.split('\n').filter((line) => line.startsWith('=')).length;
  return { broken, report: { writer: written, ...bench.did, openConflicts, convergedMs } };
}

const ZERO = { surfaced_count: '0', followed_count: '0', not_followed_count: '0' };

function examine({ root, promises }: Bench, store: TestStore): string[] {
  const synced = runEngram(root, ['db', 'sync', '--data-dir', root, '--json'], {
    env: { ENGRAM_EMBED_PROVIDER: 'none' },
  });
  const again = store.sync();
  return [
    // 1 says that there are open conflicts, as there may be.
    ...(synced.status === 0 || synced.status === 1 ? [] : [`sync ended with ${synced.status}: ${synced.stderr}`]),
    ...promises.broken(store),
    ...again.steps.map(({ action, name }) => `the second sync: ${action} ${name}`),
    ...again.unfinished.map(({ name, reason }) => `not finished: ${name}, ${reason}`),
    ...checkStore(store.context)
      // A writer was killed; what it left is swept a minute later.
      .filter(({ kind }) => kind !== 'temp-file')
      .map(({ kind, subject, message }) => `check: ${kind} ${subject}: ${message}`),
  ];
}

/**
 * Every other time one of a few, so that hands meet. None that this hand had lately: of two saves in a row, nobody but
 * the hand itself has seen the first one.
 */
function nameFor({ random, names }: Bench, lately: string[]): string {
  for (;;) {
    const name = names[random.below(random.fraction() < 0.5 ? Math.min(names.length, 50) : names.length)] ?? names[0];
    if (lately.includes(name)) continue;
    lately.push(name);
    if (lately.length > LATELY) lately.shift();
    return name;
  }
}

const LATELY = 30;

async function useCommands(bench: Bench): Promise<string[]> {
  const { root, random, promises, did } = bench;
  const broken: string[] = [];
  const lately: string[] = [];
  for (let at = 0; !bench.isOver(); at += 1) {
    const key = `cli-${at}`;
    const name = nameFor(bench, lately);
    const text = `Edited by ${key}`;
    const [args, write] = random.pick<readonly [readonly string[], Promised | null]>([
      [['outcome', name, 'followed', '--key', key], { kind: 'count', key, name, counter: 'followed' }],
      [['edit', name, '--action', text], { kind: 'edit', name, text }],
      [['learn', 'feedback', '--everywhere', '--keep-both', ...draftOptions(key)], { kind: 'learn', key }],
      [['query', `what when ${name} matters`], null],
      [['db', 'sync'], null],
    ]);
    if (write !== null) promises.begin(write);
    const env = { ENGRAM_EMBED_PROVIDER: 'none' };
    const { status, stderr } = await startEngram(root, [...args, '--data-dir', root, '--json'], { env }).end;
    did.cli += 1;
    if (status === 0 && write !== null) promises.keep(write);
    if (status === 5) did.busy += 1;
    const isFine = status === 0 || status === 5 || (args[0] === 'db' && status === 1);
    if (!isFine) broken.push(`${args.join(' ')} ended with ${status}: ${stderr}`);
  }
  return broken;
}

function draftOptions(key: string): string[] {
  const texts = { situation: `When ${key} comes up`, behavior: `${key} was done`, impact: 'it broke' };
  return Object.entries({ ...texts, action: learntText(key) }).flatMap(([field, text]) => [`--${field}`, text]);
}

async function useShell(bench: Bench): Promise<string[]> {
  const { root, random, promises, did } = bench;
  const broken: string[] = [];
  const lately: string[] = [];
  for (let at = 0; !bench.isOver(); at += 1) {
    const text = `Of SQL ${at}`;
    const name = at % 10 === 9 ? `feedback/of-sql-${at}` : nameFor(bench, lately);
    const column = random.pick(['impact', 'impact', 'action']);
    const counter = `${COUNTED_BY_SQL}_count`;
    const statement =
      at % 10 === 9
        ? `INSERT INTO memories(name, situation, behavior, impact, action) VALUES ('${name}', 'When ${at}', 'b', '${text}', 'a');`
        : `UPDATE memories SET ${column} = '${text}', ${counter} = ${counter} + 1 WHERE name = '${name}';`;
    const { status, stderr } = await startChild('sqlite3', ['-bail', databaseOf(root), '.timeout 10000', statement])
      .end;
    did.shell += 1;
    if (status !== 0) broken.push(`sqlite3: ${stderr}`);
    promises.done({ kind: 'edit', name, text });
    if (at % 10 !== 9) promises.done({ kind: 'sql-count', name });
    await pause(random.below(300));
  }
  return broken;
}

/** Saves whole texts, some of which were read a while ago. The save itself is under the lock: only that is atomic. */
async function useEditor(bench: Bench): Promise<string[]> {
  const { root, random, promises, did } = bench;
  const lately: string[] = [];
  for (let at = 0; !bench.isOver(); at += 1) {
    const name = nameFor(bench, lately);
    const file = join(root, 'memory', `${name}.toml`);
    const key = random.pick(['behavior', 'behavior', 'action']);
    const text = `By hand ${at}`;
    const opened = readFileSync(file, 'utf8');
    await pause(random.pick([0, 0, random.below(2000)]));
    const saved = opened.replace(new RegExp(`^${key} = .*`, 'm'), `${key} = "${text}"`);
    {
      using _lock = acquireLock(file);
      writeFileSync(`${file}.swp`, saved);
      renameSync(`${file}.swp`, file);
    }
    promises.done({ kind: 'edit', name, text });
    did.editor += 1;
    await pause(random.below(300));
  }
  return [];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
