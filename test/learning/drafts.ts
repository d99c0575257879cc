import { type Draft, type DraftScope, draftRecord } from '../../src/learning/draft.ts';
import { type WriteOutcome, writeDraft } from '../../src/learning/write-draft.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import type { TestStore } from '../support/sync-store.ts';

export const EVERYWHERE: DraftScope = { project: null, everywhere: true };

/** A complete draft of a feedback memory. */
export function feedbackDraft(changes: Partial<Draft> = {}): Draft {
  return {
    type: 'feedback',
    situation: 'When regenerating the API client',
    behavior: 'Editing the generated client by hand',
    impact: 'The next run removed the fix',
    action: 'Change the schema or the template, then run make client',
    ...changes,
  };
}

/** A complete draft of a fact. */
export function factDraft(changes: Partial<Draft> = {}): Draft {
  return {
    type: 'fact',
    situation: 'When running the tests of shop-api',
    subject: 'shop-api',
    predicate: 'test command',
    object: 'make check',
    ...changes,
  };
}

/** Writes `draft` as learning does once nothing speaks against it, in every project unless `scope` says otherwise. */
export function learned(
  store: Pick<TestStore, 'context'>,
  draft: Draft,
  {
    scope = EVERYWHERE,
    supersedes = [],
  }: { readonly scope?: DraftScope; readonly supersedes?: readonly MemoryName[] } = {},
): WriteOutcome {
  return writeDraft(store.context, draft, draftRecord(draft, scope, store.context.clock()), supersedes);
}
