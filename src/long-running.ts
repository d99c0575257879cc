import type { JudgeSettings } from './agent/judge/open-judge.ts';
import type { AgentOptions } from './agent/options.ts';
import type { AgentTools } from './agent/worker.ts';
import type { EmbedderSource } from './search/embedder-source.ts';
import type { Store } from './store/open.ts';
import { refuseReadOnly } from './store/read-only.ts';
import type { WatchEvent } from './sync/watch-events.ts';

/** How a store is watched. */
export interface WatchRequest {
  /** How this process is named to others: `engram watch`. */
  readonly command: string;
  readonly signal: AbortSignal;
  onEvent(event: WatchEvent): void;
  /** Whether the configuration is another than when it was last asked, which happens at each full scan (SY-71). */
  configChanged?(): boolean;
}

/** How an agent is run on an open store. */
export interface AgentRequest extends AgentOptions {
  readonly judge: JudgeSettings;
  /** Predicates of facts that have one object at a time, separated by blanks. */
  readonly singleValued?: string;
  /** What the keeping of the files does meanwhile. */
  onWatchEvent?(event: WatchEvent): void;
}

/** What the agent's process is made of; all of it stays that of the open store when the database is replaced. */
export interface AgentParts extends Omit<AgentTools, 'judge' | 'singleValued' | 'current'> {
  sync(): Promise<unknown>;
  readonly source: EmbedderSource;
  store(): Store;
  watch(request: WatchRequest): Promise<void>;
}

/**
 * Runs the agent, and keeps files and rows equal beside it unless another process does (SY-55).
 *
 * @throws EngramError those of `runAgent` and of `watch`
 */
export async function runAgentOn(parts: AgentParts, request: AgentRequest): Promise<void> {
  const { judge: settings, singleValued, onWatchEvent, ...options } = request;
  const { store, source, watch, sync, ...rest } = parts;
  refuseReadOnly(store());
  const [{ openJudge }, { runAgent }] = await Promise.all([
    import('./agent/judge/open-judge.ts'),
    import('./agent/run.ts'),
  ]);
  const judge = await openJudge(settings, { store: forwarded(store), source });
  const tools = { ...rest, judge, ...(singleValued === undefined ? {} : { singleValued }) };
  if (options.once) {
    await sync();
    await runAgent({ ...tools, current: Promise.resolve() }, options);
    return;
  }
  const [ended, broken] = [new AbortController(), new AbortController()];
  let look = () => {};
  const current = new Promise<void>((resolve) => {
    look = resolve;
  });
  const answering = runAgent({ ...tools, current }, { ...options, broken: broken.signal }).finally(() => ended.abort());
  const keeping = watch({
    command: 'engram agent run',
    signal: ended.signal,
    onEvent: (event) => {
      // All files were looked at, or another process does that.
      if (event.kind === 'started' || event.kind === 'waiting') look();
      onWatchEvent?.(event);
    },
  })
    .catch((error) => {
      // Whoever waits for an answer is told before the process ends.
      broken.abort(error);
      throw error;
    })
    .finally(look);
  const ends = await Promise.allSettled([answering, keeping]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** The store as it is open by then. */
function forwarded(store: () => Store): Pick<Store, 'db' | 'path' | 'identity'> {
  return {
    get db() {
      return store().db;
    },
    get path() {
      return store().path;
    },
    get identity() {
      return store().identity;
    },
  };
}
