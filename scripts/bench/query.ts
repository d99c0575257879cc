/**
 * What an answer costs, each figure over a floor that is measured in the same run.
 *
 *   npm run bench -- query [--json]
 *
 * Whole processes of the built command over a bare Node, and the words arm in process over plain full text.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEngram } from '../../src/engram.ts';
import { runQuery } from '../../src/search/query.ts';
import { statement } from '../../src/store/statement.ts';
import { makeStore, note, temporaryDirectory } from './bars/made-store.ts';
import { type Measurement, report } from './bars/table.ts';
import { median, percentile, timed } from './bars/timing.ts';
import { createSource } from './synthetic.mjs';

/** The bundle runs from a directory directly below the project. */
const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = join(PROJECT, 'dist', 'engram.cjs');
const QUESTION = 'about to rename a public function while splitting a large component of the web console';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  });
  note('building the command');
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--code-only'], { cwd: PROJECT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the command cannot be built');
  const measurements = [await measureCold(2000, 3), await measureCold(10_000, 6.5), await measureWarm(10_000)];
  report('query', measurements, values);
}

const COLD_ROUNDS = 21;

async function measureCold(count: number, bar: number): Promise<Measurement> {
  note(`cold query, ${count} memories`);
  using directory = temporaryDirectory();
  const root = join(directory.path, 'store');
  await makeStore(root, count);
  const environment = cleanEnvironment(directory.path);
  const start = (args: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: PROJECT, env: environment });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  };
  const ask = () => start([COMMAND, 'query', '--data-dir', root, QUESTION]);
  start([COMMAND, 'db', 'sync', '--data-dir', root]);
  const [floors, figures]: [number[], number[]] = [[], []];
  for (let round = -2; round < COLD_ROUNDS; round++) {
    const floor = timed(() => start(['-e', '0']));
    const figure = timed(ask);
    if (round < 0) continue;
    floors.push(floor);
    figures.push(figure);
  }
  return {
    what: `cold engram query, ${count} memories`,
    figure: median(figures),
    floorName: 'node -e 0',
    floor: median(floors),
    unit: 'ms',
    bar,
  };
}

/** No settings of the caller, and no certificates, whose reading would be most of a bare start. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  mkdirSync(join(home, 'home'));
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('ENGRAM_') && !name.startsWith('XDG_') && !name.startsWith('NODE_'),
  );
  return { ...Object.fromEntries(kept), HOME: join(home, 'home') };
}

const QUESTIONS = 300;
const WARM_BAR = 4;

async function measureWarm(count: number): Promise<Measurement> {
  note(`warm query, ${count} memories`);
  using directory = temporaryDirectory();
  await makeStore(directory.path, count, { zipf: true });
  using engram = await openEngram({ root: directory.path, origin: 'bench' });
  await engram.sync();
  const { store } = engram.context;
  const bare = statement(
    store.db,
    'SELECT rowid, bm25(fts_prose) AS score FROM fts_prose WHERE fts_prose MATCH ? ORDER BY rank LIMIT 10',
  );
  const source = createSource({ seed: 2, zipf: true });
  const project = { name: null, aliases: [], paths: [], foundBy: 'none' };
  const [floors, figures]: [number[], number[]] = [[], []];
  for (let round = -20; round < QUESTIONS; round++) {
    const text = source.situation(12);
    const match = text
      .split(' ')
      .map((word) => `"${word}"`)
      .join(' OR ');
    const floor = timed(() => bare.all(match));
    const figure = timed(() => runQuery(store, { text, project }));
    if (round < 0) continue;
    floors.push(floor);
    figures.push(figure);
  }
  return {
    what: `warm query, ${count} memories, 12 terms, p95`,
    figure: percentile(figures, 0.95),
    floorName: 'bare FTS5 BM25 OR query, p95',
    floor: percentile(floors, 0.95),
    unit: 'ms',
    bar: WARM_BAR,
  };
}

await main();
