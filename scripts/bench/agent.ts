/**
 * How soon the agent answers an intent, and what it costs while nobody asks; Linux only, figures come from /proc.
 *
 *   npm run bench -- agent [--json] [--quick]
 *
 * The built command answers in a chat of its own, over 10,000 made-up memories with vectors (`bars/made-vectors.ts`). Times
 * run from the call that posts an intent until its answer has been read from the file. The floor, `node -e 0`, is started in
 * turns with the questions. `--quick` looks at the idle agent for 15 s instead of 60.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEngram } from '../../src/engram.ts';
import { oneRow } from '../../src/store/statement.ts';
import { type Asker, openAsker } from './bars/chat-asker.ts';
import { cleanEnvironment } from './bars/cold-query.ts';
import { type Intent, madeIntents } from './bars/made-intents.ts';
import { makeStore, memoryFiles, note, temporaryDirectory } from './bars/made-store.ts';
import { makeVectors } from './bars/made-vectors.ts';
import { type Measurement, report } from './bars/table.ts';
import { median, percentile, sleep, timed } from './bars/timing.ts';
import { startAgent, startWatch, type WatchChild } from './bars/watch-child.ts';

/** The bundle runs from a directory directly below the project. */
const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const COUNT = 10_000;
const BARS = { answer: 12, budgetMs: 4000 } as const;
const QUESTIONS = 60;
const WARM_UP = 3;
const BURST = 200;
const SETTLE_MS = 5000;
/** What an outside process puts in front of each situation. */
const MARK = 'zeppelin';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rewrite: { type: 'string' },
    },
  });
  if (values.rewrite !== undefined) return rewriteAll(values.rewrite);
  const does = (part: string) => values.only === undefined || values.only.split(',').includes(part);
  note('building the command');
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--code-only'], { cwd: PROJECT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the command cannot be built');
  using directory = temporaryDirectory();
  const root = join(directory.path, 'store');
  note(`making ${COUNT} files`);
  const files = await makeStore(root, COUNT);
  {
    using engram = await openEngram({ root, origin: 'bench' });
    await engram.sync();
    await makeVectors(engram);
  }
  const environment = cleanEnvironment(directory.path);
  const chatFile = join(directory.path, 'chat.toml');
  const measurements: Measurement[] = [];
  const idleMs = values.quick ? 15_000 : 60_000;
  if (does('idle')) {
    await using watch = await startWatch(PROJECT, root, environment);
    measurements.push(...(await measureIdle('engram watch', watch, idleMs)));
  }
  {
    await using agent = await startAgent(PROJECT, root, environment, chatFile);
    if (does('idle')) measurements.push(...(await measureIdle('engram agent run', agent, idleMs)));
    using asker = openAsker(chatFile);
    const intents = madeIntents(files);
    if (does('quiet')) measurements.push(...(await measureAnswers('nothing else to do', asker, intents, environment)));
    if (does('burst')) measurements.push(...(await measureBurst(asker, intents)));
    if (does('sync')) measurements.push(...(await measureDuringSync(root, asker, intents, environment)));
  }
  report('agent', measurements, values);
}

/** Rounds of a bare Node and a question, until there are enough of them and `isOver`. */
async function rounds(
  asker: Asker,
  intents: Iterator<Intent, never>,
  environment: NodeJS.ProcessEnv,
  isOver: () => boolean,
): Promise<{ readonly floors: number[]; readonly times: number[]; readonly kinds: Record<string, number> }> {
  const [floors, times, kinds]: [number[], number[], Record<string, number>] = [[], [], {}];
  while (!isOver()) {
    floors.push(timed(() => spawnSync(process.execPath, ['-e', '0'], { env: environment })));
    const { from, thread, text } = intents.next().value;
    const { tookMs, answer } = await asker.ask(from, thread, text);
    times.push(tookMs);
    const kind = answer.text.startsWith('Memory check failed') ? 'failed' : answer.type;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return { floors, times, kinds };
}

async function measureAnswers(
  when: string,
  asker: Asker,
  intents: Iterator<Intent, never>,
  environment: NodeJS.ProcessEnv,
): Promise<Measurement[]> {
  note(`${QUESTIONS} intents, ${when}`);
  let warm = 0;
  await rounds(asker, intents, environment, () => warm++ >= WARM_UP);
  let asked = 0;
  return answerFigures(when, await rounds(asker, intents, environment, () => asked++ >= QUESTIONS));
}

function answerFigures(
  when: string,
  {
    floors,
    times,
    kinds,
  }: { readonly floors: readonly number[]; readonly times: readonly number[]; readonly kinds: Record<string, number> },
): Measurement[] {
  note(`${when}: ${times.length} answers, ${JSON.stringify(kinds)}`);
  const figure = (name: string, value: number): Measurement => ({
    what: `answer to an intent, ${when}, ${name} of ${times.length}`,
    figure: value,
    floorName: 'node -e 0',
    floor: median(floors),
    unit: 'ms',
    bar: name === 'max' ? BARS.budgetMs / median(floors) : BARS.answer,
  });
  return [figure('p50', median(times)), figure('p95', percentile(times, 0.95)), figure('max', Math.max(...times))];
}

async function measureDuringSync(
  root: string,
  asker: Asker,
  intents: Iterator<Intent, never>,
  environment: NodeJS.ProcessEnv,
): Promise<Measurement[]> {
  note(`${COUNT} files rewritten by another process`);
  using engram = await openEngram({ root, origin: 'bench' });
  const taken = () =>
    oneRow<{ n: number }>(engram.context.store.db, `SELECT count(*) AS n FROM memories WHERE situation LIKE '${MARK}%'`)
      ?.n ?? 0;
  const writer = spawn(process.execPath, [process.argv[1] ?? '', '--rewrite', root], { stdio: 'inherit' });
  const startedMs = performance.now();
  const during = await rounds(asker, intents, environment, () => taken() === COUNT);
  note(`taken in after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  if (writer.exitCode === null) await once(writer, 'close');
  const when = 'while 10,000 changed files are taken in';
  let asked = 0;
  const embedding = await rounds(asker, intents, environment, () => asked++ >= QUESTIONS);
  return [...answerFigures(when, during), ...answerFigures('while they are embedded anew', embedding)];
}

/** As an editor saves, one file after the other. */
function rewriteAll(root: string): void {
  for (const file of memoryFiles(root)) {
    const text = readFileSync(file, 'utf8').replace(/^situation = "/m, `situation = "${MARK} `);
    writeFileSync(`${file}~`, text, { mode: 0o600 });
    renameSync(`${file}~`, file);
  }
}

async function measureBurst(asker: Asker, intents: Iterator<Intent, never>): Promise<Measurement[]> {
  note(`${BURST} intents at once`);
  const all = Array.from({ length: BURST }, () => intents.next().value);
  const { answered, order, notices } = await asker.askAll(all);
  const times = answered.map(({ tookMs }) => tookMs);
  const failed = answered.filter(({ answer }) => answer.text.startsWith('Memory check failed')).length;
  const queue = notices.filter(({ text }) => text.startsWith('Queue is ')).map(({ text }) => text.slice(0, 12));
  const outOfOrder = order.filter((place, at) => at > 0 && place < (order[at - 1] ?? 0)).length;
  note(`${failed} failed, ${outOfOrder} out of order, ${JSON.stringify(queue)}`);
  const figure = (name: string, value: number): Measurement => ({
    what: `answer to one of ${BURST} intents at once, ${name}`,
    figure: value,
    floorName: '',
    floor: null,
    unit: 'ms',
    bar: BARS.budgetMs,
  });
  return [figure('p50', median(times)), figure('p95', percentile(times, 0.95)), figure('max', Math.max(...times))];
}

async function measureIdle(name: string, child: WatchChild, idleMs: number): Promise<Measurement[]> {
  await sleep(SETTLE_MS);
  note(`idle ${name}, ${idleMs / 1000} s`);
  const before = child.cpuMs();
  await sleep(idleMs);
  const used = child.cpuMs() - before;
  const figure = (what: string, value: number, unit: Measurement['unit'], bar: number): Measurement => ({
    what: `${what}, idle ${name}`,
    figure: value,
    floorName: '',
    floor: null,
    unit,
    bar,
  });
  return [
    figure('share of a core', (100 * used) / idleMs, '%', 1),
    figure('resident', child.residentMb(), 'MB', name === 'engram watch' ? 120 : 300),
  ];
}

await main();
