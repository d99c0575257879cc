import { homedir, tmpdir } from 'node:os';
import { systemClock } from './clock.ts';
import { type EngramStatus, openEngram as openWired, rebuildEngram as rebuildWired } from './engram.ts';
import { type Choice, type Resolution, resolveClash } from './learning/clashes.ts';
import type { Draft } from './learning/draft.ts';
import { type EditedFields, type EditOutcome, editMemoryFields, setPinned } from './learning/edit.ts';
import { forget, restore } from './learning/forget.ts';
import type { LearnOutcome } from './learning/learn.ts';
import { countOutcome, type Outcome, type OutcomeResult } from './learning/outcomes.ts';
import { type Keep, type Settlement, settleContradiction } from './learning/settle-contradiction.ts';
import type { LearnOptions, OpenOptions, QueryOptions } from './library-options.ts';
import type { MemoryRecord, MemoryType } from './memory/record.ts';
import type { MemoryName } from './memory/slug.ts';
import { type ProjectIdentity, resolveProject } from './project/identity.ts';
import type { QueryAnswer } from './search/answer.ts';
import { type ContextMemory, listContext } from './search/context.ts';
import type { EmbeddingSettings } from './search/embedder-source.ts';
import type { QueryRequest } from './search/query.ts';
import type { Policy } from './search/relevance.ts';
import { listConflicts } from './store/conflicts.ts';
import { projectBindings } from './store/projects.ts';
import { translated } from './store/sqlite-errors.ts';
import { type CheckFinding, checkStore } from './sync/check.ts';
import { presentRecord } from './sync/present-record.ts';
import type { RebuildReport } from './sync/rebuild.ts';
import { type RepairOptions, type RepairReport, repairStore } from './sync/repair.ts';
import type { SyncReport } from './sync/report.ts';
import type { SyncOptions } from './sync/sync.ts';

export { type AppendOptions, appendMessages, type Posted } from './chat/append.ts';
export { type AwaitOptions, awaitAnswers } from './chat/await-answers.ts';
export type { MessageDraft } from './chat/draft.ts';
export { findChat } from './chat/find-chat.ts';
export { type ChatFollower, type ChatNews, followChat } from './chat/follow.ts';
export type { AnswerOutcome, AnswerQuestion } from './chat/judge-answers.ts';
export type { Message } from './chat/message.ts';
export type { ChatPlace } from './chat/place.ts';
export { type ChatEnd, readChatEnd } from './chat/read-end.ts';
export { readChatPresence } from './chat/read-presence.ts';
export { EngramError, type ErrorCode } from './errors.ts';
export type { OutcomeKind } from './learning/outcomes.ts';
export type { Hit } from './search/answer.ts';
export type { SyncStep } from './sync/report.ts';
export type {
  CheckFinding,
  Choice,
  ContextMemory,
  Draft,
  EditedFields,
  EditOutcome,
  EmbeddingSettings,
  EngramStatus,
  Keep,
  LearnOptions,
  LearnOutcome,
  MemoryName,
  MemoryRecord,
  MemoryType,
  OpenOptions,
  Outcome,
  OutcomeResult,
  Policy,
  ProjectIdentity,
  QueryAnswer,
  QueryOptions,
  RebuildReport,
  RepairOptions,
  RepairReport,
  Resolution,
  Settlement,
  SyncOptions,
  SyncReport,
};

/** A text of `name` that both sides changed; or with `other`, two memories that contradict. Open while `resolution` is null. */
export interface Conflict {
  readonly id: number;
  readonly name: string;
  readonly field: string;
  readonly baseValue: string | null;
  readonly fileValue: string | null;
  readonly rowValue: string | null;
  /** The older of two memories that contradict in `field`. */
  readonly other: string | null;
  readonly resolution: string | null;
}

/**
 * An open store. Names are `feedback/<slug>`, `facts/<slug>` or the slug alone. Every method takes in first what changed
 * in the files, and fails with an `EngramError` whose `code` says what happened.
 */
export interface EngramStore extends Disposable {
  /** The project in force, and how it was found. */
  readonly project: ProjectIdentity;
  /** The memories that apply to a situation, best first; an answer without hits says why. */
  query(text: string, options?: QueryOptions): Promise<QueryAnswer>;
  /** The memories near one that is known; without itself. */
  related(name: string, options?: QueryOptions): Promise<QueryAnswer>;
  /** What a session in this project may start with, best first. */
  context(): Promise<readonly ContextMemory[]>;
  /** One memory as file and row agree on it. @throws EngramError `memory.not-found`, `memory.ambiguous` */
  get(name: string): Promise<{ readonly name: MemoryName; readonly record: MemoryRecord }>;
  /** Writes a new memory, unless the same is known or a person has to decide. @throws EngramError `memory.invalid`, its message names the key */
  learn(draft: Draft, options?: LearnOptions): Promise<LearnOutcome>;
  /** Counts what became of a memory that was shown. A repeated `eventKey` counts once. */
  outcome(name: string, outcome: Outcome): Promise<OutcomeResult>;
  /** Changes fields in place; the old text is in history. @throws EngramError `memory.invalid`, `memory.read-only` */
  edit(name: string, fields: EditedFields): Promise<EditOutcome>;
  /** Makes a memory core (true) or takes it out (false), for good. */
  pin(name: string, pinned: boolean): Promise<EditOutcome>;
  /** Archives a memory; resolves with its full name, under which `restore` finds it. */
  forget(name: string): Promise<MemoryName>;
  /** Brings an archived memory back byte for byte. @throws EngramError `memory.exists` when its name is taken */
  restore(name: string): Promise<MemoryRecord>;
  /** Makes files and rows equal; waits up to 2.5 s for files that are being written. */
  sync(options?: SyncOptions): Promise<SyncReport>;
  /** Counts what is there; changes nothing. */
  status(): Promise<EngramStatus>;
  /** Looks for damage and disagreement; changes nothing. */
  check(): Promise<readonly CheckFinding[]>;
  /** Puts right what `check` finds and needs no decision. */
  repair(options?: RepairOptions): Promise<RepairReport>;
  /** The open conflicts. */
  conflicts(): Promise<readonly Conflict[]>;
  /** Takes one text of a conflict for both sides. @throws EngramError `conflict.not-found`, `usage` for one of two memories */
  resolve(id: number, choice: Choice): Promise<Resolution>;
  /** Keeps one of two memories that contradict, and archives the other one; or both. @throws EngramError `conflict.not-found`, `usage` */
  settle(id: number, keep: Keep): Promise<Settlement>;
  /** Closes the database. Nothing is pending: a promise that resolved is on disk. */
  close(): void;
}

/**
 * Opens a data root, makes or migrates its database where needed.
 *
 * ```ts
 * using engram = await openEngram({ root: '/home/me/.local/share/engram' });
 * const { hits } = await engram.query('about to regenerate the API client');
 * ```
 *
 * @throws EngramError `data-root.invalid`, `data-root.network`, `database.damaged`, `database.newer`, `native-module`
 */
export async function openEngram(options: OpenOptions): Promise<EngramStore> {
  const engram = await openWired({ origin: 'library', clock: systemClock, ...options });
  const { context } = engram;
  const { store } = context;
  const project = translated(() => projectOf(options, store));
  /** Runs `work` on the memory that `name` means. */
  const on = async <T>(name: string, work: (found: MemoryName) => T): Promise<T> => {
    const found = await engram.find(name);
    return translated(() => work(found));
  };
  /** A question to the store as it is by now. */
  const asked = async (options: QueryOptions = {}): Promise<Omit<QueryRequest, 'text'>> => {
    const { stale, missing } = await engram.refresh();
    return { ...options, project, without: missing, stale, degraded: store.readOnly ? ['read_only'] : [] };
  };
  return {
    project,
    query: async (text, options) => {
      const request = await asked(options);
      return engram.query({ ...request, text });
    },
    related: async (name, options) => {
      const request = await asked(options);
      const anchor = await on(name, (found) => ({ name: found, record: presentRecord(store.db, found) }));
      return engram.related(anchor, request);
    },
    context: async () => {
      const { missing } = await engram.refresh();
      return translated(() => listContext(store, { project, nowMs: context.clock(), without: missing }));
    },
    get: (name) => on(name, (found) => ({ name: found, record: presentRecord(store.db, found) })),
    learn: async (draft, options = {}) => {
      const outcome = await engram.learn(draft, { ...options, project });
      await engram.embedNew();
      return outcome;
    },
    outcome: (name, outcome) =>
      on(name, (found) => countOutcome(context, found, { project: project.name, ...outcome })),
    edit: (name, fields) => on(name, (found) => editMemoryFields(context, found, fields)),
    pin: (name, pinned) => on(name, (found) => setPinned(context, found, pinned)),
    forget: (name) =>
      on(name, (found) => {
        forget(context, found);
        return found;
      }),
    restore: async (name) => {
      const found = await engram.find(name, 'archived');
      return translated(() => restore(context, found));
    },
    sync: (how) => engram.sync(how),
    status: engram.status,
    check: async () => checkStore(context),
    repair: async (how) => repairStore(context, how),
    conflicts: async () => {
      await engram.refresh();
      return translated(() => listConflicts(store.db, { all: false }).map(asConflict));
    },
    resolve: async (id, choice) => {
      await engram.refresh();
      return translated(() => resolveClash(context, id, choice));
    },
    settle: async (id, keep) => {
      await engram.refresh();
      return translated(() => settleContradiction(context, id, keep));
    },
    close: engram.close,
    [Symbol.dispose]: engram.close,
  };
}

/**
 * Builds what the database derives from the files anew; a damaged database is moved to `backups/`. Nobody may have the
 * store open.
 *
 * @throws EngramError `data-root.read-only`, and those of `openEngram` but for `database.damaged`
 */
export async function rebuildEngram(options: Pick<OpenOptions, 'root' | 'origin' | 'clock'>): Promise<RebuildReport> {
  return rebuildWired({ origin: 'library', clock: systemClock, ...options });
}

function projectOf(
  { project, cwd, clock = systemClock }: OpenOptions,
  store: Parameters<typeof projectBindings>[0],
): ProjectIdentity {
  const place = { cwd: cwd ?? process.cwd(), home: homedir(), tempDir: tmpdir() };
  return resolveProject({ explicit: project ?? null, environment: null, ...place }, projectBindings(store, clock));
}

function asConflict(row: ReturnType<typeof listConflicts>[number]): Conflict {
  const { id, name, field, base_value, file_value, row_value, other, resolution } = row;
  return { id, name, field, baseValue: base_value, fileValue: file_value, rowValue: row_value, other, resolution };
}
