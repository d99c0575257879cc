import { EngramError } from '../errors.ts';
import { exactKey } from '../memory/exact-key.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { findLearnAnswer, keepLearnAnswer } from '../store/learn-answers.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { immediately, type Transactable } from '../store/transaction.ts';
import { contentHash } from '../text/content-hash.ts';
import type { LearnOutcome } from './learn.ts';

/** A call that its caller may repeat, since an answer can get lost on the way (SE-53). */
export interface RepeatableCall {
  readonly key: string;
  readonly record: MemoryRecord;
  readonly supersedes: readonly string[];
}

/**
 * The answer that a call with this key got, or null for a new one.
 *
 * @throws EngramError `usage` when the key belongs to a call with another draft
 */
export function answeredBefore(db: SqliteDatabase, call: RepeatableCall): LearnOutcome | null {
  const found = findLearnAnswer(db, contentHash(call.key));
  if (found === null) return null;
  if (found.draftHash !== draftHash(call)) {
    throw new EngramError('usage', 'this idempotency key belongs to another draft', {
      hint: 'Use a new key for each memory.',
    });
  }
  return JSON.parse(found.answer) as LearnOutcome;
}

/** Keeps the answer for a repeated call. A question back to a person is no answer: the call that answers it goes on. */
export function keepAnswer(store: Transactable, call: RepeatableCall, outcome: LearnOutcome, nowMs: number): void {
  const kept = {
    keyHash: contentHash(call.key),
    draftHash: draftHash(call),
    answer: JSON.stringify(outcome),
    atMs: nowMs,
    conflictId: null,
  };
  immediately(store, () => keepLearnAnswer(store.db, kept));
}

function draftHash({ record, supersedes }: RepeatableCall): string {
  const { behavior, impact, source } = record;
  return contentHash(JSON.stringify([exactKey(record), behavior, impact, source, supersedes]));
}
