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
  return contentHash(JSON.stringify([record.type, project, ...texts.map((text) => foldedText(text ?? ''))]));
}

/** What ends a sentence. Other signs at an end may be part of a name: `C#`, `*`, `%`. */
const FINAL_PUNCTUATION = ' .,;:!?…。．，、；：！？';

/** A text as it is compared: NFC, case and white space folded, without final punctuation (SE-53). */
export function foldedText(text: string): string {
  const plain = UNUSUAL.test(text) ? foldedFully(text) : text.toLowerCase().trim();
  let end = plain.length;
  while (end > 0 && FINAL_PUNCTUATION.includes(plain.charAt(end - 1))) end -= 1;
  return plain.slice(0, end);
}

function foldedFully(text: string): string {
  return (
    text
      .normalize('NFC')
      // Upper case first: that is how `ß` and `SS`, `ſ` and `S` fold alike.
      .toUpperCase()
      .toLowerCase()
      .normalize('NFC')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

/** Anything but printable ASCII with single spaces, which needs no more than lower case. */
const UNUSUAL = /[^\x20-\x7e]| {2}/;
