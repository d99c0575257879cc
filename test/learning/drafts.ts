import type { Draft, DraftScope } from '../../src/learning/draft.ts';
import { type LearnOutcome, learn } from '../../src/learning/learn.ts';
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

/** Learns `draft`, in every project unless `scope` says otherwise. */
export function learned(
  store: TestStore,
  draft: Draft,
  options: { readonly scope?: DraftScope; readonly supersedes?: readonly MemoryName[] } = {},
): LearnOutcome {
  return learn(store.context, draft, { scope: EVERYWHERE, ...options });
}
