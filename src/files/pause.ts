const cell = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread for `ms` milliseconds: critical sections are synchronous, so nothing else may run meanwhile. */
export function pause(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}
