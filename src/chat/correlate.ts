import { ALL, foldedName, isAddressedTo, type Message, principalName } from './message.ts';

/** What an answer has to belong to (CH-31). */
export interface Asked {
  /** Who posted the intent; never folded: `executor/sub-1` waits for itself. */
  readonly agent: string;
  /** Id of the intent; null: any answer that names none, or one of those behind the cursor. */
  readonly re: string | null;
  readonly thread: string | null;
}

/** An `ack` or a `wait` that counts. */
export interface Answer {
  readonly kind: 'ack' | 'wait';
  readonly message: Message;
}

/**
 * The answers to one intent among the messages behind a cursor, in their order. What carries `re` answers that intent
 * alone; where no intent is named, any that the agent has posted behind the cursor. Without, an `ack` answers the oldest intent on its thread that its sender has not answered yet, a `wait` all of
 * them. Behind damage an `ack` has to name the intent (CH-19).
 */
export function findAnswers(asked: Asked, messages: readonly Message[]): Answer[] {
  const own = messages.filter((message) => message.type === 'intent' && isSame(message.from, asked.agent));
  const intent = awaited(asked, own);
  // One from before the cursor is older than all of them.
  const intents = intent === null || own.some(({ line }) => line === intent.line) ? own : [intent, ...own];
  const answeredBy = new Map<string, Set<number>>();
  return messages.flatMap((message): Answer[] => {
    const { type: kind, re, suspect } = message;
    if ((kind !== 'ack' && kind !== 'wait') || !isAddressedTo(message, asked.agent)) return [];
    const sender = foldedName(principalName(message.from));
    const answered = answeredBy.get(sender) ?? new Set();
    answeredBy.set(sender, answered);
    const before = intents.filter(({ line }) => line < message.line);
    if (re !== null) {
      for (const { id, line } of before) if (id === re) answered.add(line);
      // Where nobody says which intent is waited for, an answer to any of those behind the cursor counts (CH-32).
      if (intent === null) return before.some(({ id }) => id === re) ? [{ kind, message }] : [];
      return re === intent.id && intent.line < message.line ? [{ kind, message }] : [];
    }
    if (suspect && kind === 'ack') return [];
    if (intent === null) return [{ kind, message }];
    const meant = before.filter((each) => isMeant(each, message) && (kind === 'wait' || !answered.has(each.line)));
    const now = kind === 'wait' ? meant : meant.slice(0, 1);
    for (const { line } of now) answered.add(line);
    return now.some(({ line }) => line === intent.line) ? [{ kind, message }] : [];
  });
}

interface Intent {
  /** Null: not known, no `re` names it. */
  readonly id: string | null;
  readonly line: number;
  readonly to: string;
  /** Null: not known, an answer has to name the intent. */
  readonly thread: string | null;
}

/** The intent that is waited for; null: any answer without `re` is welcome (CH-47). */
function awaited({ re, thread }: Asked, own: readonly Message[]): Intent | null {
  if (re !== null) return own.find(({ id }) => id === re) ?? { id: re, line: 0, to: ALL, thread };
  if (thread === null) return null;
  return own.findLast((message) => message.thread === thread) ?? { id: null, line: 0, to: ALL, thread };
}

/** Whether an answer without `re` may mean this intent: the same thread or none, and its sender was asked. */
function isMeant(intent: Intent, answer: Message): boolean {
  if (intent.thread === null || (answer.thread !== '' && answer.thread !== intent.thread)) return false;
  return isAddressedTo(intent, answer.from) || isAddressedTo(intent, principalName(answer.from));
}

function isSame(one: string, other: string): boolean {
  return foldedName(one) === foldedName(other);
}
