/** Lets so many callers through at a time; the others wait in their order. */
export interface Lanes {
  /**
   * Waits for a lane, until `signal` is aborted.
   *
   * @returns what gives the lane back, or null where the wait was broken off
   */
  enter(signal: AbortSignal): Promise<(() => void) | null>;
}

export function openLanes(most: number): Lanes {
  let free = most;
  const waiting: (() => void)[] = [];
  const leave = () => {
    free += 1;
    waiting.shift()?.();
  };
  const taken = () => {
    free -= 1;
    let isOut = false;
    return () => {
      if (!isOut) leave();
      isOut = true;
    };
  };
  return {
    enter: (signal) => {
      if (signal.aborted) return Promise.resolve(null);
      if (free > 0) return Promise.resolve(taken());
      return new Promise((resolve) => {
        const pass = () => {
          signal.removeEventListener('abort', abort);
          resolve(taken());
        };
        const abort = () => {
          waiting.splice(waiting.indexOf(pass), 1);
          resolve(null);
        };
        signal.addEventListener('abort', abort, { once: true });
        waiting.push(pass);
      });
    },
  };
}
