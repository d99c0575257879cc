/**
 * Work that can be put aside between two of its steps: each `yield` is a moment at which nothing is half done. A command
 * runs it through; a long-running process lets others have their turn (SY-53).
 */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function runThrough<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The longest that a long-running process works before it lets others have their turn. */
const SLICE_MS = 20;

/**
 * Runs the steps in slices, with a turn of the event loop between them; a step that is longer is a slice of its own.
 *
 * @param signal - aborted: no further step is begun
 * @throws what a step throws, and the signal's reason
 */
export async function runInSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  let sliceStartMs = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - sliceStartMs < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sliceStartMs = performance.now();
  }
}
