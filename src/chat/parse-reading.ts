import type { Message, MessageFields, MessageHead, MessagePlace } from './message.ts';
import type { Block, BlockHead } from './parse-block.ts';
import { NO_SUSPICION, type Suspicion } from './parse-suspicion.ts';

/** Lines that hold no message (CH-20). */
export interface DamagedRange {
  /** 1-based, both included. */
  readonly first: number;
  readonly last: number;
  readonly reason: string;
}

/** What some bytes gave, each message and each range once, in the order of the file. */
export interface Reading<M extends MessageHead = Message> {
  readonly messages: readonly M[];
  readonly damaged: readonly DamagedRange[];
}

/** The moment at which the end of a file is looked at. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** For how long the file has not changed, by its mtime for instance. */
  readonly unchangedMs: number;
}

/** A border between blocks, from which another reader can go on. A plain value. */
export interface ChatBorder {
  /** In bytes from the beginning of the file. */
  readonly offset: number;
  /** Line ends before it: the cursor (CH-22). */
  readonly cursor: number;
  readonly suspicion: Suspicion;
  /** Offset of damage that was reported already and whose end is not known. */
  readonly reported: number | null;
}

export const FILE_START: ChatBorder = { offset: 0, cursor: 0, suspicion: NO_SUSPICION, reported: null };

/** What stands at the end of a file (CH-13, CH-21). */
export interface ChatTail {
  /** The quotes that close the last block's open string of several lines; null when none is open. */
  readonly closing: '"""' | "'''" | null;
  /** The last block is not whole: a writer is at work, or was killed. */
  readonly unfinished: boolean;
  /** That string holds a header followed by `from =`: perhaps the messages of others who wrote behind it. */
  readonly hidesHeader: boolean;
}

/** Nothing is open there. */
export const WHOLE_TAIL: ChatTail = { closing: null, unfinished: false, hidesHeader: false };

/** Reads a chat file piece by piece. The same bytes give the same messages however they are cut. */
export interface ChatReader<M extends MessageHead = Message> {
  /**
   * Takes the next bytes of the file, which it does not keep, and returns what ends in them. The last block is returned
   * only once another follows, or by `end`.
   */
  feed(bytes: Uint8Array, nowMs: number): Reading<M>;
  /**
   * Says that the file has no more bytes for now: returns the last block too, unless it is unfinished (CH-21). More bytes
   * may be fed afterwards.
   */
  end(moment: Moment): Reading<M>;
  /** Behind what was returned last. */
  readonly border: ChatBorder;
  /** Of the next byte to be fed. */
  readonly offset: number;
  /** Line ends among all bytes fed. */
  readonly lineEnds: number;
  /** As the last `end` found it. */
  readonly tail: ChatTail;
}

/** Makes a message of a block, or says why that cannot be done. */
export type MakeMessage<M extends MessageHead> = (
  bytes: Buffer,
  block: Block,
  head: BlockHead,
  place: MessagePlace,
) => Unjudged<M> | string;

/** Who wrote when, and what kind of message. */
export type PresenceEvidence = Pick<MessageFields, 'from' | 'thread' | 'type' | 'ts'>;

/** Is shown who wrote when, in the order of the file; `suspect` as in a message. */
export type VisitSighting = (sighting: PresenceEvidence, suspect: boolean) => void;

/** Consecutive messages that were read without a look at each. Positions are indexes into the bytes. */
export interface Skim {
  /** The header behind them. */
  readonly next: number;
  /** Behind the values of the last of them. */
  readonly valuesEnd: number;
  /** From the first header to `valuesEnd`. */
  readonly lineEnds: number;
  /** Time of the last of them. */
  readonly lastTs: string;
  /** In their order: of each sender, thread and type the first message, the last, and the last of the newest. */
  readonly seen: readonly PresenceEvidence[];
}

/** Reads what is written in the one way that needs no judgement. */
export interface Skimmer {
  /** The bytes of which is spoken from now on. */
  load(bytes: Uint8Array): void;
  /**
   * The messages from the header at `at` on, up to one that is written in any other way, is not followed by another, or
   * may lie in the future; null for none.
   */
  skim(at: number, nowMs: number): Skim | null;
}

/** `suspect` is set when it is clear that this is a message. */
export type Unjudged<M extends MessageHead> = Omit<M, 'suspect'> & { suspect: boolean };

/** Shows who wrote when; nothing is made of the messages, and no line is counted for them. */
export interface SightingVisit {
  readonly visit: VisitSighting;
  /** Shows fewer messages, but all that tell something new about who is there. */
  readonly skimmer: Skimmer | null;
}
