import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './made-store.ts';
import { median } from './timing.ts';

/**
 * What the command spends its time on: the phase of the innermost of these functions on the stack. The bundle keeps the
 * names of functions, so this needs no clock in the product. What has no such function is `everything else`.
 */
const PHASES: Readonly<Record<string, readonly string[]>> = {
  'collecting garbage': ['(garbage collector)'],
  'native code outside JavaScript, waiting': ['(program)', '(idle)'],
  'starting Node': ['prepareMainThreadExecution'],
  'loading the bundle': ['executeUserEntryPoint', 'Module._load'],
  'evaluating modules': ['__init', 'createProgram'],
  'opening the database': ['openEngram', 'openStore'],
  'closing the database': ['exports2.close', 'close'],
  'comparing files with the last agreement': ['checkFreshness'],
  'finding the project': ['findProject'],
  'looking for the kept vector': ['findQueryVector', 'sha256'],
  'keeping the vector': ['keepQueryVectors'],
  'loading the model': ['loadEncoder', 'readVocabulary', 'readModelFile'],
  'embedding the question': ['embedTokenised', 'tokenise'],
  'admitting memories': ['admit'],
  'bringing indexes up to date': ['updateIndexes'],
  'arm of words': ['findWordsCandidates', 'searchedTexts', 'raterOf', 'bestByWords', 'wordsScale', 'wordsOf'],
  'arm of meaning': ['vectorMatrix', 'admittedRows', 'meaningArm', 'nearest', 'load', 'figuresOf'],
  'fine arm': ['fineFigures', 'fineMemories', 'openLateInteraction'],
  'judging hits': ['judge'],
  printing: ['print', 'renderAnswer'],
};

const ROUNDS = 7;

/**
 * Milliseconds of each phase in the median of a few profiled runs, as lines of text. Profiling itself takes time too.
 *
 * @param words - the command line of the next run
 */
export function phasesOf(words: () => readonly string[], environment: NodeJS.ProcessEnv): string {
  const runs = Array.from({ length: ROUNDS }, () => profileOnce(words(), environment));
  const names = [...new Set(runs.flatMap((run) => [...run.keys()]))];
  const lines = names
    .map((name) => ({ name, ms: median(runs.map((run) => run.get(name) ?? 0)) }))
    .filter(({ ms }) => ms >= 0.05)
    .sort((a, b) => b.ms - a.ms);
  return lines.map(({ name, ms }) => `  ${ms.toFixed(1).padStart(6)} ms  ${name}`).join('\n');
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

function profileOnce(args: readonly string[], environment: NodeJS.ProcessEnv): ReadonlyMap<string, number> {
  using directory = temporaryDirectory();
  const profiling = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', directory.path];
  spawnSync(process.execPath, [...profiling, ...args], { env: environment, stdio: 'ignore' });
  const [file = ''] = readdirSync(directory.path);
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(directory.path, file), 'utf8')) as Profile;
  const phaseOf = phases(nodes);
  const times = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const phase = phaseOf.get(id) ?? 'everything else';
    times.set(phase, (times.get(phase) ?? 0) + (timeDeltas[at + 1] ?? 0) / 1000);
  }
  return times;
}

/** Phase of each node: its own, or its caller's. */
function phases(nodes: Profile['nodes']): ReadonlyMap<number, string> {
  const byName = new Map(
    Object.entries(PHASES).flatMap(([phase, names]) => names.map((name) => [name, phase] as const)),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Map<number, string>();
  const visit = (id: number, outer: string): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const phase = byName.get(node.callFrame.functionName) ?? outer;
    found.set(id, phase);
    for (const child of node.children ?? []) visit(child, phase);
  };
  visit(nodes[0]?.id ?? 0, 'everything else');
  return found;
}
