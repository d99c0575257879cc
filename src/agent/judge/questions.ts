import { contentKeysOf, type MemoryRecord } from '../../memory/record.ts';
import { redact } from '../../text/secrets.ts';
import type { IntentText } from '../intent-text.ts';
import {
  APPLIES_INSTRUCTIONS,
  FACTS_INSTRUCTIONS,
  FEEDBACK_INSTRUCTIONS,
  RELATION_INSTRUCTIONS,
  REPLY_INSTRUCTIONS,
} from './instructions.ts';
import type { JudgedMemory, JudgedMessage, ReplyInput } from './judge.ts';
import type { Question } from './judge-model.ts';

/** Of a message; that of a memory is limited already (MF-12). */
const MOST_CHARACTERS = 8_000;
const MOST_CONTEXT = 10;

/** Whether a memory applies to an intent, to be answered within `budgetMs` (AG-21). Secrets leave no text. */
export function appliesQuestion(intent: IntentText, memory: JudgedMemory, budgetMs: number): Question {
  return question('applies', APPLIES_INSTRUCTIONS, {
    intent: quotedIntent(intent),
    memory: quotedMemory(memory),
    budget_ms: Math.round(budgetMs),
  });
}

export function replyQuestion(intent: IntentText, memory: JudgedMemory, inputs: readonly ReplyInput[]): Question {
  return question('reply', REPLY_INSTRUCTIONS, {
    intent: quotedIntent(intent),
    memory: quotedMemory(memory),
    inputs: inputs.map(({ from, text }) => ({ from, text: quoted(text) })),
  });
}

export function extractQuestion(
  message: JudgedMessage,
  context: readonly JudgedMessage[],
  want: 'feedback' | 'facts',
): Question {
  return question('extract', want === 'facts' ? FACTS_INSTRUCTIONS : FEEDBACK_INSTRUCTIONS, {
    message: quotedMessage(message),
    context: context.slice(-MOST_CONTEXT).map(quotedMessage),
    want,
  });
}

export function relationQuestion(a: MemoryRecord, b: MemoryRecord): Question {
  return question('relation', RELATION_INSTRUCTIONS, { a: quotedRecord(a), b: quotedRecord(b) });
}

function question(task: Question['task'], instructions: string, input: Question['document']): Question {
  return { task, instructions, document: { protocol: 1, task, ...input } };
}

function quotedIntent({ situation, behavior }: IntentText): IntentText {
  return { situation: quoted(situation), behavior: quoted(behavior) };
}

function quotedMemory({ name, situation, behavior, impact, action }: JudgedMemory): Record<string, string> {
  return {
    name,
    situation: quoted(situation),
    behavior: quoted(behavior),
    impact: quoted(impact),
    action: quoted(action),
  };
}

function quotedMessage({ from, type, text }: JudgedMessage): JudgedMessage {
  return { from, type, text: quoted(text) };
}

function quotedRecord(record: MemoryRecord): Record<string, string> {
  const keys = ['situation', ...contentKeysOf(record.type)] as const;
  return { type: record.type, ...Object.fromEntries(keys.map((key) => [key, quoted(record[key] ?? '')])) };
}

/** What is cut could have been half of a secret: the secrets go first. */
function quoted(text: string): string {
  const safe = redact(text);
  return safe.length <= MOST_CHARACTERS
    ? safe
    : `${safe.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')} ...`;
}
