/**
 * What sync costs, each figure over a floor that is measured in the same run.
 *
 *   npm run bench -- sync [--quick] [--json]
 *
 * `--quick` leaves out 100,000 files. Medians; data lies in a temporary directory on the disk of `$TMPDIR`.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngram } from '../../src/engram.ts';
import { countOutcome } from '../../src/learning/outcomes.ts';
import { findFileSecret } from '../../src/memory/secrets.ts';
import { isQuarantined, parseTable } from '../../src/memory/toml-table.ts';
import { listNames } from '../../src/store/memories.ts';
import { makeStore, memoryFiles, note, removeDatabase, temporaryDirectory } from './bars/made-store.ts';
import { type Measurement, report } from './bars/table.ts';
import { median, timed, timedAsync } from './bars/timing.ts';

const ROUNDS = 5;
const NOTHING_BAR = 4;
const IMPORT_BAR = 35;
const MEMORY_BAR_MB = 500;
const OUTCOME_BAR = 3;
/** Of the processor time of the rest of an import. */
const SECRETS_BAR = 0.1;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      import: { type: 'string' },
    },
  });
  if (values.import !== undefined) {
    console.log(JSON.stringify(await importOnce(values.import)));
    return;
  }
  const measurements: Measurement[] = [];
  for (const count of values.quick ? [10_000] : [10_000, 100_000]) {
    using directory = temporaryDirectory();
    note(`making ${count} files`);
    const files = await makeStore(directory.path, count);
    measurements.push(...measureImport(directory.path, count));
    measurements.push(await measureNothing(directory.path, files));
    if (count === 10_000) measurements.push(await measureOutcome(directory.path));
  }
  report('sync', measurements, values);
}

interface Import {
  readonly importMs: number;
  readonly readMs: number;
  readonly peakMb: number;
  /** Processor time of looking for secrets in every file, and of the import without it. */
  readonly secretsCpuMs: number;
  readonly restCpuMs: number;
}

/** Each import is a process of its own, as `engram db sync` is. */
function measureImport(root: string, count: number): Measurement[] {
  const runs: Import[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    note(`import of ${count}, round ${round}`);
    removeDatabase(root);
    const child = spawnSync(process.execPath, [process.argv[1] ?? '', '--import', root], { encoding: 'utf8' });
    if (child.status !== 0) throw new Error(`the import failed: ${child.stderr}`);
    runs.push(JSON.parse(child.stdout) as Import);
  }
  const time: Measurement = {
    what: `db sync, ${count} files into an empty database`,
    figure: median(runs.map((run) => run.importMs)),
    floorName: 'readFileSync of every file',
    floor: median(runs.map((run) => run.readMs)),
    unit: 'ms',
    bar: IMPORT_BAR,
  };
  const secrets: Measurement = {
    what: `looking for secrets in ${count} files, processor time`,
    figure: median(runs.map((run) => run.secretsCpuMs)),
    floorName: 'the rest of that import, processor time',
    floor: median(runs.map((run) => run.restCpuMs)),
    unit: 'ms',
    bar: SECRETS_BAR,
  };
  if (count < 100_000) return [time, secrets];
  const peak = Math.max(...runs.map((run) => run.peakMb));
  const memory: Measurement = {
    what: `peak memory of that, ${count} files`,
    figure: peak,
    floorName: '',
    floor: null,
    unit: 'MB',
    bar: MEMORY_BAR_MB,
  };
  return [time, secrets, memory];
}

async function importOnce(root: string): Promise<Import> {
  const files = memoryFiles(root);
  // The first reading fills the caches for both.
  const read = () => {
    for (const file of files) readFileSync(file);
  };
  read();
  const readMs = timed(read);
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const tables = texts.map((text) => parseTable(text)).map((table) => (isQuarantined(table) ? null : table));
  const secretsCpuMs = processorMs(() => {
    for (const [at, text] of texts.entries()) findFileSecret(text, tables[at] ?? null);
  });
  const importStart = process.cpuUsage();
  using engram = await openEngram({ root, origin: 'bench' });
  const importMs = await timedAsync(async () => {
    const { imported, indexed } = await engram.sync();
    if (imported !== files.length || indexed !== files.length)
      throw new Error(`${imported} imported, ${indexed} indexed`);
  });
  const importCpuMs = spentMs(importStart);
  const peakMb = process.resourceUsage().maxRSS / 1024;
  return { importMs, readMs, peakMb, secretsCpuMs, restCpuMs: importCpuMs - secretsCpuMs };
}

function processorMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  return spentMs(start);
}

function spentMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function measureNothing(root: string, files: readonly string[]): Promise<Measurement> {
  note(`nothing to do, ${files.length} files`);
  using engram = await openEngram({ root, origin: 'bench' });
  const syncNothing = async () => {
    const { steps } = await engram.sync();
    if (steps.length > 0) throw new Error(`${steps.length} steps where there was nothing to do`);
  };
  const statAll = () => {
    for (const file of files) statSync(file);
  };
  statAll();
  await syncNothing();
  const [floors, figures]: [number[], number[]] = [[], []];
  for (let round = 0; round < 2 * ROUNDS + 1; round++) {
    floors.push(timed(statAll));
    figures.push(await timedAsync(syncNothing));
  }
  return {
    what: `db sync with nothing to do, ${files.length} files`,
    figure: median(figures),
    floorName: 'statSync of every file',
    floor: median(floors),
    unit: 'ms',
    bar: NOTHING_BAR,
  };
}

const OUTCOMES = 100;
/** The first edit loads a parser, and the code has to be compiled; what is measured is a process that does this all day. */
const WARM_UP = 200;

async function measureOutcome(root: string): Promise<Measurement> {
  note('outcomes');
  using engram = await openEngram({ root, origin: 'bench' });
  const directory = join(root, 'memory', 'feedback');
  const bytes = Buffer.alloc(700, 'x');
  const names = listNames(engram.context.store.db);
  const [floors, figures]: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + OUTCOMES; round++) {
    const name = names[round * 30];
    if (name === undefined) throw new Error('too few memories');
    const floor = timed(() => replaceDurably(directory, bytes));
    const figure = timed(() => countOutcome(engram.context, name, { kind: 'irrelevant', situation: 'a benchmark' }));
    if (round < WARM_UP) continue;
    floors.push(floor);
    figures.push(figure);
  }
  return {
    what: 'one outcome, 10000 files',
    figure: median(figures),
    floorName: 'write + fsync + rename + fsync of the directory',
    floor: median(floors),
    unit: 'ms',
    bar: OUTCOME_BAR,
  };
}

/** The least that puts new content in a file's place for good. */
function replaceDurably(directory: string, bytes: Uint8Array): void {
  const temp = join(directory, '.floor-temp');
  const descriptor = openSync(temp, 'w', 0o600);
  writeSync(descriptor, bytes);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temp, join(directory, '.floor'));
  const opened = openSync(directory, 'r');
  fsyncSync(opened);
  closeSync(opened);
}

await main();
