import type { SyncStep } from '../../src/sync/report.ts';
import { watchStore } from '../../src/sync/watch.ts';
import { type WatchedDirectories, watchDirectories } from '../../src/sync/watch-directories.ts';
import type { WatchEvent, WatchOptions } from '../../src/sync/watch-events.ts';
import type { TestStore } from './sync-store.ts';

/** A watch in this process over a real store and real directories. `await using` ends it. */
export interface TestWatch extends AsyncDisposable {
  readonly events: WatchEvent[];
  /** Everything that its passes did, as `action name`. */
  done(): string[];
  /** Resolves once the condition holds; rejects after 20 s with what has happened. */
  until(condition: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Watches a store and waits until events arrive. */
export async function watched(store: TestStore, changes: Partial<WatchOptions> = {}): Promise<TestWatch> {
  const events: WatchEvent[] = [];
  const end = new AbortController();
  const running = watchStore(store.context, {
    command: 'test',
    signal: end.signal,
    onEvent: (event) => events.push(event),
    reopen: () => Promise.reject(new Error('nobody expects another database')),
    ...changes,
  });
  const ended: { error: unknown } = { error: null };
  running.catch((error: unknown) => {
    ended.error = error;
  });
  const steps = () => events.flatMap((event): readonly SyncStep[] => (event.kind === 'synced' ? event.steps : []));
  const until = async (condition: () => boolean) => {
    for (const startMs = Date.now(); !condition(); ) {
      if (ended.error !== null) throw ended.error;
      if (Date.now() - startMs > 20_000) throw new Error(`it did not come to that: ${JSON.stringify(events)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const stop = async () => {
    end.abort();
    await running;
  };
  await until(() => events.some(({ kind }) => kind === 'mode'));
  return {
    events,
    done: () => steps().map(({ action, name }) => `${action} ${name}`),
    until,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Directories that are watched as usual, whose hints pass through `filter`. */
export function filteredHints(filter: (path: string) => boolean): typeof watchDirectories {
  return (paths, onHint, onFailure): WatchedDirectories =>
    watchDirectories(
      paths,
      (path) => {
        if (filter(path)) onHint(path);
      },
      onFailure,
    );
}
