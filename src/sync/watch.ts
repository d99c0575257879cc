import { type Clock, steadyClock } from '../clock.ts';
import { EngramError } from '../errors.ts';
import type { WatcherState } from '../files/heartbeat.ts';
import { hasChanges } from '../store/changes.ts';
import { checkpoint, dataVersion } from '../store/long-running.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import { databaseIdentity } from '../store/transaction.ts';
import type { SyncContext } from './context.ts';
import { drain } from './drain.ts';
import { createHints, type Hints } from './hints.ts';
import { type Pulse, startPulse } from './pulse.ts';
import { createSelfTest, type SelfTest, timer } from './self-test.ts';
import { makeFirstDirectories } from './sync.ts';
import { takeOver } from './take-over.ts';
import { isMemoryFile, type WatchedDirectories, watchDirectories, watchedIdentities } from './watch-directories.ts';
import type { WatchOptions } from './watch-events.ts';
import { createWatchPasses, type WatchPasses } from './watch-passes.ts';

/** How often other connections' commits are asked for (SY-56). */
const ROWS_EVERY_MS = 500;
/** How often directories and database are compared with those that were opened (SY-53, SY-64). */
const PLACES_EVERY_MS = 2000;
const SELF_TEST_EVERY_MS = 600_000;
const CHECKPOINT_EVERY_MS = 60_000;
const READY_WITHIN_MS = 10_000;

/**
 * Keeps files and rows of a store equal until `signal` is aborted (sync.md section 8). One process at a time watches a
 * store; another one waits until the first ends, however it ends.
 *
 * @throws EngramError `database.damaged`, `database.newer`, `data-root.read-only`; what is worth another try is retried
 */
export async function watchStore(context: SyncContext, options: WatchOptions): Promise<void> {
  const lock = await takeOver(context, options);
  if (lock === null) return;
  const watch = new Watch(context, options);
  try {
    await watch.run();
  } finally {
    await watch.close();
    lock.close();
    options.onEvent({ kind: 'stopped' });
  }
}

/** One watch from lock to unlock. */
class Watch {
  #context: SyncContext;
  readonly #options: WatchOptions;
  readonly #hints: Hints = createHints();
  readonly #selfTest: SelfTest;
  readonly #clock: Clock;
  #passes: WatchPasses;
  #directories: WatchedDirectories | null = null;
  readonly #pulse: Pulse;
  #rows = -1;
  /** Stays true when a look at everything is cut off. */
  #isScanning = true;
  #failure: string | null = null;
  #wake = () => {};
  /** When each thing is due again, by a steady clock: a system clock that is set back delays nothing. */
  readonly #due = { rows: 0, places: 0, selfTest: 0, scan: 0, checkpoint: Number.POSITIVE_INFINITY };

  constructor(context: SyncContext, options: WatchOptions) {
    this.#context = context;
    this.#options = options;
    this.#clock = steadyClock(context.clock);
    this.#selfTest = createSelfTest(context.paths);
    this.#passes = createWatchPasses(context, options, this.#clock);
    this.#pulse = startPulse(context, options.command);
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    const stop = () => this.#wake();
    signal.addEventListener('abort', stop);
    try {
      await this.#retried(() => this.#arm('started'));
      while (!signal.aborted) {
        await this.#retried(() => this.#turn());
        await this.#sleep();
      }
      const needsScan = this.#isScanning || this.#pulse.mode !== 'live';
      await this.#retried(() => drain(this.#context, this.#clock, this.#passes, this.#hints, needsScan));
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    this.#pulse.stop();
    await this.#directories?.close();
    await this.#passes.settled();
  }

  /** Watches from here on, then looks at everything: what happened before is seen by the look, the rest by events (SY-52). */
  async #arm(reason: string): Promise<void> {
    const { paths } = this.#context;
    await this.#directories?.close();
    makeFirstDirectories(this.#context);
    const watch = this.#options.watchDirectories ?? watchDirectories;
    const directories = watch(
      paths,
      (path) => this.#hinted(path),
      (failure) => this.#degrade(failure),
    );
    this.#directories = directories;
    const isReady = await this.#ready(directories);
    if (reason !== 'started') this.#options.onEvent({ kind: 'rearmed', reason });
    const files = await this.#scan();
    if (reason === 'started') this.#options.onEvent({ kind: 'started', files });
    if (isReady) await this.#test();
  }

  async #ready({ ready }: WatchedDirectories): Promise<boolean> {
    const { promise: late, cancel } = timer(READY_WITHIN_MS, this.#options.signal);
    try {
      await Promise.race([ready, late.then(() => Promise.reject(new Error('it does not get ready')))]);
      return true;
    } catch (error) {
      this.#degrade(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      cancel();
    }
  }

  #hinted(path: string): void {
    if (this.#selfTest.saw(path)) return;
    const { paths } = this.#context;
    if (path === paths.feedback || path === paths.facts || path === paths.memory) this.#due.places = 0;
    else if (isMemoryFile(path, paths.memory)) this.#hints.add(path.slice(paths.memory.length + 1), this.#clock());
    else return;
    this.#wake();
  }

  /** Everything that is due, one after the other. */
  async #turn(): Promise<void> {
    const now = this.#clock();
    const { signal } = this.#options;
    if (this.#isDue('places', now, PLACES_EVERY_MS)) await this.#checkPlaces();
    if (this.#isDue('rows', now, ROWS_EVERY_MS)) this.#noticeRows();
    const paths = this.#hints.takeDue(now);
    if (paths.length > 0 || this.#passes.hasRows()) {
      try {
        if (!(await this.#passes.hinted(paths, this.#hints))) await this.#scan();
      } catch (error) {
        // Nothing that was hinted at is forgotten.
        for (const path of paths) this.#hints.addLater(path, now + PLACES_EVERY_MS);
        throw error;
      }
    }
    if (signal.aborted) return;
    if (now >= this.#due.scan) await this.#scan();
    if (this.#pulse.mode === 'degraded' && this.#isDue('selfTest', now, SELF_TEST_EVERY_MS)) await this.#test();
    if (this.#isDue('checkpoint', now, CHECKPOINT_EVERY_MS)) checkpoint(this.#context.store.db);
  }

  #isDue(what: 'rows' | 'places' | 'checkpoint' | 'selfTest', now: number, everyMs: number): boolean {
    if (now < this.#due[what]) return false;
    this.#due[what] = now + everyMs;
    return true;
  }

  /** Other directories or another database where ours were: events and rows are of something else (SY-53, SY-64). */
  async #checkPlaces(): Promise<void> {
    const { store, paths } = this.#context;
    if (store.path !== null && databaseIdentity(store.path) !== store.identity) {
      this.#context = await this.#options.reopen();
      this.#passes = createWatchPasses(this.#context, this.#options, this.#clock);
      this.#rows = -1;
      this.#options.onEvent({ kind: 'reopened' });
      await this.#scan();
    }
    const now = watchedIdentities(paths);
    const watched = this.#directories?.identities ?? [];
    if (now.some((identity, at) => identity !== watched[at])) await this.#arm('another directory');
  }

  #noticeRows(): void {
    const { db } = this.#context.store;
    const version = dataVersion(db);
    if (version === this.#rows) return;
    this.#rows = version;
    if (hasChanges(db)) this.#passes.noticeRows();
  }

  /** Looks at every file; returns how many there are. */
  async #scan(): Promise<number> {
    this.#isScanning = true;
    const { fileCount, nextInMs } = await this.#passes.full(this.#hints, this.#pulse.mode === 'degraded');
    this.#isScanning = false;
    this.#due.scan = this.#clock() + nextInMs;
    this.#due.checkpoint = Math.min(this.#due.checkpoint, this.#clock() + CHECKPOINT_EVERY_MS);
    return fileCount;
  }

  async #test(): Promise<void> {
    const passed = await this.#selfTest.run(this.#options.signal);
    if (this.#options.signal.aborted) return;
    this.#due.selfTest = this.#clock() + SELF_TEST_EVERY_MS;
    this.#pulse.set({ selfTest: { atMs: this.#context.clock(), passed } });
    if (passed) this.#setMode('live', 'events arrive');
    else this.#degrade('self-test failed');
  }

  #degrade(reason: string): void {
    this.#setMode('degraded', reason);
    this.#due.scan = 0;
    this.#wake();
  }

  #setMode(mode: WatcherState['mode'], reason: string): void {
    if (this.#pulse.mode === mode) return;
    this.#pulse.set({ mode });
    this.#options.onEvent({ kind: 'mode', mode, reason });
  }

  /** What may succeed later is said once and tried again; anything else ends the watch. */
  async #retried(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failure = null;
    } catch (raw) {
      if (this.#options.signal.aborted && raw === this.#options.signal.reason) return;
      const error = translateSqliteError(raw);
      if (!(error instanceof EngramError) || !error.retryable) throw error;
      if (this.#failure !== error.code) {
        this.#options.onEvent({ kind: 'failed', code: error.code, message: error.message });
      }
      this.#failure = error.code;
      this.#due.scan = Math.min(this.#due.scan, this.#clock() + PLACES_EVERY_MS);
    }
  }

  /** Until the next thing is due, somebody wakes it, or the watch ends. */
  async #sleep(): Promise<void> {
    const now = this.#clock();
    const nextMs = Math.min(
      this.#due.rows,
      this.#due.places,
      Math.max(this.#due.scan, this.#failure === null ? 0 : now + ROWS_EVERY_MS),
      this.#hints.nextDueMs() ?? Number.POSITIVE_INFINITY,
    );
    const { promise, cancel } = timer(Math.max(0, Math.min(nextMs - now, ROWS_EVERY_MS)), this.#options.signal);
    this.#wake = cancel;
    await promise;
    this.#wake = () => {};
  }
}
