import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendMessages } from '../../../src/chat/append.ts';
import type { Measurement } from './table.ts';
import { median, percentile, sleep, timed } from './timing.ts';

const ROUNDS = 21;
const POSTS = 40;
/** More than the longest message of the file has. */
const NEAR_LINES = 300;
/** From the issue that asked for the chat. */
const BARS = { watch: 1.5, presence: 3, seenMs: 50 } as const;

/**
 * Whole processes of the built command on a long chat. The floor and the command are started in turns and compared round
 * by round: on a machine that does other work, both sides of a ratio wait alike.
 *
 * @param file - the chat; it is not changed
 * @param project - directly above `dist`
 */
export async function measureCommands(
  file: string,
  project: string,
  environment: NodeJS.ProcessEnv,
): Promise<Measurement[]> {
  const engram = join(project, 'dist/engram.cjs');
  const start = (args: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: project, env: environment });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  };
  const lines = readFileSync(file, 'latin1').split('\n').length - 1;
  const near = [
    engram,
    'chat',
    'watch',
    '--chat-file',
    file,
    '--cursor',
    String(lines - NEAR_LINES),
    '--max-wait',
    '20',
  ];
  const presence = [engram, 'chat', 'presence', '--chat-file', file];
  const read = ['-e', `require('node:fs').readFileSync(${JSON.stringify(file)})`];
  const compared = (
    what: string,
    figure: readonly string[],
    floorName: string,
    floor: readonly string[],
    bar: number,
  ) => {
    const rounds = Array.from(
      { length: ROUNDS + 2 },
      () => [timed(() => start(floor)), timed(() => start(figure))] as const,
    );
    const kept = rounds.slice(2);
    return {
      ...{ what, floorName, bar, unit: 'ms' as const },
      figure: median(kept.map(([, each]) => each)),
      floor: median(kept.map(([each]) => each)),
      ratio: median(kept.map(([under, over]) => over / under)),
    };
  };
  return [
    compared('engram chat watch near the end', near, 'engram --version', [engram, '--version'], BARS.watch),
    compared('engram chat presence', presence, 'node that reads the file', read, BARS.presence),
    await measureSeen(file, engram, environment),
  ];
}

/** From the moment a message is on disk until a `watch` that waits for it has printed it. */
async function measureSeen(file: string, engram: string, environment: NodeJS.ProcessEnv): Promise<Measurement> {
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  const delays: number[] = [];
  for (let post = 0; post < POSTS; post += 1) {
    const watch = spawn(process.execPath, [engram, 'chat', 'watch', '--chat-file', copy, '--agent', 'bench'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const printed = firstOutput(watch);
    await untilItWaits(watch);
    appendMessages(copy, [{ from: 'other', to: 'bench', thread: 'task', type: 'info', text: `post ${post}` }]);
    const postedMs = performance.now();
    await printed;
    delays.push(performance.now() - postedMs);
  }
  const what = `from a post to a waiting watch, p95 of ${POSTS}`;
  return {
    what,
    figure: percentile(delays, 0.95),
    floorName: 'a bar in ms',
    floor: null,
    unit: 'ms',
    bar: BARS.seenMs,
  };
}

function firstOutput(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.stdout?.once('data', () => resolve()));
}

/** A process that waits has used no processor time for a while (Linux: fields 14 and 15 of its `stat`). */
async function untilItWaits({ pid }: ChildProcess): Promise<void> {
  let before = '';
  for (let quiet = 0; quiet < 3; ) {
    await sleep(60);
    const used = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
    quiet = used === before ? quiet + 1 : 0;
    before = used;
  }
}
