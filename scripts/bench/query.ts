/**
 * What an answer costs, each figure over a floor that is measured in the same run.
 *
 *   npm run bench -- query [--json] [--quick] [--profile]
 *
 * Whole processes of the built command over a bare Node; in process, the words arm over plain full text, and all arms over
 * words and a plain loop. Memories are made up. The model embeds the first of them; the vectors of the others are made from
 * those (`bars/made-vectors.ts`). `--quick` leaves out 100,000 memories, `--profile` says where a cold query's time goes.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEngram } from '../../src/engram.ts';
import { runQuery } from '../../src/search/query.ts';
import { statement } from '../../src/store/statement.ts';
import { measureCold } from './bars/cold-query.ts';
import { makeStore, note, temporaryDirectory } from './bars/made-store.ts';
import { type Measurement, report } from './bars/table.ts';
import { percentile, timed } from './bars/timing.ts';
import { measureWarmMeaning } from './bars/warm-meaning.ts';
import { createSource } from './synthetic.mjs';

/** The bundle runs from a directory directly below the project. */
const PROJECT = fileURLToPath(new URL('..', import.meta.url));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
    },
  });
  note('building the command');
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--code-only'], { cwd: PROJECT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the command cannot be built');
  const options = { project: PROJECT, profile: values.profile };
  const measurements = [
    ...(await measureCold(2000, { fresh: 4.5, known: 3.5 }, options)),
    ...(await measureCold(10_000, { fresh: 9, known: null }, options)),
    await measureWarm(10_000),
    ...(values.quick ? [] : [await measureWarmMeaning(100_000)]),
  ];
  report('query', measurements, values);
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
