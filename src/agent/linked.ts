import type { OutboxRow } from '../store/agent-outbox.ts';
import type { AgentState } from './state.ts';
import { type Moment, type Reaction, Turn } from './turn.ts';

/** Arguments and drafts know their messages by id, so that replies to them are recognised. */
export function linked(
  state: AgentState,
  moment: Moment,
  posted: readonly { readonly row: Pick<OutboxRow, 'about'>; readonly messageId: string }[],
): Reaction {
  const turn = new Turn(state, moment);
  for (const { row, messageId } of posted) {
    const [, kind, number] = /^(sub|draft)-(\d+)$/.exec(row.about ?? '') ?? [];
    const argument = kind === 'sub' ? turn.state.arguments.get(Number(number)) : undefined;
    const draft = kind === 'draft' ? turn.state.drafts.get(Number(number)) : undefined;
    if (argument !== undefined && !argument.messages.includes(messageId)) {
      turn.putArgument({ ...argument, messages: [...argument.messages, messageId] });
    }
    if (draft !== undefined && !draft.questions.includes(messageId)) {
      turn.putDraft({ ...draft, questions: [...draft.questions, messageId] });
    }
  }
  return turn.end();
}
