import { EngramError } from '../errors.ts';
import type { LearnSearch } from '../learning/candidates.ts';
import { countOutcome } from '../learning/outcomes.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { QueryRequest } from '../search/query.ts';
import { listDecidedCounts, markCounted } from '../store/agent-counts.ts';
import type { SyncContext } from '../sync/context.ts';
import type { Refreshed } from '../sync/refresh.ts';
import { findCovering } from './covering.ts';
import { countKey } from './journal.ts';
import type { Judge } from './judge/judge.ts';
import type { LearnResult } from './learned.ts';
import type { FeedbackToLearn, LearnWork } from './work.ts';
import { learnedBefore, writeLearned } from './write-learned.ts';

/** What the agent asks of the rest of engram. */
export interface AgentTools extends LearnSearch {
  /** The open store; another one after it was replaced. */
  context(): SyncContext;
  refresh(): Promise<Refreshed>;
  /** Resolves once what was changed while nobody watched is taken in. */
  readonly current: Promise<void>;
  readonly judge: Judge;
  /** Predicates of facts that have one object at a time. */
  readonly singleValued?: string;
}

/**
 * Stores what is to be learned, or finds the memory that covers it (AG-37, AG-46). The same work again, after a crash, gives
 * the same result and no second memory.
 *
 * @throws EngramError as `writeLearned`
 */
export async function doLearn(
  tools: Omit<AgentTools, 'judge' | 'current'> & { readonly judge?: Pick<Judge, 'relation'> },
  work: LearnWork,
  { chatFile, project, shown }: LearnPlace,
): Promise<LearnResult> {
  const { record, confidence, source, everywhere, origin, intentKey } = work;
  const key = countKey(chatFile, work.key);
  if (record.type === 'feedback' && intentKey !== null) {
    // What this very work learned before a crash covers nothing.
    const before = await learnedBefore(tools.context(), record.type, key);
    if (before !== null) return before;
    const covering = await coveringName(tools, work, record, { project, shown });
    if (covering !== null) return { kind: 'covered', name: covering };
  }
  const learnTools = { context: tools.context(), search: tools, refresh: tools.refresh };
  return writeLearned(
    learnTools,
    { ...record, confidence, source },
    {
      project,
      everywhere,
      idempotencyKey: key,
      sparesUserRecords: origin === 'learned',
      ...(tools.judge === undefined ? {} : { relation: tools.judge.relation }),
      ...(tools.singleValued === undefined ? {} : { singleValued: tools.singleValued }),
    },
  );
}

/** Where something is learned. */
export interface LearnPlace {
  readonly chatFile: string;
  readonly project: QueryRequest['project'];
  /** Memories that were shown in full for the intent it is about. */
  readonly shown: readonly MemoryName[];
}

/** A failure of what a memory warned of in time is covered by it, however the words differ (AG-37). */
async function coveringName(
  tools: LearnSearch,
  { origin }: LearnWork,
  record: FeedbackToLearn,
  { project, shown }: Omit<LearnPlace, 'chatFile'>,
): Promise<MemoryName | null> {
  const [first] = shown;
  if (origin === 'failure' && first !== undefined) return first;
  const wanted = origin === 'failure' ? { ...record, action: '' } : record;
  return (await findCovering(tools, wanted, { project }))?.name ?? null;
}

/** How long a count whose file cannot be written now waits for the next try. */
export const COUNT_AGAIN_MS = 1000;

/**
 * Puts one decided count into its memory's file (AG-18).
 *
 * @returns whether there may be more to do now
 * @throws EngramError `database.busy`
 */
export function applyCount(context: SyncContext, skip: Set<string>): boolean {
  const { db } = context.store;
  const next = listDecidedCounts(db, skip.size + 1).find(({ key }) => !skip.has(key));
  if (next === undefined) return false;
  const { key, name, kind, project, situation, thread } = next;
  try {
    countOutcome(context, name, {
      kind,
      eventKey: key,
      project,
      ...(situation === null ? {} : { situation }),
      ...(thread === null ? {} : { thread }),
    });
  } catch (error) {
    if (!(error instanceof EngramError) || error.code === 'database.busy' || error.code === 'database.damaged')
      throw error;
    if (error.code !== 'memory.not-found') {
      // Its file is locked, or cannot be read: the others go on.
      skip.add(key);
      return true;
    }
  }
  markCounted(db, key, context.clock());
  return true;
}

/**
 * Takes in what was changed while nobody watched; then the first question loads index and model, and the judge is asked
 * whether it answers.
 *
 * @throws EngramError `database.*`
 */
export async function warmUp(tools: AgentTools, project: QueryRequest['project']): Promise<void> {
  await tools.current;
  await tools.judge.probe();
  await tools.query({ text: 'Loading the index and the model', project, policy: 'surface' });
}
