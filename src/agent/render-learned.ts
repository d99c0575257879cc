import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { oneLine } from '../search/render-for-model.ts';
import { confidence, shortened } from './render-parts.ts';

/*
 * Texts of section 11. What is stored or quoted comes in as data, behind `> ` or in one line (AG-52); none of it chooses a
 * text.
 */

/** The texts of a memory that say what was learned. */
type LearnedTexts = Pick<MemoryRecord, 'type' | 'situation' | 'action' | 'subject' | 'predicate' | 'object'>;

/** T16. */
export function renderLearned(
  name: MemoryName,
  record: LearnedTexts & Pick<MemoryRecord, 'initial_confidence'>,
): string {
  return `Learned ${name} (confidence ${confidence(record.initial_confidence)}): ${gist(record)}`;
}

function gist({ type, situation, action, subject, predicate, object }: LearnedTexts): string {
  const text = type === 'feedback' ? `${situation} -> ${action ?? ''}` : [subject, predicate, object].join(' ');
  return oneLine(shortened(text));
}

/** T17. */
export function renderMissed(name: MemoryName): string {
  return `Missed: ${name} covers this and was not surfaced for the intent. Counted.`;
}

/** T18. */
export function renderConfirm(number: number, draft: { readonly situation: string; readonly action: string }): string {
  const what = oneLine(shortened(`${draft.situation} -> ${draft.action}`));
  const answers = `"[User]: yes draft-${number}" or "[User]: no draft-${number}"`;
  return `Is this a rule to keep? draft-${number}: ${what}. Please ask your user and answer here ${answers}.`;
}

/** T19. @param reason - keys that are missing, or what else keeps it from being stored */
export function renderIncomplete(number: number, missing: readonly string[]): string {
  const what = `Cannot store this correction yet (draft-${number}), missing: ${missing.join(', ')}.`;
  return `${what} Please ask your user for it and answer here with "[User]: draft-${number}: ...".`;
}

/** T20. */
export function renderKnown(name: MemoryName): string {
  return `Already known: ${name}. Nothing written.`;
}

/** T21. */
export function renderConflict(conflict: {
  readonly name: MemoryName;
  readonly confidence: number | null;
  readonly other: MemoryName;
  readonly otherIsCore: boolean;
  readonly otherConfidence: number | null;
  readonly conflictId: number;
}): string {
  const other = conflict.otherIsCore ? 'core' : `confidence ${confidence(conflict.otherConfidence)}`;
  return [
    `Conflict: ${conflict.name} (confidence ${confidence(conflict.confidence)}) disagrees with ${conflict.other} (${other}).`,
    `Both are kept. Please let the user decide: engram conflicts show ${conflict.conflictId}`,
  ].join(' ');
}

/** T22. */
export function renderReplaced(name: MemoryName, record: Pick<MemoryRecord, 'type' | 'initial_confidence'>): string {
  const part = record.type === 'feedback' ? 'action' : 'object';
  const sure = confidence(record.initial_confidence);
  return `Replaced the ${part} of ${name} (confidence ${sure}). The old text is in its history.`;
}

/** T25. */
export function renderSecret(kind: string): string {
  return `Not stored: the text looks like it holds a secret (${kind}).`;
}
