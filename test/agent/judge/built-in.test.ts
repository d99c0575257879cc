import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { builtInVerdict } from '../../../src/agent/judge/built-in-verdict.ts';
import type { Judge } from '../../../src/agent/judge/judge.ts';
import { openJudge } from '../../../src/agent/judge/open-judge.ts';

import { type EmbedderSource, fixedSource } from '../../../src/search/embedder-source.ts';
import { builtIn } from '../../support/built-in-model.ts';
import { COLUMN } from '../../support/judged.ts';
import { type TestStore, temporaryStore } from '../../support/sync-store.ts';

const NUMBERS = { appliesAt: 0.6, apart: 0.05 };

describe('AG-22: the verdict of the built-in rules', () => {
  it.each([
    ['like the stored behavior', { behavior: 0.83, action: 0.2, negates: false }, 'applies'],
    ['like both', { behavior: 0.83, action: 0.8, negates: false }, 'unrelated'],
    ['like the stored action', { behavior: 0.3, action: 0.7, negates: false }, 'follows'],
    ['like neither', { behavior: 0.59, action: 0.2, negates: false }, 'unrelated'],
    ['like the stored behavior, which it says not to do', { behavior: 0.9, action: 0.1, negates: true }, 'follows'],
  ] as const)('%s', (_, likeness, verdict) => expect(builtInVerdict(likeness, NUMBERS).verdict).toBe(verdict));

  test('says how like they are, as T9 prints it', () => {
    expect(builtInVerdict({ behavior: 0.829, action: 0.2, negates: false }, NUMBERS)).toEqual({
      verdict: 'applies',
      score: 0.829,
      reason: 'the announced behavior resembles the stored behavior (0.83)',
      by: 'builtin',
    });
  });
});

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

const opened = (source: EmbedderSource | null): Promise<Judge> =>
  openJudge({ kind: 'builtin', ...NUMBERS }, { store: store.context.store, source });

async function verdictOn(behavior: string, source: EmbedderSource | null): Promise<string | undefined> {
  const judge = await opened(source);
  const intent = { situation: 'About to add a currency column to orders', behavior };
  const [answer] = await judge.applies(intent, [COLUMN], 3500);
  return answer?.verdict;
}

describe.each([
  ['every arm', () => fixedSource(builtIn)],
  ['words alone', () => null],
])('AG-22: the built-in judge, by %s', (_, source) => {
  it.each([
    ['the stored behavior', 'Add currency NOT NULL with a default, in one migration.', 'applies'],
    ['the stored action', 'Add it nullable, then backfill it in batches, then set it NOT NULL.', 'follows'],
    ['something else', 'Rename the heading of the page about shipping.', 'unrelated'],
  ])('of %s', async (_, behavior, verdict) => expect(await verdictOn(behavior, source())).toBe(verdict));

  test('has nothing to say of no memory', async () => {
    const judge = await opened(source());
    expect(await judge.applies({ situation: '', behavior: '' }, [], 3500)).toEqual([]);
    expect(await judge.probe()).toBeNull();
  });
});

test('AG-22: leaves replies, extraction and relations to the rules of the caller', async () => {
  const judge = await opened(null);
  const message = { from: 'executor', type: 'info', text: 'x' };
  expect(await judge.reply({ situation: 'a', behavior: 'b' }, COLUMN, [])).toBeNull();
  expect(await judge.extract(message, [], 'facts')).toBeNull();
  expect([judge.kind, judge.degraded, judge.statistics.calls]).toEqual(['builtin', false, 0]);
  judge.close();
});
