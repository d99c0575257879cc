/**
 * How well the right memories are found (SE-62 to SE-67).
 *
 *   npm run bench -- retrieval [SET ...] [--data DIR] [--words] [--json]
 *
 * With --words the arms that need the model are left out. Reads sets from `../shared/data/retrieval`; without that folder it says so and exits 3.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBulk } from '../../src/search/embed/bulk.ts';
import { type ARMS, armFigures, policyFigures, reciprocalRanks, type SetTrials, tryOut } from './retrieval/measure.ts';
import { renderReport } from './retrieval/report.ts';
import { listSets, readSet } from './retrieval/sets.ts';
import { difference } from './retrieval/statistics.ts';

/** The bundle runs from a directory directly below the project. */
const DEFAULT_DATA = fileURLToPath(new URL('../../shared/data/retrieval', import.meta.url));

export type SetReport = ReturnType<typeof report>;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      words: { type: 'boolean', default: false },
    },
  });
  const data = values.data ?? DEFAULT_DATA;
  const known = listSets(data);
  if (known === null || known.length === 0) {
    console.error(`no retrieval data in ${data}: nothing is measured (--data DIR names another folder)`);
    return 3;
  }
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`no such set: ${unknown.join(', ')}; there are ${known.join(', ')}`);
    return 2;
  }
  const trials: SetTrials[] = [];
  const embedder = values.words ? null : openBulk(availableParallelism());
  for (const name of positionals.length > 0 ? positionals : known) {
    trials.push(await tryOut(readSet(data, name), embedder));
  }
  await embedder?.close();
  const sets = trials.map(report);
  if (trials.length > 1) sets.push(report(pooled(trials)));
  console.log(values.json ? JSON.stringify({ sets }, null, 1) : renderReport(sets));
  return 0;
}

function report(trials: SetTrials) {
  const { fused, baseline } = trials.arms;
  const hit5 = (of: typeof fused) => of.queries.map(({ firstRight }) => Number(firstRight !== null && firstRight <= 5));
  return {
    set: trials.name,
    n: fused.queries.length,
    no_match: fused.noMatch.length,
    fused: armFigures(fused),
    words: armFigures(trials.arms.words),
    meaning: armFigures(trials.arms.meaning),
    fine: armFigures(trials.arms.fine),
    baseline: armFigures(baseline),
    against_baseline: {
      mrr10: difference(reciprocalRanks(fused.queries), reciprocalRanks(baseline.queries)),
      hit5: difference(hit5(fused), hit5(baseline)),
    },
    policies: policyFigures(trials.policies),
  };
}

/** All sets as one, every query counted once. */
function pooled(all: readonly SetTrials[]): SetTrials {
  const together = <T>(pick: (trials: SetTrials) => readonly T[]): T[] => all.flatMap(pick);
  const arm = (name: (typeof ARMS)[number]) => ({
    queries: together((trials) => trials.arms[name].queries),
    noMatch: together((trials) => trials.arms[name].noMatch),
    forbidden: together((trials) => trials.arms[name].forbidden),
  });
  return {
    name: 'pooled',
    arms: {
      fused: arm('fused'),
      words: arm('words'),
      meaning: arm('meaning'),
      fine: arm('fine'),
      baseline: arm('baseline'),
    },
    policies: {
      querySilent: together((trials) => trials.policies.querySilent),
      falseQuery: together((trials) => trials.policies.falseQuery),
      falseSurface: together((trials) => trials.policies.falseSurface),
      rightSurface: together((trials) => trials.policies.rightSurface),
      latenciesMs: together((trials) => trials.policies.latenciesMs),
      bytes: together((trials) => trials.policies.bytes),
    },
  };
}

process.exitCode = await main();
