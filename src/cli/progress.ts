import { interruptAtOnce } from './interrupt.ts';
import { write } from './output.ts';

export type Progress = (done: number, total: number) => void;

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/** A line on a terminal that counts up and goes away at the end. Such work may be interrupted at any point. */
export function showProgress(label: string): Progress {
  interruptAtOnce();
  let drawnMs = 0;
  return (done, total) => {
    const nowMs = Date.now();
    if (done >= total) {
      if (drawnMs > 0) write('stderr', CLEAR_LINE);
      drawnMs = 0;
    } else if (nowMs - drawnMs >= REDRAW_MS) {
      drawnMs = nowMs;
      write('stderr', `${CLEAR_LINE}${label} ${done}/${total}`);
    }
  };
}

/** For work that is long and not watched. */
export function silentProgress(): Progress {
  interruptAtOnce();
  return () => {};
}
