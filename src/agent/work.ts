import type { FeedbackFields } from './correction-fields.ts';

/** Where an answer to a message goes: to its author, on its thread (section 11). */
export interface Reply {
  readonly to: string;
  readonly thread: string;
  /** Id of the message. */
  readonly re: string;
}

/** Why something is learned; it decides confidence and words. */
export type LearnOrigin = 'correction' | 'confirmation' | 'failure' | 'learned' | 'fact';

/** Feedback that is to be stored. */
export interface FeedbackToLearn extends FeedbackFields {
  readonly type: 'feedback';
}

export interface FactToLearn {
  readonly type: 'fact';
  readonly situation: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

interface WorkBase {
  /** The same work is planned once, and done once. */
  readonly key: string;
}

/** The answer to an intent. */
export interface AnswerWork extends WorkBase {
  readonly kind: 'answer';
  readonly intentKey: string;
}

/** A model's view of a reply in an argument. */
export interface ReplyWork extends WorkBase {
  readonly kind: 'reply';
  readonly argument: number;
  readonly message: { readonly id: string; readonly from: string; readonly text: string; readonly atMs: number };
}

/** Something to store, and what is said about it. */
export interface LearnWork extends WorkBase {
  readonly kind: 'learn';
  readonly origin: LearnOrigin;
  readonly reply: Reply;
  readonly record: FeedbackToLearn | FactToLearn;
  readonly confidence: number;
  readonly source: string;
  readonly everywhere: boolean;
  /** Of the draft it was. */
  readonly draft: number | null;
  /** The intent it is about: a memory that covers it, and was not shown then, was missed (AG-37). */
  readonly intentKey: string | null;
}

/** What a model finds in a message besides the built-in rules (AG-12). */
export interface ExtractWork extends WorkBase {
  readonly kind: 'extract';
  readonly want: 'feedback' | 'facts';
  readonly reply: Reply;
  readonly message: { readonly from: string; readonly type: string; readonly text: string };
  readonly context: readonly { readonly from: string; readonly type: string; readonly text: string }[];
}

export type Work = AnswerWork | ReplyWork | LearnWork | ExtractWork;
