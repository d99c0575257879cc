import { type Clock, systemClock } from './clock.ts';
import type { EngramError } from './errors.ts';
import { realFileSystem } from './files/file-system.ts';
import { lookUp, memoryPaths } from './files/memory-directory.ts';
import { refuseNetworkFileSystem } from './files/mounts.ts';
import type { Draft } from './learning/draft.ts';
import type { LearnOptions, LearnOutcome } from './learning/learn.ts';
import type { AgentRequest, WatchRequest } from './long-running.ts';
import type { MemoryName } from './memory/slug.ts';
import type { QueryAnswer } from './search/answer.ts';
import type { EmbedReport } from './search/embed-missing.ts';
import { type EmbedderSource, type EmbeddingSettings, embedderSource } from './search/embedder-source.ts';
import type { EmbeddingStatus } from './search/embedding-status.ts';
import { embeddingWork } from './search/embedding-work.ts';
import type { FillOptions } from './search/fill-embeddings.ts';
import type { QueryRequest } from './search/query.ts';
import type { Anchor } from './search/related.ts';
import type { Comparison } from './search/sim.ts';
import type { EmbeddingCounts } from './store/embeddings.ts';
import type { NameScope } from './store/name-lookup.ts';
import { openInMemory, openStore, type Store } from './store/open.ts';
import { refuseReadOnly } from './store/read-only.ts';
import { translated, translateSqliteError } from './store/sqlite-errors.ts';
import type { SyncContext } from './sync/context.ts';
import type { RebuildReport } from './sync/rebuild.ts';
import { type Refreshed, refresh } from './sync/refresh.ts';
import type { SyncReport } from './sync/report.ts';
import type { StatusOptions, StoreStatus } from './sync/status.ts';
import type { SyncOptions } from './sync/sync.ts';

/** An open store with everything wired. Closing it is the caller's: `using engram = await openEngram(...)`. */
export interface Engram extends Disposable {
  /** What the functions of `sync/`, `search/` and `learning/` work on. */
  readonly context: SyncContext;
  /** What answers lack: `read_only` for a root that cannot be written (SY-59), `no_store` for one that is not there. */
  readonly degraded: readonly ('read_only' | 'no_store')[];
  /** Makes files and rows equal (sync.md). */
  sync(options?: SyncOptions): Promise<SyncReport>;
  /** Takes in what changed on either side since the last look, so that a read answers for what is there now (SY-57). */
  refresh(): Promise<Refreshed>;
  /**
   * The memory that a name, or a slug alone, means; for somebody who is about to change it. What both sides say by now is
   * taken in first (SY-49), and a file that somebody is writing is waited for once, up to 2 s (MF-20).
   *
   * @throws EngramError `memory.not-found`, `memory.ambiguous`, `memory.name`, `memory.quarantined`, `write.contended`
   */
  find(text: string, scope?: NameScope): Promise<MemoryName>;
  /**
   * The memories that apply to a text, by every arm there is (search.md). Call `refresh` first, and hand on what it says.
   *
   * @throws EngramError `database.*`
   */
  query(request: QueryRequest): Promise<QueryAnswer>;
  /** Says what will be asked, before `refresh`: the model is loaded meanwhile if the question needs it. */
  anticipate(text: string): Promise<void>;
  /** The memories near another one (SE-50). */
  related(anchor: Anchor, request: Omit<QueryRequest, 'text'>): Promise<QueryAnswer>;
  /** Prepares texts to be compared with each other (SE-37). @throws EngramError `database.*` */
  compare(texts: readonly string[]): Promise<Comparison>;
  /**
   * Writes a new memory, unless the same is known or a person has to decide (SE-52); `embedNew` gives it its vector. What
   * changed on disk is taken in first: what has just been deleted must not pass for known.
   *
   * @throws EngramError `memory.invalid` naming the key, `memory.not-found` for what is to be superseded, and those of writing
   */
  learn(draft: Draft, request: LearnRequest): Promise<LearnOutcome>;
  /**
   * Embeds the memories whose vector is missing (SE-25), holding no lock meanwhile. Vectors of another model are dropped
   * (SE-26).
   *
   * @returns null where nothing may be written
   * @throws EngramError `model.*`, `database.*`; what was embedded before stays
   */
  embed(options?: FillOptions): Promise<EmbedReport | null>;
  /**
   * The same for somebody who has just written a memory and waits: for at most 2 s, and only where that drops no vectors of
   * another provider.
   *
   * @returns why there is no usable model, null where there is one
   */
  embedNew(): Promise<EngramError | null>;
  /** Who embeds here. */
  readonly embedder: EmbedderSource;
  /** How far the memories have their vectors, and whether the model answers; changes nothing. */
  embedding(): Promise<EmbeddingStatus>;
  /** Counts what is there on both sides and in the indexes; changes nothing. */
  status(options?: StatusOptions): Promise<EngramStatus>;
  /**
   * Keeps files and rows equal until `signal` is aborted, and embeds what is new (sync.md section 8). Opened for it with
   * `longRunning`. Where another process watches already, it waits for its end.
   *
   * @throws EngramError what no later try would cure: `database.damaged`, `data-root.read-only`
   */
  watch(options: WatchRequest): Promise<void>;
  /** Answers in a chat, and watches meanwhile; see `runAgentOn`. Opened for it with `longRunning`. */
  runAgent(request: AgentRequest): Promise<void>;
  close(): void;
}

/** What is there, and what does not work as it should. */
export interface EngramStatus extends StoreStatus {
  readonly vectors: EmbeddingCounts & { readonly model: string; readonly isOn: boolean };
}

export interface LearnRequest extends Omit<LearnOptions, 'scope'> {
  readonly project: LearnOptions['scope']['project'];
}

export interface OpenOptions {
  /** Absolute path of the data root. */
  readonly root: string;
  /** Whether a root that does not exist is made, which is the default; else answers come from nothing. */
  readonly create?: boolean;
  /** How the caller is named in history and events. */
  readonly origin: string;
  readonly clock?: Clock;
  /** For a process that runs for days: it waits for others without keeping its own callers waiting (SY-61). */
  readonly longRunning?: boolean;
  /** A store that is open already, such as one of `openToExamine`. */
  readonly store?: Store;
  /** The mounted file systems, as `/proc/self/mountinfo` lists them; asked from the system when not given. */
  readonly mountinfo?: string;
  /** Who embeds; the built-in model when not given. */
  readonly embedding?: EmbeddingSettings;
}

/**
 * Opens a data root and its database, makes or migrates it where needed. A root that cannot be written is answered from an
 * index in memory (SY-59).
 *
 * @throws EngramError `data-root.network`, `config.invalid` for a server that is not allowed, and those of `openStore`
 */
export async function openEngram(options: OpenOptions): Promise<Engram> {
  refuseNetworkFileSystem(options.root, options.mountinfo);
  const exists = options.create !== false || lookUp(options.root) !== 'absent';
  const source = await embedderSource(options.embedding ?? { provider: 'built-in' });
  const open = () => openStore(options.root, { longRunning: options.longRunning === true });
  let store = options.store ?? (await (exists ? open() : openInMemory(options.root, options.root)));
  let context = contextOf(store, options);
  const sync = async (options: SyncOptions = {}) => {
    const { syncAll } = await import('./sync/sync.ts');
    return translated(() => syncAll(context, options));
  };
  const refreshNow = () => refresh(context);
  const find = async (text: string, scope?: NameScope) => {
    const { resolveName } = await import('./store/name-lookup.ts');
    const { stale } = await refreshNow();
    if (stale) await sync();
    return translated(() => resolveName(store.db, text, scope));
  };
  const query = async (request: QueryRequest) => {
    const { search } = await import('./search/search.ts');
    return search(store, request, source, context.clock());
  };
  const anticipate = async (text: string) => {
    const { anticipate } = await import('./search/search.ts');
    return anticipate(store, text, source);
  };
  const related = async (anchor: Anchor, request: Omit<QueryRequest, 'text'>) => {
    const { relatedRequest } = await import('./search/related.ts');
    return query(relatedRequest(anchor, request));
  };
  const compare = async (texts: readonly string[]) => {
    const { compareTexts } = await import('./search/sim.ts');
    return compareTexts(store, texts, source);
  };
  const learn = async (draft: Draft, { project, ...request }: LearnRequest) => {
    const { learn: learnDraft } = await import('./learning/learn.ts');
    const { missing } = await refreshNow();
    if (missing.length > 0) await sync();
    return learnDraft(context, { query, compare }, draft, { ...request, scope: { project, without: missing } });
  };
  const meaning = embeddingWork(() => store, source, context.clock);
  const status = async (options?: StatusOptions) => {
    const { storeStatus } = await import('./sync/status.ts');
    const [{ degraded, ...rest }, { model, ...vectors }] = [storeStatus(context, options), await meaning.embedding()];
    const { isOn, ready, unreadable, failed, missing } = vectors;
    return {
      ...rest,
      vectors: { model: model.model, isOn, ready, unreadable, failed, missing },
      degraded: [...degraded, ...vectors.degraded],
    };
  };
  const degraded = exists ? (store.readOnly ? (['read_only'] as const) : []) : (['no_store'] as const);
  const watch = async (request: WatchRequest) => {
    refuseReadOnly(store);
    const { watchStore } = await import('./sync/watch.ts');
    const reopen = async () => {
      store.close();
      store = await open();
      context = contextOf(store, options);
      return context;
    };
    await watchStore(context, {
      ...request,
      reopen,
      embed: () => meaning.embed({ signal: request.signal, aside: true }),
    });
  };
  const runAgent = async (request: AgentRequest) => {
    const { runAgentOn } = await import('./long-running.ts');
    const parts = { query, compare, refresh: refreshNow, sync, watch, source };
    await runAgentOn({ ...parts, context: () => context, store: () => store }, request);
  };
  const close = () => store.close();
  const work = {
    sync,
    refresh: refreshNow,
    find,
    query,
    anticipate,
    related,
    compare,
    learn,
    status,
    watch,
    runAgent,
    ...meaning,
    close,
  };
  return {
    get context() {
      return context;
    },
    degraded,
    embedder: source,
    ...work,
    [Symbol.dispose]: close,
  };
}

/**
 * Builds what the database derives from the files anew; a damaged database is moved aside (SY-63). Nobody else has it open.
 *
 * @throws EngramError those of `openEngram` but for `database.damaged`, and `data-root.read-only`
 */
export async function rebuildEngram(options: OpenOptions): Promise<RebuildReport> {
  refuseNetworkFileSystem(options.root, options.mountinfo);
  const { rebuildStore } = await import('./sync/rebuild.ts');
  try {
    return await rebuildStore(options.root, (store) => contextOf(store, options));
  } catch (error) {
    throw translateSqliteError(error);
  }
}

function contextOf(store: Store, { root, origin, longRunning, clock = systemClock }: OpenOptions): SyncContext {
  const waits = longRunning !== true;
  return { store, paths: memoryPaths(root), clock, fs: realFileSystem, owner: String(process.pid), origin, waits };
}
