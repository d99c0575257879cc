/** Says how far a long run is, on the last line of a terminal; says nothing elsewhere. */
export interface Progress {
  step(label: string, done: number, total: number): void;
  /** Removes the line. */
  clear(): void;
}

const EVERY_MS = 200;

export function progressOn({
  isTTY,
  write,
}: Pick<NodeJS.WriteStream, 'isTTY'> & { write(text: string): void }): Progress {
  if (!isTTY) return { step: () => {}, clear: () => {} };
  let shownMs = 0;
  return {
    step: (label, done, total) => {
      const nowMs = performance.now();
      if (nowMs - shownMs < EVERY_MS && done < total) return;
      shownMs = nowMs;
      write(`\r\u001b[K${label}: ${done} of ${total}`);
    },
    clear: () => write('\r\u001b[K'),
  };
}
