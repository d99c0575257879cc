/** Time that passes; disposing ends it, unresolved. */
export interface Timer extends Disposable {
  readonly promise: Promise<void>;
}

export function timer(ms: number): Timer {
  let id: NodeJS.Timeout | undefined;
  const promise = new Promise<void>((resolve) => {
    id = setTimeout(resolve, Math.max(0, ms));
  });
  return { promise, [Symbol.dispose]: () => clearTimeout(id) };
}
