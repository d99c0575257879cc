import { contentHash } from '../text/content-hash.ts';
import { sha256 } from '../text/sha256.ts';

/** First 16 hex digits of a SHA-256 over what a message says (CH-8). Two messages may have the same. */
export type MessageId = string & { readonly messageId: unique symbol };

/** What a message says of itself, as read. */
export interface MessageFields {
  /** Trimmed, never empty. */
  readonly from: string;
  /** As read, trimmed: `all` or names; `recipients` takes it apart. Empty where missing. */
  readonly to: string;
  /** Empty: no thread. */
  readonly thread: string;
  /** Empty: untyped. Types of later versions pass through. */
  readonly type: string;
  /** UTC with `Z`; null where missing or no time. */
  readonly ts: string | null;
  /** Id of the message it answers. */
  readonly re: string | null;
}

/** Where a message stands in its file. */
export interface MessagePlace {
  /** 1-based line of the header. */
  readonly line: number;
  /** How many line ends precede the end of its last value (CH-22). */
  readonly cursor: number;
  /** Byte offset of the header line. */
  readonly start: number;
  /** Byte offset behind the line that ends the last value. */
  readonly end: number;
}

/** A message without its text, which is all that presence looks at. */
export interface MessageHead extends MessageFields, MessagePlace {
  /** Its strings were no TOML and were taken as typed (CH-18). */
  readonly repaired: boolean;
  /** Found behind damage, so it may be a quotation (CH-19). */
  readonly suspect: boolean;
}

/** One message of the chat file. */
export interface Message extends MessageHead {
  readonly id: MessageId;
  /** One final line break is removed. */
  readonly text: string;
}

const ID = /^[0-9a-f]{16}$/;

/** Whether a text has the form of an id (CH-8). */
export function isMessageId(text: string): text is MessageId {
  return ID.test(text);
}

/**
 * The id of a message (CH-8).
 *
 * @param tsToken - the time as it stands in the file, without quotes; empty where missing
 * @param start - byte offset of the header; it tells messages without a time apart
 */
export function messageId(
  fields: Pick<MessageFields, 'from' | 'to' | 'thread' | 'type' | 're'>,
  tsToken: string,
  text: string,
  start: number,
): MessageId {
  const parts = [fields.from, fields.to, fields.thread, fields.type, tsToken, fields.re ?? '', text];
  if (tsToken === '') parts.push(String(start));
  return hashOf(parts.join('\u001f')).slice(0, 16) as MessageId;
}

/** Loading Node's hashing takes longer than all else that is done for a few short messages. */
const FEW = 8;
const SHORT = 2000;
let hashCount = 0;

function hashOf(text: string): string {
  hashCount += 1;
  return hashCount <= FEW && text.length <= SHORT ? sha256(text) : contentHash(text);
}

/** Who looks up memories; every intent goes to it (CH-30). */
export const MEMORY_AGENT = 'engram-agent';

/** Everybody. */
export const ALL = 'all';

/** The types of section 5; of others only the letters are fixed. */
export const MESSAGE_TYPES = [
  'intent',
  'ack',
  'wait',
  'info',
  'done',
  'learned',
  'ready',
  'shutdown',
  'escalate',
  'conversation',
  'hold-acquire',
  'hold-release',
] as const;

/** Names of a `to`, in order, as written; blanks and empty entries are ignored (CH section 2). */
export function recipients(to: string): string[] {
  return to
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** For comparing names: case does not count. */
export function foldedName(name: string): string {
  return name.trim().toLowerCase();
}

/** `X` for `X/sub-N`, which answers for X (CH-31); every other name as it is. */
export function principalName(name: string): string {
  return name.trim().replace(/\/sub-\d+$/i, '');
}

/** Whether a message goes to `name`, by name or as one of all. */
export function isAddressedTo(message: Pick<MessageFields, 'to'>, name: string): boolean {
  const folded = foldedName(name);
  return recipients(message.to).some((to) => foldedName(to) === folded || foldedName(to) === ALL);
}

/** The message object M that every command prints (CH section 10). */
export function messageJson(message: Message): Record<string, unknown> {
  const { id, from, to, thread, type, ts, re, text, line, cursor } = message;
  return {
    ...{ id, from, to, thread, type, ts, re, text, line, cursor },
    ...(message.repaired ? { repaired: true } : {}),
    ...(message.suspect ? { suspect: true } : {}),
  };
}
