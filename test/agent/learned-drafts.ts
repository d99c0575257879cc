import type { Draft } from '../../src/learning/draft.ts';
import { factDraft, feedbackDraft } from '../learning/drafts.ts';

const SITUATION = 'When running the shop-api tests';
/** What example 8 of agent.md replaces, and what it learns in its place. */
export const fullSuite = (changes: Partial<Draft> = {}) =>
  feedbackDraft({
    situation: SITUATION,
    behavior: 'Relying on the fast subset',
    impact: 'A broken test was missed',
    action: 'Do not run make test-fast',
    source: 'observed failure, 2026-04-02',
    confidence: 0.7,
    ...changes,
  });
export const fastSubset = (changes: Partial<Draft> = {}) =>
  feedbackDraft({
    situation: SITUATION,
    behavior: 'Run the whole suite with npm test',
    impact: 'the full suite takes 40 minutes',
    action: 'run make test-fast',
    source: 'user correction, 2026-12-01',
    confidence: 1,
    ...changes,
  });
export const port = (object: string, confidence: number, changes: Partial<Draft> = {}) =>
  factDraft({
    situation: 'When working on api in shop-api',
    subject: 'shop-api',
    predicate: 'listens-on',
    object,
    source: 'observed in done message, 2026-12-01',
    confidence,
    ...changes,
  });
