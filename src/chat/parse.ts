import type { Message, MessageHead } from './message.ts';
import { readText } from './parse-block.ts';
import { createReader } from './parse-reader.ts';
import {
  type ChatBorder,
  type ChatReader,
  type ChatTail,
  FILE_START,
  type Moment,
  type Reading,
  type Skimmer,
  type VisitSighting,
} from './parse-reading.ts';

export type { ChatBorder, ChatReader, ChatTail, DamagedRange, Moment, Reading } from './parse-reading.ts';

export interface ReaderOptions {
  /** Where the bytes fed begin; the beginning of the file by default. */
  readonly from?: ChatBorder;
}

/** A reader of whole messages. */
export function createChatReader(options: ReaderOptions = {}): ChatReader<Message> {
  return createReader(options.from ?? FILE_START, (bytes, block, head, place) => {
    const read = readText(bytes, block, head, place.start);
    if (typeof read === 'string') return read;
    const { from, to, thread, type, ts, re } = head.fields;
    const { line, cursor, start, end } = place;
    const { id, text, repaired } = read;
    return { id, from, to, thread, type, ts, re, text, line, cursor, start, end, repaired, suspect: false };
  });
}

/** A reader that leaves out texts and ids, for whoever looks at a whole file for its times. */
export function createHeadReader(options: ReaderOptions = {}): ChatReader<MessageHead> {
  return createReader(options.from ?? FILE_START, (_bytes, _block, head, place) => {
    const { from, to, thread, type, ts, re } = head.fields;
    const { line, cursor, start, end } = place;
    return { from, to, thread, type, ts, re, line, cursor, start, end, repaired: head.repaired, suspect: false };
  });
}

/** The whole of a file at one moment. */
export interface ParsedChat<M extends MessageHead = Message> extends Reading<M> {
  /** The last block border: what `chat cursor` gives. */
  readonly cursor: number;
  readonly border: ChatBorder;
  readonly tail: ChatTail;
}

/** Reads a whole chat file (CH-17 to CH-23). Never throws, whatever the bytes. */
export function parseChat(bytes: Uint8Array, moment: Moment): ParsedChat<Message> {
  return readAll(createChatReader(), bytes, moment);
}

/** `parseChat` without texts and ids, in a fraction of the time. */
export function parseHeads(bytes: Uint8Array, moment: Moment): ParsedChat<MessageHead> {
  return readAll(createHeadReader(), bytes, moment);
}

/**
 * A reader of a whole file that returns no messages but shows `visit` who wrote when, without texts, ids and lines: for
 * presence (CH-36). With a skimmer not every message is shown, but all that tell something new about who is there.
 */
export function createSightingReader(visit: VisitSighting, skimmer: Skimmer | null): ChatReader<MessageHead> {
  return createReader<MessageHead>(FILE_START, () => '', { visit, skimmer });
}

/** Whether a message is after a cursor: as many lines stand before its header (CH-23). */
export function isAfter(message: Pick<MessageHead, 'line'>, cursor: number): boolean {
  return message.line > cursor;
}

function readAll<M extends MessageHead>(reader: ChatReader<M>, bytes: Uint8Array, moment: Moment): ParsedChat<M> {
  const body = reader.feed(bytes, moment.nowMs);
  const last = reader.end(moment);
  const { border, tail } = reader;
  return {
    messages: [...body.messages, ...last.messages],
    damaged: [...body.damaged, ...last.damaged],
    cursor: border.cursor,
    border,
    tail,
  };
}
