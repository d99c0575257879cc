/**
 * How well the right memories are found (SE-62 to SE-69).
 *
 *   npm run bench -- retrieval [SET ...] [--data DIR] [--words] [--crowded] [--neutral] [--gate] [--json]
 *     [--plot FILE] [--page FILE]
 *
 * Reads sets from `../shared/data/retrieval`; without that folder it says so and exits 3. `--words` leaves out the arms
 * that need the model. `--crowded` and `--neutral` ask every set again: among 5,000 unrelated memories, and with 60
 * neutral words in each question. `--gate` judges what was measured and exits 1 where a bar is missed. `--plot` draws
 * what `surface` finds over how often it is right; `--page` puts the figures into a page that has a place for them. Both
 * together renew docs/retrieval.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { developmentVerdicts, gateVerdicts, type Measured } from './retrieval/bars.ts';
import { openCachedEmbedder } from './retrieval/embedding-cache.ts';
import { withNeutralWords } from './retrieval/neutral.ts';
import { renderPlot } from './retrieval/plot.ts';
import { curvesOf } from './retrieval/precision-recall.ts';
import { progressOn } from './retrieval/progress.ts';
import { withFigures } from './retrieval/render-page.ts';
import { meansOf, renderChange, renderReport, renderVerdicts } from './retrieval/render-report.ts';
import { plainReport, pooled, reportOf } from './retrieval/set-report.ts';
import { listSets, readDistractors, readSet } from './retrieval/sets.ts';
import { type SetTrials, type TrialOptions, tryOut } from './retrieval/trials.ts';

/** The bundle runs from a directory directly below the project. */
const DEFAULT_DATA = fileURLToPath(new URL('../../shared/data/retrieval', import.meta.url));

const flag = { type: 'boolean', default: false } as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string', default: DEFAULT_DATA },
      plot: { type: 'string' },
      page: { type: 'string' },
      words: flag,
      crowded: flag,
      neutral: flag,
      gate: flag,
      json: flag,
    },
  });
  const { data } = values;
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
  const names = positionals.length > 0 ? positionals : known;
  const { trials, measured } = await measure(data, names, values);
  if (values.plot !== undefined) writeFileSync(values.plot, renderPlot(curvesOf(trials)));
  if (values.page !== undefined) writeFileSync(values.page, withFigures(readFileSync(values.page, 'utf8'), measured));
  const verdicts = values.gate ? [...gateVerdicts(measured), ...developmentVerdicts(measured)] : [];
  console.log(values.json ? asJson(measured, verdicts) : asText(measured, verdicts));
  return verdicts.every(({ passed }) => passed) ? 0 : 1;
}

interface Modes {
  readonly words: boolean;
  readonly crowded: boolean;
  readonly neutral: boolean;
}

async function measure(
  data: string,
  names: readonly string[],
  modes: Modes,
): Promise<{ trials: SetTrials[]; measured: Measured }> {
  const embedder = modes.words ? null : openCachedEmbedder();
  const progress = progressOn(process.stderr);
  const tryAll = async (label: string, options: Omit<TrialOptions, 'embedder'>): Promise<SetTrials[]> => {
    const trials: SetTrials[] = [];
    for (const name of names) {
      const onProgress = (done: number, total: number) => progress.step(`${name}${label}`, done, total);
      trials.push(await tryOut(readSet(data, name), { embedder, ...options, onProgress }));
    }
    progress.clear();
    return trials;
  };
  try {
    const trials = await tryAll('', {});
    const crowd = modes.crowded ? readDistractors(data) : null;
    return {
      trials,
      measured: {
        plain: trials.map(reportOf),
        pooled: trials.length > 1 ? reportOf(pooled(trials)) : null,
        crowded: crowd === null ? [] : (await tryAll(', crowded', { crowd })).map(reportOf),
        neutral: modes.neutral ? (await tryAll(', neutral words', { reworded: withNeutralWords })).map(reportOf) : [],
      },
    };
  } finally {
    await embedder?.close();
  }
}

function asText(measured: Measured, verdicts: ReturnType<typeof gateVerdicts>): string {
  const { plain, pooled: together } = measured;
  const changes = (label: string, reports: Measured['crowded']) =>
    reports.map((after, at) => {
      const before = plain[at];
      return before === undefined ? '' : renderChange(`${after.set}, ${label}`, before, after);
    });
  return [
    ...plain.map(renderReport),
    ...(together === null ? [] : [renderReport(together), meansOf(plain)]),
    [...changes('crowded', measured.crowded), ...changes('neutral words', measured.neutral)].join('\n'),
    renderVerdicts(verdicts),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function asJson(
  { plain, pooled: together, crowded, neutral }: Measured,
  verdicts: ReturnType<typeof gateVerdicts>,
): string {
  const sets = [...plain, ...(together === null ? [] : [together])].map(plainReport);
  const more = { crowded: crowded.map(plainReport), neutral: neutral.map(plainReport), gate: verdicts };
  return JSON.stringify({ sets, ...more }, null, 1);
}

process.exitCode = await main();
