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
  const end = () => {
    if (drawnMs > 0) write('stderr', CLEAR_LINE);
    drawnMs = 0;
  };
  const show = (done: number, total: number) => {
    const nowMs = Date.now();
    if (nowMs - drawnMs < REDRAW_MS) return;
    drawnMs = nowMs;
    write('stderr', `${CLEAR_LINE}${label} ${done}/${total}`);
  };
  return { show, end, [Symbol.dispose]: end };
}

/** For work that is long and not watched. */
export function silentProgress(): Progress {
  interruptAtOnce();
  return { show: () => {}, end: () => {}, [Symbol.dispose]: () => {} };
}
