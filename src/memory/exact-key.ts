import { contentHash } from '../text/content-hash.ts';
import type { MemoryRecord } from './record.ts';

/**
 * The key under which two records are the same memory (SE-53): type, project where scoped, situation and action, or the
 * triple; after NFC, case folding, white-space folding and without final punctuation.
 */
export function exactKey(record: MemoryRecord): string {
  const texts =
    record.type === 'feedback' ? [record.situation, record.action] : [record.subject, record.predicate, record.object];
  const project = record.project_scoped ? record.project_slug : '';
  return contentHash(JSON.stringify([record.type, project, ...texts.map((text) => folded(text ?? ''))]));
}

/** What ends a sentence. Other signs at an end may be part of a name: `C#`, `*`, `%`. */
const FINAL_PUNCTUATION = /[\s.,;:!?…。．，、；：！？]+$/u;

function folded(text: string): string {
  return (
    text
      .normalize('NFC')
      // Upper case first: that is how `ß` and `SS`, `ſ` and `S` fold alike.
      .toUpperCase()
      .toLowerCase()
      .normalize('NFC')
      .replace(/\s+/g, ' ')
      .trim()
      .replace(FINAL_PUNCTUATION, '')
  );
}
