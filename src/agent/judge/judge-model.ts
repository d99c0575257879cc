/** One question, ready to be sent: the instructions are ours, every stored or quoted text stands in the document (AG-52). */
export interface Question {
  readonly task: 'applies' | 'reply' | 'extract' | 'relation';
  readonly instructions: string;
  /** Without the instructions; every value is plain JSON. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** What came of it; `text` is what the model said, whatever that is. */
export type Asked =
  | { readonly kind: 'answer'; readonly text: string }
  /** `late`: its time was over. `detail` may repeat what it was sent: for a person who is looking, never for a log. */
  | { readonly kind: 'failed' | 'late'; readonly reason: string; readonly detail?: string };

export interface AskLimits {
  /** For everything, to the last byte. */
  readonly timeoutMs: number;
  /** Breaks it off. */
  readonly signal: AbortSignal;
}

/** A model of language: a command or a server. It is asked as often as somebody wants to know; `guard.ts` decides that. */
export interface JudgeModel {
  readonly kind: 'command' | 'openai';
  /** Never throws, and leaves nothing behind: no process, no request. */
  ask(question: Question, limits: AskLimits): Promise<Asked>;
}
