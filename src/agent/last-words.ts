import { appendWhere } from '../chat/append.ts';
import { isAddressedTo, type Message } from '../chat/message.ts';
import { EngramError } from '../errors.ts';
import type { Inbox } from './inbox.ts';
import { answeredBy, onIntent } from './intents.ts';
import { renderFailed } from './render-answers.ts';
import type { AgentIntent, AgentState } from './state.ts';
import { isSameName, type Moment, senderKey, Turn } from './turn.ts';

/**
 * Tells everybody who waits that nothing was checked, where nothing can be stored any more (AG-51). Intents that have an
 * answer under the agent's name get no second one.
 *
 * @throws EngramError those of `appendWhere`
 */
export function refuseOpenIntents(chatFile: string, inbox: Inbox, state: AgentState, moment: Moment): void {
  inbox.read();
  const turn = new Turn(state, moment);
  for (const message of inbox.waiting.filter((one) => isOpenTo(one, state.name))) {
    onIntent(turn, message, moment.nowMs);
  }
  for (const intent of [...turn.state.intents.values()].filter((one) => one.state === 'open')) {
    const draft = {
      ...{ from: state.name, to: intent.initiator, thread: intent.thread, type: 'ack', re: intent.id },
      text: renderFailed('the database is damaged'),
    };
    const isWanted = () => {
      inbox.read();
      return !isAnswered(intent, turn.state, inbox.waiting);
    };
    try {
      appendWhere(chatFile, [draft], isWanted, { redact: true, now: () => moment.nowMs });
    } catch (error) {
      // A name or a thread that nobody can write to.
      if (!(error instanceof EngramError) || error.code !== 'chat.draft') throw error;
    }
  }
}

function isOpenTo(message: Message, name: string): boolean {
  return message.type === 'intent' && isAddressedTo(message, name) && !isSameName(message.from, name);
}

function isAnswered({ key }: AgentIntent, state: AgentState, messages: readonly Message[]): boolean {
  return messages.some(
    (message) =>
      senderKey(message.from) === senderKey(state.name) &&
      (message.type === 'ack' || message.type === 'wait') &&
      answeredBy(state, message)?.key === key,
  );
}
