/**
 * What embedding costs, each figure over a floor:
 *
 *   npm run bench -- embed [--json]
 *
 * One short text, warm, over the bare multiplications of its matrix products; a process that embeds one text over a bare
 * Node; many texts on two threads over one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { openBuiltIn } from '../../src/search/embed/built-in.ts';
import { openBulk } from '../../src/search/embed/bulk.ts';
import { loadEncoder } from '../../src/search/embed/encoder.ts';
import { openLateInteraction } from '../../src/search/embed/late-interaction.ts';
import { MODEL_DIRECTORY, readModelFile } from '../../src/search/embed/model-files.ts';
import { encodeText } from '../../src/search/embed/tokens.ts';
import { readVocabulary } from '../../src/search/embed/vocabulary.ts';
import { note } from './bars/made-store.ts';
import { type Measurement, report } from './bars/table.ts';
import { median, timed, timedAsync } from './bars/timing.ts';

/** The bundle runs from a directory directly below the project. */
const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const SENTENCE =
  'Use parameterized queries instead of string concatenation when building SQL statements in the data layer';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  note('building the command');
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--code-only'], { cwd: PROJECT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the command cannot be built');
  const measurements = [await measureWarm(), await measureCold(), await measureBulk()];
  report('embed', measurements, values);
  await describeFineArm();
}

/** Multiply-adds of the linear layers for one token: six layers, then the directions. */
const MULTIPLY_ADDS = 6 * (384 * 1152 + 384 * 384 + 2 * 384 * 1536) + 384 * 96;
const TOKENS = 20;
const GIGA_PER_SECOND = 35;

async function measureWarm(): Promise<Measurement> {
  note(`${TOKENS} tokens, warm`);
  const vocabulary = readVocabulary(readModelFile(MODEL_DIRECTORY, 'vocabulary'));
  const encoder = await loadEncoder({ directory: MODEL_DIRECTORY, wholeTable: false });
  const ids = encodeText(SENTENCE, vocabulary, TOKENS);
  const times = Array.from({ length: 400 }, () => timed(() => encoder.encode([ids]))).slice(100);
  return {
    what: `embedding ${ids.length} tokens, warm`,
    // The quickest: others may be using the cores, and what they take is no cost of ours.
    figure: Math.min(...times),
    floorName: `its multiply-adds at ${GIGA_PER_SECOND} GMAC/s`,
    floor: (MULTIPLY_ADDS * ids.length) / GIGA_PER_SECOND / 1e6,
    unit: 'ms',
    bar: 1.6,
  };
}

const COLD_ROUNDS = 15;

async function measureCold(): Promise<Measurement> {
  note('one text in a process of its own');
  const directory = join(PROJECT, '.engram-bench');
  const program = join(directory, `cold-${process.pid}.cjs`);
  mkdirSync(directory, { recursive: true });
  await build({
    stdin: {
      contents: `import { openBuiltIn } from './src/search/embed/built-in.ts';
        openBuiltIn().embed([${JSON.stringify(SENTENCE)}], 'query').then(([{ vector }]) => { if (vector.length !== 384) process.exit(1); });`,
      resolveDir: PROJECT,
      loader: 'ts',
    },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const start = (args: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { env });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  };
  const [floors, figures]: [number[], number[]] = [[], []];
  try {
    for (let round = -2; round < COLD_ROUNDS; round++) {
      const floor = timed(() => start(['-e', '0']));
      const figure = timed(() => start([program]));
      if (round < 0) continue;
      floors.push(floor);
      figures.push(figure);
    }
  } finally {
    rmSync(program, { force: true });
  }
  return {
    what: 'a process that embeds one text',
    figure: median(figures),
    floorName: 'node -e 0',
    floor: median(floors),
    unit: 'ms',
    bar: 2.5,
  };
}

const BULK_TEXTS = 384;

async function measureBulk(): Promise<Measurement> {
  note(`${BULK_TEXTS} texts on one thread and on two`);
  const texts = bulkTexts();
  const [one, two] = [openBulk(1), openBulk(2)];
  const [singles, doubles]: [number[], number[]] = [[], []];
  // Says what two free cores would do where others use the cores as well.
  const [singleCpu, doubleCpu]: [number[], number[]] = [[], []];
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  try {
    for (const bulk of [one, two]) await bulk.embed(texts.slice(0, 64), 'document');
    for (let round = 0; round < 3; round++) {
      const startedMs = cpuMs();
      singles.push(await timedAsync(() => one.embed(texts, 'document')));
      const betweenMs = cpuMs();
      doubles.push(await timedAsync(() => two.embed(texts, 'document')));
      singleCpu.push(betweenMs - startedMs);
      doubleCpu.push(cpuMs() - betweenMs);
    }
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
  const single = Math.min(...singles);
  note(`CPU time of two threads over that of one: ${(Math.min(...doubleCpu) / Math.min(...singleCpu)).toFixed(2)}`);
  note(
    `one thread: ${((BULK_TEXTS / single) * 1000).toFixed(0)} texts/s; two: ${((BULK_TEXTS / Math.min(...doubles)) * 1000).toFixed(0)}`,
  );
  return {
    what: `${BULK_TEXTS} texts on two threads`,
    figure: Math.min(...doubles),
    floorName: 'half the time of one thread (the bar: 1.7 times as fast as one)',
    floor: single / 2,
    unit: 'ms',
    bar: 1.18,
  };
}

/** Lines of documentation: about as long as memories are, and always there. */
function bulkTexts(): string[] {
  const documents = ['README.md', 'docs/cli.md', 'docs/file-format.md', 'docs/json-output.md', 'docs/domain.md'];
  const lines = documents
    .map((file) => join(PROJECT, file))
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => line.length > 60);
  return Array.from({ length: BULK_TEXTS }, (_, at) => `${lines[at % lines.length]} ${at}`);
}

/** No bar: what the fine arm's products cost for one query. */
async function describeFineArm(): Promise<void> {
  const [query] = await openBuiltIn().embed([SENTENCE], 'query');
  const late = openLateInteraction();
  const candidates = 120;
  if (!query?.tokens) return;
  const { tokens } = query;
  late.setQuery(tokens, () => 1);
  const memory = Uint8Array.from({ length: 60 * 48 }, (_, at) => tokens.packed[at % tokens.packed.length] ?? 0);
  const all = () => {
    for (let each = 0; each < candidates; each++) late.explained(memory);
  };
  const times = Array.from({ length: 100 }, () => timed(all));
  note(
    `${candidates} candidates of 60 tokens, late interaction: ${Math.min(...times).toFixed(2)} ms, the first time ${times[0]?.toFixed(2)} ms`,
  );
}

await main();
