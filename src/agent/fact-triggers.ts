import type { Message } from '../chat/message.ts';
import { type FoundFact, factsOfLearned, factsOfText } from './fact-sentences.ts';
import { labelledLine } from './intent-text.ts';
import { sourceOf } from './learn-work.ts';
import { withoutOwnWords } from './own-words.ts';
import type { Turn } from './turn.ts';

/** What a message of each kind is worth (AG-40). */
const CERTAIN = 1;
const ASSERTED = 0.7;
/** Facts of one message. */
const MOST_FACTS = 20;

/** The facts that an intent's situation, a `done` or a `learned` asserts are to be stored (AG-39 to AG-44). */
export function learnFacts(turn: Turn, message: Message): void {
  const { moment, state } = turn;
  if (!moment.learns || message.suspect) return;
  const { type, thread, id, from } = message;
  const own = state.posted.map(({ text }) => text);
  const context = { thread, project: moment.project };
  const isLearned = type === 'learned';
  for (const [at, fact] of foundIn(withoutOwnWords(message.text, own), type, context).slice(0, MOST_FACTS).entries()) {
    const { situation, subject, predicate, object } = fact;
    turn.work({
      kind: 'learn',
      key: `fact:${id}@${message.line}:${at}`,
      origin: isLearned ? 'learned' : 'fact',
      reply: { to: from, thread, re: id },
      record: { type: 'fact', situation, subject, predicate, object },
      confidence: isLearned ? CERTAIN : ASSERTED,
      source: sourceOf(isLearned ? 'learned message' : `observed in ${type} message`, turn.nowMs),
      everywhere: false,
      draft: null,
      intentKey: null,
    });
  }
}

function foundIn(text: string, type: string, context: Parameters<typeof factsOfText>[1]): FoundFact[] {
  if (text === '') return [];
  if (type === 'learned') return factsOfLearned(text, context);
  if (type === 'done') return factsOfText(text, context);
  // The behavior is a plan.
  const situation = labelledLine(text, ['situation']);
  return situation === null ? [] : factsOfText(`Situation: ${situation}\n${situation}`, context);
}
