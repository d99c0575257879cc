import { interruptAtOnce } from './interrupt.ts';
import { write } from './output.ts';

/** `using progress = await context.progress('reading files')`; the line is gone at the end of the block at the latest. */
export interface Progress extends Disposable {
  show(done: number, total: number): void;
  /** Removes the line, for whoever prints before the block ends. */
  end(): void;
}

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/** A line on a terminal that counts up. Such work may be interrupted at any point. */
export function showProgress(label: string): Progress {
  interruptAtOnce();
  let drawnMs = 0;
  const startedMs = Date.now();
  const end = () => {
    if (drawnMs > 0) write('stderr', CLEAR_LINE);
    drawnMs = 0;
  };
  const show = (done: number, total: number) => {
    const nowMs = Date.now();
    if (nowMs - drawnMs < REDRAW_MS) return;
    drawnMs = nowMs;
    write('stderr', `${CLEAR_LINE}${label} ${done}/${total}${timeLeft(nowMs - startedMs, done, total)}`);
  };
  return { show, end, [Symbol.dispose]: end };
}

/** Said once it can be told: after a second, for as long as it is more than that. */
export function timeLeft(passedMs: number, done: number, total: number): string {
  const leftS = Math.round(((passedMs / Math.max(1, done)) * (total - done)) / 1000);
  if (passedMs < 1000 || done === 0 || leftS < 2) return '';
  if (leftS < 90) return `, ${leftS} s left`;
  return leftS < 5400 ? `, ${Math.round(leftS / 60)} min left` : `, ${Math.round(leftS / 3600)} h left`;
}

/** For work that is long and not watched. */
export function silentProgress(): Progress {
  interruptAtOnce();
  return { show: () => {}, end: () => {}, [Symbol.dispose]: () => {} };
}
