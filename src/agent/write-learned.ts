import { EngramError } from '../errors.ts';
import type { LearnSearch } from '../learning/candidates.ts';
import { type Draft, secretInDraft } from '../learning/draft.ts';
import { learn } from '../learning/learn.ts';
import { type UnaskedOutcome, unaskedAnswer } from '../learning/learn-unasked.ts';
import { othersToFinish } from '../learning/writers-at-work.ts';
import type { MemoryRecord, MemoryType } from '../memory/record.ts';
import { directoryOfType, type MemoryName } from '../memory/slug.ts';
import type { QueryRequest } from '../search/query.ts';
import { translated } from '../store/sqlite-errors.ts';
import type { SyncContext } from '../sync/context.ts';

/** What became of something the agent learned; each has its message text (T16, T20, T21, T22, T25). */
export type LearnedOutcome =
  /** T16 */
  | { readonly kind: 'created'; readonly name: MemoryName; readonly record: MemoryRecord }
  /** T20 */
  | { readonly kind: 'duplicate'; readonly name: MemoryName }
  /** T22; `record` is what the memory says now. */
  | { readonly kind: 'replaced'; readonly name: MemoryName; readonly record: MemoryRecord }
  /** T21: both are kept. */
  | {
      readonly kind: 'conflict';
      readonly name: MemoryName;
      readonly record: MemoryRecord;
      readonly other: MemoryName;
      readonly otherIsCore: boolean;
      /** null = unknown. */
      readonly otherConfidence: number | null;
      readonly conflictId: number;
    }
  /** T25: nothing was stored; `secret` is its kind. */
  | { readonly kind: 'secret'; readonly secret: string }
  /** Nothing was stored: it is no valid memory (MF-12), or holds nothing but what engram itself printed. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface LearnedOptions {
  readonly project: QueryRequest['project'];
  readonly everywhere: boolean;
  /**
   * The same key gives the same answer again (AG-10): replay after a crash. One key for each draft: chat file, message and
   * the draft's place in it.
   */
  readonly idempotencyKey: string;
  /** `learned` messages replace no record whose source is the user (AG-40). */
  readonly sparesUserRecords?: boolean;
  readonly singleValued?: string;
  /** A model's view; may only turn `same` or `opposite` into `different` (AG-45). null: no model. Never throws. */
  readonly relation?: (a: MemoryRecord, b: MemoryRecord) => Promise<'same' | 'opposite' | 'different' | null>;
}

export interface LearnedTools {
  readonly context: SyncContext;
  readonly search: LearnSearch;
  /** Takes in what changed on either side; names memories whose file is gone. */
  refresh(): Promise<{ readonly missing: readonly MemoryName[] }>;
}

/**
 * Writes what the agent learned, by the table of AG-46 and through the one write function (D11, AG-47).
 *
 * @throws EngramError where it can be tried again, or the machine is at fault: `lock.timeout`, `write.contended`,
 * `disk.full`, `file.write`, `data-root.read-only`, `database.*`
 */
export async function writeLearned(
  { context, search, refresh }: LearnedTools,
  draft: Draft,
  options: LearnedOptions,
): Promise<LearnedOutcome> {
  const { project, everywhere, idempotencyKey, singleValued, sparesUserRecords, relation } = options;
  const secret = secretInDraft(draft);
  if (secret !== null) return { kind: 'secret', secret };
  const { missing } = await refresh();
  if (missing.length > 0) {
    // What has just been deleted must not pass for known.
    const { syncAll } = await import('../sync/sync.ts');
    translated(() => syncAll(context));
  }
  try {
    const outcome = await learn(context, search, draft, {
      scope: { project, without: missing },
      everywhere,
      idempotencyKey,
      ...(singleValued === undefined ? {} : { singleValued }),
      unasked: {
        ...(sparesUserRecords === undefined ? {} : { sparesUserRecords }),
        ...(relation === undefined ? {} : { relation }),
      },
    });
    return asLearned(outcome);
  } catch (error) {
    if (!(error instanceof EngramError) || error.code !== 'memory.invalid') throw error;
    return { kind: 'refused', reason: error.message };
  }
}

/**
 * What `writeLearned` did under this key before, or null (AG-10). For callers that ask something else first: what was
 * learned before a crash would be found as known.
 *
 * @throws EngramError `disk.full`, `file.write`, `database.*`
 */
export async function learnedBefore(
  context: SyncContext,
  type: MemoryType,
  idempotencyKey: string,
): Promise<LearnedOutcome | null> {
  // What a dead process left of its write has the answer with it.
  await othersToFinish(context, directoryOfType(type));
  const outcome = unaskedAnswer(context, idempotencyKey);
  return outcome === null ? null : asLearned(outcome);
}

function asLearned(outcome: UnaskedOutcome): LearnedOutcome {
  if (outcome.kind !== 'conflict') return outcome;
  const { other, ...rest } = outcome;
  const { core, initial_confidence } = other.record;
  return { ...rest, other: other.name, otherIsCore: core, otherConfidence: initial_confidence };
}
