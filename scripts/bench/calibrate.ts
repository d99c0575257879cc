/**
 * Fits the knots of `src/search/relevance.ts` and the floor of `surface` to all sets together (SE-34, SE-41, SE-66).
 *
 *   npm run bench -- calibrate [SET ...] [--data DIR] [--json]
 *
 * Prints constants to paste, what they change on every set (SE-42), and how constants that were fitted without a set do
 * on it. Changes nothing. Run it again after a change of arms or fusion, which it takes as they are.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EVIDENCE_KNOTS } from '../../src/search/relevance.ts';
import { aligned } from './bars/table.ts';
import { type Constants, currentConstants, type Effect, effectOn, fitConstants } from './calibrate/fit.ts';
import { type ObservedSet, observe, TABLES } from './calibrate/observed.ts';
import { openCachedEmbedder } from './retrieval/embedding-cache.ts';
import { progressOn } from './retrieval/progress.ts';
import { listSets, readSet } from './retrieval/sets.ts';
import type { Floors } from './retrieval/surface.ts';

/** The bundle runs from a directory directly below the project. */
const DEFAULT_DATA = fileURLToPath(new URL('../../shared/data/retrieval', import.meta.url));

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string', default: DEFAULT_DATA }, json: { type: 'boolean', default: false } },
  });
  const known = listSets(values.data);
  if (known === null || known.length === 0) {
    console.error(`no retrieval data in ${values.data}: nothing is fitted (--data DIR names another folder)`);
    return 3;
  }
  const sets = await observeAll(values.data, positionals.length > 0 ? positionals : known);
  const [before, after] = [currentConstants(), fitConstants(sets)];
  const effects = sets.map((set) => ({
    set: set.name,
    n: set.queries.length,
    no_match: set.noMatch.length,
    before: effectOn(set, before),
    after: effectOn(set, after),
    left_out: sets.length < 2 ? null : leftOut(set, sets),
  }));
  console.log(values.json ? JSON.stringify({ evidence: EVIDENCE_KNOTS, ...after, effects }, null, 1) : asText());
  return 0;

  function asText(): string {
    const names = [
      'auroc',
      'answeredNothing',
      'falseQuery',
      'falseSurface',
      'surfacedRight',
      'calibrationError',
    ] as const;
    const header = ['set', 'constants', 'floors', ...names];
    const rows = effects.flatMap((one) => {
      const row = (label: string, { floor, identifierFloor }: Floors, effect: Effect) => [
        one.set,
        label,
        `${floor.toFixed(2)} / ${identifierFloor.toFixed(2)}`,
        ...names.map((name) => shown(effect[name])),
      ];
      return [
        row('before', before, one.before),
        row('after', after, one.after),
        ...(one.left_out === null ? [] : [row('fitted without it', one.left_out, one.left_out)]),
      ];
    });
    return `${pasted(after)}\n\n${aligned([header, ...rows])}`;
  }
}

async function observeAll(data: string, names: readonly string[]): Promise<ObservedSet[]> {
  const embedder = openCachedEmbedder();
  const progress = progressOn(process.stderr);
  const sets: ObservedSet[] = [];
  try {
    for (const name of names) {
      const onProgress = (done: number, total: number) => progress.step(name, done, total);
      sets.push(await observe(readSet(data, name), { embedder, onProgress }));
    }
    progress.clear();
    return sets;
  } finally {
    await embedder.close();
  }
}

/** What a set gets from constants that never saw it. */
function leftOut(set: ObservedSet, sets: readonly ObservedSet[]): Effect & Floors {
  const { tables, ...floors } = fitConstants(sets.filter((other) => other !== set));
  return { ...effectOn(set, { tables, ...floors }), ...floors };
}

function pasted({ tables, floor, identifierFloor }: Constants): string {
  const rows = TABLES.map((table) => `  ${table}: [${tables[table].join(', ')}],`);
  return [
    `// at evidence ${EVIDENCE_KNOTS.join(', ')}`,
    'const RELEVANCE_KNOTS: Readonly<Record<KnotTable, readonly number[]>> = {',
    ...rows,
    '};',
    `export const SURFACE_FLOOR = ${floor};`,
    `export const IDENTIFIER_FLOOR = ${identifierFloor};`,
  ].join('\n');
}

function shown(value: number): string {
  return Number.isNaN(value) ? '-' : value.toFixed(3);
}

process.exitCode = await main();
