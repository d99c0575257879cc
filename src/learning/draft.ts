import { wholeSecondTimestamp } from '../clock.ts';
import { EngramError } from '../errors.ts';
import { emptyRecord, type MemoryRecord, type MemoryType } from '../memory/record.ts';
import { findRecordSecret } from '../memory/secrets.ts';
import { validateRecord } from '../memory/validate.ts';

/** What a person or agent gives of a new memory; keys as in the file. */
export interface Draft {
  readonly type: MemoryType;
  readonly situation: string;
  readonly behavior?: string;
  readonly impact?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
  readonly source?: string;
  /** 0..1; what the trigger of the memory is worth. */
  readonly confidence?: number;
}

/** Where a new memory is to apply (D11): the present project, or everywhere. */
export interface DraftScope {
  readonly project: string | null;
  readonly everywhere: boolean;
}

/** A person who says something is believed; so is the agent that passes it on with the person's words. */
const DEFAULT_CONFIDENCE = 1;

/**
 * The complete record of a draft: zero counters, both times now, scoped to the project unless `everywhere` (D11, MF-10).
 *
 * @throws EngramError `memory.invalid`, the message names the key (MF-12)
 */
export function draftRecord(draft: Draft, scope: DraftScope, nowMs: number): MemoryRecord {
  const record: MemoryRecord = {
    ...withTexts(emptyRecord(draft.type, wholeSecondTimestamp(nowMs)), draft),
    project_scoped: !scope.everywhere && scope.project !== null,
    project_slug: scope.project ?? '',
    initial_confidence: draft.confidence ?? DEFAULT_CONFIDENCE,
  };
  try {
    validateRecord(record);
  } catch (error) {
    if (!(error instanceof EngramError) || error.code !== 'memory.invalid') throw error;
    throw new EngramError('memory.invalid', error.message.replace('initial_confidence', 'confidence'), {
      hint: error.hint ?? `Run: engram learn ${draft.type} --help`,
      cause: error,
    });
  }
  return record;
}

/** The kind of the first secret in a draft, or null (MF-12). */
export function secretInDraft(draft: Draft): string | null {
  return findRecordSecret(withTexts(emptyRecord(draft.type, null), draft))?.kind ?? null;
}

function withTexts(empty: MemoryRecord, draft: Draft): MemoryRecord {
  return {
    ...empty,
    situation: trimmed(draft.situation) ?? '',
    source: trimmed(draft.source) ?? '',
    behavior: trimmed(draft.behavior),
    impact: trimmed(draft.impact),
    action: trimmed(draft.action),
    subject: trimmed(draft.subject),
    predicate: trimmed(draft.predicate),
    object: trimmed(draft.object),
  };
}

function trimmed(text: string | undefined): string | null {
  return text === undefined ? null : text.trim();
}
