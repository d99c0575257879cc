import type { Draft } from '../../learning/draft.ts';
import type { MemoryRecord } from '../../memory/record.ts';
import type { MemoryName } from '../../memory/slug.ts';
import type { IntentText } from '../intent-text.ts';

/** A feedback memory as a judge is shown it. */
export interface JudgedMemory {
  readonly name: MemoryName;
  readonly situation: string;
  readonly behavior: string;
  readonly impact: string;
  readonly action: string;
}

/** A message as a judge is shown it. */
export interface JudgedMessage {
  readonly from: string;
  readonly type: string;
  readonly text: string;
}

/** What the initiator said in an argument, oldest first. */
export interface ReplyInput {
  readonly from: string;
  readonly text: string;
}

/** Whether a memory interrupts: `follows` = what is announced is what the memory demands. */
export interface Applies {
  readonly verdict: 'applies' | 'follows' | 'unrelated';
  /** 0..1 */
  readonly score: number;
  /** Behind `Why: ` (T9): one line, at most 300 characters, without a full stop at its end. */
  readonly reason: string;
  /** `builtin` although a model is configured: it failed, was late or is given a rest (AG-20, AG-25). */
  readonly by: 'builtin' | 'model';
}

export interface ReplyVerdict {
  readonly verdict: 'concedes' | 'exception' | 'irrelevant' | 'persists';
  /** As that of `Applies`. */
  readonly reason: string;
}

/** What a model found in a message. */
export interface ExtractItem {
  /** Valid by MF-12; without source and confidence, which come from the trigger (AG-26). */
  readonly draft: Draft;
  /** A verbatim part of the message. */
  readonly evidence: string;
}

export interface JudgeStatistics {
  /** Questions put to the model. */
  readonly calls: number;
  /** Of these: no answer, none in time, or none of those that were listed. */
  readonly failures: number;
  /** Questions for the model that the built-in rules answered. */
  readonly fallbacks: number;
  /** Of the failures: no verdict by the deadline. */
  readonly late: number;
}

/**
 * What the agent asks about meaning (AG-21). No call fails because of a model, or answers later than its deadline: the built-in
 * rules stand in (AG-25), which for the last three are the caller's own rules, asked for by null.
 */
export interface Judge {
  readonly kind: 'builtin' | 'command' | 'openai';
  /**
   * A verdict for each memory, in their order.
   *
   * @param deadlineMs - from now, for all of them; AG-25 has 3,500
   * @throws EngramError `database.*`
   */
  applies(intent: IntentText, memories: readonly JudgedMemory[], deadlineMs: number): Promise<readonly Applies[]>;
  /** What the last of the inputs says about the memory that was shown. Within 60 s; null: the built-in classes decide. */
  reply(intent: IntentText, memory: JudgedMemory, inputs: readonly ReplyInput[]): Promise<ReplyVerdict | null>;
  /**
   * What there is to learn from a message. Within 60 s; null: the built-in rules alone.
   *
   * @param context - the messages before it, oldest first; the last 10 are sent
   */
  extract(
    message: JudgedMessage,
    context: readonly JudgedMessage[],
    want: 'feedback' | 'facts',
  ): Promise<readonly ExtractItem[] | null>;
  /** How two records of one type relate. Within 60 s; null: no model, or none that answers. */
  relation(a: MemoryRecord, b: MemoryRecord): Promise<'same' | 'opposite' | 'different' | null>;
  /**
   * Loads what the built-in rules need, and asks a model one made-up question.
   *
   * @param deadlineMs - from now; 10,000 when not given: some models are loaded by the first question
   * @returns why the model does not answer, null where it does
   */
  probe(deadlineMs?: number): Promise<string | null>;
  readonly statistics: JudgeStatistics;
  /** The built-in rules stand in for a model after three failures in a row. */
  readonly degraded: boolean;
  /** Breaks off what is being asked; those questions are answered as if the model had failed. */
  close(): void;
}
