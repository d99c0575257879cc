import type { AnswerOutcome } from '../chat/judge-answers.ts';
import { messageJson } from '../chat/message.ts';
import { visibleJson } from '../text/visible.ts';

/** The object R that a wait prints (CH-46), keys in the order of the protocol. */
export function outcomeJson(outcome: AnswerOutcome, damaged: number): Record<string, unknown> {
  const { result, cursor, ...rest } = outcome;
  const recipients = outcome.recipients.map(({ name, state, message }) => ({
    name,
    state,
    message: message === null ? null : messageJson(message),
  }));
  const own =
    'text' in rest ? { from: rest.from, text: rest.text } : 'recipient' in rest ? { recipient: rest.recipient } : {};
  const implied = 'implied' in rest ? { implied: rest.implied } : {};
  return { result, cursor, ...own, recipients, ...implied, damaged };
}

export function renderOutcomeLine(outcome: AnswerOutcome, damaged: number): string {
  return `${visibleJson(outcomeJson(outcome, damaged))}\n`;
}

const EXITS = { ACK: 0, WAIT: 4, TIMEOUT: 3 } as const satisfies Record<AnswerOutcome['result'], number>;

export function outcomeExit({ result }: AnswerOutcome): number {
  return EXITS[result];
}
