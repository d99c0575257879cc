import type { RecipientAnswer } from '../chat/judge-answers.ts';
import { type Message, messageJson } from '../chat/message.ts';
import type { DamagedRange } from '../chat/parse.ts';
import { visible, visibleJson } from '../text/visible.ts';
import { oneLine, type Style } from './render.ts';

/** A message on one line, as programs take it. */
export function renderMessageLine(message: Message): string {
  return `${visibleJson(messageJson(message))}\n`;
}

/**
 * A message for people: who, to whom, what about, then the text. Control characters are shown (CH-29). Its id is what a
 * reply names with `--re`; that of the message it answers stands behind it.
 */
export function renderMessage(message: Message, style: Style): string {
  const { id, from, to, thread, type, ts, re, text, cursor, repaired, suspect } = message;
  const marks = [`id ${id}`, re === null ? '' : `re ${re}`, repaired ? 'repaired' : '', suspect ? 'suspect' : ''];
  const head = [
    style.dim(ts ?? 'no time'),
    `${style.bold(oneForeignLine(from))} -> ${oneForeignLine(to === '' ? '(nobody)' : to)}`,
    colored(type, style),
    thread === '' ? '' : `[${oneForeignLine(thread)}]`,
    ...marks.map((mark) => style.dim(oneForeignLine(mark))),
    style.dim(`#${cursor}`),
  ];
  const lines = visible(withEscapes(text)).split('\n');
  return `${head.filter((part) => part !== '').join('  ')}\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`;
}

/** On one line. */
export function oneForeignLine(text: string): string {
  return oneLine(withEscapes(text));
}

/** Only a lone escape character is shown elsewhere; here that of a sequence as well (CH-29). */
function withEscapes(text: string): string {
  return text.replaceAll('\u001b', '\\u{1b}');
}

function colored(type: string, style: Style): string {
  const name = oneForeignLine(type === '' ? 'untyped' : type);
  if (type === 'wait' || type === 'escalate' || type === 'shutdown') return style.red(name);
  if (type === 'ack' || type === 'done') return style.green(name);
  return type === 'intent' ? style.yellow(name) : name;
}

/** For stderr (CH-51). */
export function renderDamage({ first, last, reason }: DamagedRange): string {
  const lines = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  return `damaged, skipped: ${lines}: ${reason}`;
}

const STATES = {
  ack: 'no objection',
  wait: 'objects',
  offline: 'not there; taken as no objection',
  silent: 'has not answered',
  pending: 'has not answered yet',
} as const satisfies Record<RecipientAnswer['state'], string>;

export function renderAnswer({ name, state, message }: RecipientAnswer, style: Style): string {
  if (message !== null) return renderMessage(message, style);
  const line = `${oneForeignLine(name)}: ${STATES[state]}`;
  return `${state === 'silent' ? style.red(line) : style.dim(line)}\n`;
}
