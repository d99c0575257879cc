import type { ContextMemory, ContextTexts } from '../search/context.ts';
import { renderForModel, renderTitleForModel } from '../search/render-for-model.ts';

/**
 * How `engram context` words a memory: what a session starts with is read by a model, so memories are quoted data (SE-60),
 * in full or their situation alone (SE-61).
 */
export function contextTexts(nowMs: number): ContextTexts {
  return {
    title: (memory) => renderTitleForModel(forModel(memory)),
    full: (memory) => renderForModel(forModel(memory), nowMs),
    mark: (left, titlesOnly) => {
      const parts = [
        left === 0 ? '' : `${left} more memories: engram list`,
        titlesOnly === 0 ? '' : `${titlesOnly} by title only: engram show NAME`,
      ];
      return `... ${parts.filter((part) => part !== '').join('; ')}\n`;
    },
  };
}

function forModel({ name, record, tier }: ContextMemory) {
  return { name, record, isCore: tier === 'core' };
}
