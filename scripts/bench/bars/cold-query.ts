import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEngram } from '../../../src/engram.ts';
import { makeStore, note, temporaryDirectory } from './made-store.ts';
import { makeVectors } from './made-vectors.ts';
import { phasesOf } from './phases.ts';
import type { Measurement } from './table.ts';
import { median, timed } from './timing.ts';

const QUESTION = 'about to rename a public function while splitting a large component of the web console';
const ROUNDS = 21;

export interface ColdBars {
  /** For a question that was never asked, and for one that was. */
  readonly fresh: number;
  readonly known: number | null;
}

export interface ColdOptions {
  /** Directly above `dist`. */
  readonly project: string;
  /** Says where the time of each kind goes. */
  readonly profile: boolean;
  /** Runs beside the queries, from a store that is ready until they are done. */
  beside?(root: string, environment: NodeJS.ProcessEnv): Promise<AsyncDisposable>;
}

/**
 * Whole processes of the built command that answer by every arm, over a bare Node. The three are started in turns and
 * compared round by round: on a machine that does other work, both sides of a ratio wait alike.
 */
export async function measureCold(
  count: number,
  bars: ColdBars,
  { project, profile, beside }: ColdOptions,
): Promise<Measurement[]> {
  note(`cold query, ${count} memories`);
  using directory = temporaryDirectory();
  const root = join(directory.path, 'store');
  await makeStore(root, count);
  {
    using engram = await openEngram({ root, origin: 'bench' });
    await engram.sync();
    await makeVectors(engram);
  }
  const environment = cleanEnvironment(directory.path);
  await using _running = await beside?.(root, environment);
  const start = (args: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: project, env: environment });
    // 3: an answer without a hit, which takes the same work.
    if (status !== 0 && status !== 3) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  };
  const query = (text: string) => [join(project, 'dist/engram.cjs'), 'query', '--data-dir', root, text];
  let asked = 0;
  const freshQuestion = () => `${QUESTION}, part ${asked++}`;
  const times: { floor: number; fresh: number; known: number }[] = [];
  for (let round = -2; round < ROUNDS; round++) {
    const floor = timed(() => start(['-e', '0']));
    const fresh = timed(() => start(query(freshQuestion())));
    const known = timed(() => start(query(QUESTION)));
    if (round >= 0) times.push({ floor, fresh, known });
  }
  if (profile) {
    const kinds = { 'new question': freshQuestion, 'asked before': () => QUESTION };
    for (const [kind, question] of Object.entries(kinds)) {
      note(`${kind}, ${count} memories:\n${phasesOf(() => query(question()), environment)}`);
    }
  }
  const measurement = (what: string, kind: 'fresh' | 'known', bar: number): Measurement => ({
    what: beside === undefined ? what : `${what}, watcher running`,
    figure: median(times.map((round) => round[kind])),
    floorName: 'node -e 0',
    floor: median(times.map(({ floor }) => floor)),
    ratio: median(times.map((round) => round[kind] / round.floor)),
    unit: 'ms',
    bar,
  });
  return [
    measurement(`cold engram query, ${count} memories, all arms`, 'fresh', bars.fresh),
    ...(bars.known === null ? [] : [measurement('  the same question again', 'known', bars.known)]),
  ];
}

/** No settings of the caller, and no certificates, whose reading would be most of a bare start. */
export function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  mkdirSync(join(home, 'home'));
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('ENGRAM_') && !name.startsWith('XDG_') && !name.startsWith('NODE_'),
  );
  return { ...Object.fromEntries(kept), HOME: join(home, 'home') };
}
