import { EngramError } from '../errors.ts';
import type { Message, MessageFields } from './message.ts';
import { parseChat } from './parse.ts';

/** What a block is made of: the words of one message, and the time of its writing. */
export interface BlockContent extends MessageFields {
  /** UTC, whole seconds (CH-10). */
  readonly ts: string;
  readonly text: string;
}

/**
 * The block of one message, with the blank line before it (CH-7, CH-11). Whatever its fields hold, the reader returns
 * exactly them (lone surrogates excepted), and no part of them is ever read as another message. That is checked with the
 * reader before the block is returned (CH-12).
 *
 * @throws EngramError `chat.draft` when the check fails
 */
export function renderBlock(content: BlockContent): string {
  return renderMessage(content).block;
}

/** The block, and the message as the reader returns it from a file that holds nothing else. */
export function renderMessage(content: BlockContent): { readonly block: string; readonly message: Message } {
  const block = blockText(content);
  const message = readBack(block, content);
  if (message === null) throw new EngramError('chat.draft', 'the message cannot be written so that it is read again');
  return { block, message };
}

function blockText({ from, to, thread, type, ts, re, text }: BlockContent): string {
  const lines = [
    '',
    '[[message]]',
    `from = ${oneLine(from)}`,
    `to = ${oneLine(to)}`,
    `thread = ${oneLine(thread)}`,
    `type = ${oneLine(type)}`,
    `ts = ${oneLine(ts)}`,
    ...(re === null ? [] : [`re = ${oneLine(re)}`]),
    `text = """`,
    `${escapedText(text)}`,
    '"""',
    '',
  ];
  return lines.join('\n');
}

function oneLine(text: string): string {
  return `"${wellFormed(text).replace(/["\\\x00-\x1f\x7f]/g, escaped)}"`;
}

function wellFormed<T extends string | null>(text: T): T {
  return (text === null ? null : text.replace(/\p{Surrogate}/gu, '\ufffd')) as T;
}

function escapedText(text: string): string {
  return wellFormed(text)
    .replace(/[\\\x00-\x08\x0b-\x1f\x7f]/g, escaped)
    .replace(/"{3,}/g, (quotes) => '\\"'.repeat(quotes.length));
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function escaped(character: string): string {
  return SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function readBack(block: string, content: BlockContent): Message | null {
  const { messages, damaged } = parseChat(Buffer.from(block), { nowMs: Date.parse(content.ts), unchangedMs: 0 });
  const [read, second] = messages;
  if (read === undefined || second !== undefined || damaged.length > 0 || read.repaired || read.suspect) return null;
  const keys = ['from', 'to', 'thread', 'type', 'ts', 're', 'text'] as const;
  return keys.every((key) => read[key] === wellFormed(content[key])) ? read : null;
}
