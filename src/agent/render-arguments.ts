import type { MemoryName } from '../memory/slug.ts';
import { cut, oneLine, quotedLines } from '../search/render-for-model.ts';
import { shortened } from './render-parts.ts';

/*
 * Texts of section 11. What is stored or quoted comes in as data, behind `> ` or in one line (AG-52); none of it chooses a
 * text.
 */

/** What T11 and T12 show of a memory. */
export interface ArguedMemory {
  readonly name: MemoryName;
  readonly action: string;
}

/** T11. */
export function renderCounter(number: number, argued: readonly ArguedMemory[], isWithLead: boolean): string {
  return [
    `Argument sub-${number}, input 3 of 3: the reply does not show that this case differs.`,
    ...argued.flatMap((memory) => actionLines(memory)),
    `Reply with ack to follow it, or name what is different. Otherwise ${isWithLead ? 'the lead' : 'your user'} decides.`,
  ].join('\n');
}

/** T12. */
export function renderEscalation(
  number: number,
  argued: readonly ArguedMemory[],
  reply: { readonly from: string; readonly text: string },
): string {
  return [
    `Argument sub-${number} is unresolved after 3 inputs.`,
    ...argued.flatMap((memory) => [`${memory.name}:`, ...actionLines(memory)]),
    `${oneLine(reply.from)}:`,
    ...quotedLines(shortened(reply.text)),
    'Please ask the user and answer here with the first word follow, override or irrelevant.',
  ].join('\n');
}

function actionLines({ name, action }: ArguedMemory): string[] {
  return action.trim() === '' ? [] : quotedLines(`Action: ${cut(action.trim(), name)}`);
}

/** T13. */
export function renderOutcome(
  number: number,
  outcome: 'followed' | 'not-followed' | 'irrelevant',
  names: readonly MemoryName[],
): string {
  const words = outcome.replace('-', ' ');
  const rest = outcome === 'followed' ? 'Proceed with the stored action.' : 'Nothing further from engram-agent.';
  return `Argument sub-${number} closed: ${words}. Counted for ${names.join(', ')}. ${rest}`;
}

/** T14. */
export function renderViolation(number: number, names: readonly MemoryName[]): string {
  return `Argument sub-${number} closed: done with an open wait. Counted as not followed for ${names.join(', ')}.`;
}

/** T15. */
export function renderUncounted(number: number, reason: keyof typeof UNCOUNTED): string {
  return `Argument sub-${number} closed: ${UNCOUNTED[reason]}. Nothing counted.`;
}

const UNCOUNTED = {
  'no-reply': 'no reply in 5 minutes',
  'no-decision': 'no decision in 24 hours',
  withdrawn: 'memory withdrawn',
  stops: 'engram-agent stops',
} as const;
