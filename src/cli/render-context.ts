import type { MemoryRecord } from '../memory/record.ts';
import type { ContextMemory, ContextTexts } from '../search/context.ts';
import { visible } from '../text/visible.ts';

/** How `engram context` words a memory: its situation alone, or with what to do or know (SE-61). */
export const CONTEXT_TEXTS: ContextTexts = {
  title: (memory) => `${head(memory)}\n`,
  full: (memory) =>
    `${head(memory)}\n${body(memory.record)
      .map((line) => `   ${line}\n`)
      .join('')}`,
  mark: (left, titlesOnly) => {
    const parts = [
      left === 0 ? '' : `${left} more memories: engram list`,
      titlesOnly === 0 ? '' : `${titlesOnly} by title only: engram show NAME`,
    ];
    return `... ${parts.filter((part) => part !== '').join('; ')}\n`;
  },
};

function head({ name, record, tier }: ContextMemory): string {
  return `${visible(name)}${tier === 'core' ? '  core' : ''}: ${oneLine(record.situation)}`;
}

function body(record: MemoryRecord): string[] {
  if (record.type === 'fact') return [`fact   ${oneLine([record.subject, record.predicate, record.object].join(' '))}`];
  return [`do     ${oneLine(record.action ?? '')}`, `avoid  ${oneLine(record.behavior ?? '')}`];
}

function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim());
}
