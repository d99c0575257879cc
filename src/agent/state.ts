import type { MessageId } from '../chat/message.ts';
import type { MemoryName } from '../memory/slug.ts';

/** What the agent knows of one chat. Values only; `Turn` makes the next one. */
export interface AgentState {
  /** How it is called there. */
  readonly name: string;
  /** By key; the last 20 of each sender, 24 hours at most (AG-36). */
  readonly intents: ReadonlyMap<string, AgentIntent>;
  /** By number: those that are not closed, and those that closed within 24 hours (AG-16). */
  readonly arguments: ReadonlyMap<number, Argument>;
  /** By number: open ones. */
  readonly drafts: ReadonlyMap<number, CorrectionDraft>;
  /** The last messages of each sender, oldest first, by folded name without `/sub-N`. */
  readonly senders: ReadonlyMap<string, readonly Heard[]>;
  /** The last messages, oldest first, as a model is shown what went before. */
  readonly recent: readonly { readonly from: string; readonly type: string; readonly text: string }[];
  /** What the agent posted within 24 hours, oldest first (AG-43). */
  readonly posted: readonly PostedText[];
  readonly memo: ChatMemo;
}

/** `noted`: not addressed to the agent. `expired`: too old for an answer (AG-7). `elsewhere`: somebody answered in its name. */
export type IntentState = 'noted' | 'open' | 'acked' | 'waited' | 'failed' | 'expired' | 'elsewhere';

/** An intent that was read. */
export interface AgentIntent {
  readonly key: string;
  readonly id: MessageId;
  readonly line: number;
  /** As written. */
  readonly initiator: string;
  readonly thread: string;
  readonly text: string;
  readonly situation: string;
  readonly behavior: string;
  readonly state: IntentState;
  readonly readAtMs: number;
  /** By its own `ts`; when it was read where it has none. */
  readonly sentAtMs: number;
  /** Memories shown in full for it. */
  readonly shown: readonly MemoryName[];
  /** Its failure has been dealt with; there is one a intent (AG-37). */
  readonly failed: boolean;
}

/** `escalated`: a person has to decide. */
export type ArgumentState = 'open' | 'countered' | 'escalated' | 'closed';

/** A memory that an objection names. */
export interface ArgumentMemory {
  readonly name: MemoryName;
  /** Shown in full, and so counted in the end (AG-30). */
  readonly isFull: boolean;
  readonly situation: string;
  readonly behavior: string;
  readonly impact: string;
  readonly action: string;
}

export interface ArgumentInput {
  readonly from: string;
  readonly text: string;
}

/** An objection of the agent and what came of it (section 6). */
export interface Argument {
  readonly number: number;
  readonly initiator: string;
  readonly thread: string;
  /** The challenged intent. */
  readonly intentKey: string;
  readonly intentId: MessageId;
  readonly situation: string;
  readonly behavior: string;
  readonly memories: readonly ArgumentMemory[];
  /** Ids of its messages: objection, replies, counter, escalation. */
  readonly messages: readonly string[];
  readonly inputs: readonly ArgumentInput[];
  readonly state: ArgumentState;
  /** Null while it is not closed, and where nothing was counted. */
  readonly outcome: 'followed' | 'not-followed' | 'irrelevant' | null;
  readonly deadlineMs: number;
  readonly openedAtMs: number;
  readonly closedAtMs: number | null;
  /** The lead was asked, not the initiator (AG-31). */
  readonly isWithLead: boolean;
}

/** A correction that is not stored yet (AG-34). */
export interface CorrectionDraft {
  readonly number: number;
  /** The agent that passed the user's words on. */
  readonly from: string;
  readonly thread: string;
  /** Id of the message with the words. */
  readonly cause: string;
  readonly situation: string;
  readonly behavior: string;
  readonly impact: string;
  readonly action: string;
  /** Keys without which it cannot be stored; empty: it waits for a yes. */
  readonly missing: readonly string[];
  /** A rejection without a word of what is wanted: stored after 24 hours (AG-35). */
  readonly isBareRejection: boolean;
  readonly everywhere: boolean;
  /** Stored at once when it is complete. */
  readonly isCertain: boolean;
  /** Ids of the questions about it. */
  readonly questions: readonly string[];
  readonly state: 'open' | 'stored' | 'dropped';
  readonly atMs: number;
}

/** What a message was, for the ones that come after it. */
export interface Heard {
  readonly from: string;
  readonly to: string;
  readonly thread: string;
  readonly type: string;
  readonly line: number;
  readonly atMs: number;
  /** It passed a user's words on. */
  readonly isParrot: boolean;
}

export interface PostedText {
  readonly thread: string;
  readonly text: string;
  readonly atMs: number;
}

/** Counts since `ready` (AG-53). */
export interface Metrics {
  readonly seen: number;
  readonly acked: number;
  readonly waited: number;
  readonly failed: number;
  readonly late: number;
  readonly queueMax: number;
  readonly followed: number;
  readonly notFollowed: number;
  readonly irrelevant: number;
  readonly timedOut: number;
  readonly surfaced: number;
  readonly missed: number;
  readonly learnedFeedback: number;
  readonly learnedFacts: number;
  readonly replaced: number;
  readonly duplicates: number;
  readonly conflicts: number;
  readonly drafts: number;
  readonly errors: number;
  /** How long the last answers took, at most 1,000. */
  readonly answerMs: readonly number[];
}

/** What is known of the chat as a whole. */
export interface ChatMemo {
  readonly argumentCount: number;
  readonly draftCount: number;
  readonly readyAtMs: number | null;
  /** Null while it runs, and after a crash. */
  readonly stoppedAtMs: number | null;
  readonly heartbeatAtMs: number | null;
  readonly queueNoticeAtMs: number | null;
  readonly paceNoticeAtMs: number | null;
  /** When the last memories were learned, within 10 min. */
  readonly learnedAtMs: readonly number[];
  /** When each fact was sent last, by initiator, thread and name (AG-19). */
  readonly factsSent: Readonly<Record<string, number>>;
  readonly metrics: Metrics;
  /** How the process is, for `agent status`; null before it is known. */
  readonly condition: Condition | null;
}

/** What does not come from messages. */
export interface Condition {
  readonly project: string | null;
  readonly learns: boolean;
  readonly judge: {
    readonly kind: string;
    readonly calls: number;
    readonly failures: number;
    readonly fallbacks: number;
    readonly late: number;
  };
  readonly damagedRanges: number;
  /** Parts that do not work as they should. */
  readonly degraded: readonly string[];
}

export const NO_METRICS: Metrics = {
  seen: 0,
  acked: 0,
  waited: 0,
  failed: 0,
  late: 0,
  queueMax: 0,
  followed: 0,
  notFollowed: 0,
  irrelevant: 0,
  timedOut: 0,
  surfaced: 0,
  missed: 0,
  learnedFeedback: 0,
  learnedFacts: 0,
  replaced: 0,
  duplicates: 0,
  conflicts: 0,
  drafts: 0,
  errors: 0,
  answerMs: [],
};

const NEW_MEMO: ChatMemo = {
  argumentCount: 0,
  draftCount: 0,
  readyAtMs: null,
  stoppedAtMs: null,
  heartbeatAtMs: null,
  queueNoticeAtMs: null,
  paceNoticeAtMs: null,
  learnedAtMs: [],
  factsSent: {},
  metrics: NO_METRICS,
  condition: null,
};

/** Of a chat that the agent never heard of. */
export function newState(name: string): AgentState {
  return {
    name,
    intents: new Map(),
    arguments: new Map(),
    drafts: new Map(),
    senders: new Map(),
    recent: [],
    posted: [],
    memo: NEW_MEMO,
  };
}

/** The same id at another line is another message (CH-8). */
export function intentKey({ id, line }: { readonly id: string; readonly line: number }): string {
  return `${id}@${line}`;
}
