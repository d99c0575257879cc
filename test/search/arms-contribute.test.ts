import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Candidate, openSetStore } from '../../scripts/bench/retrieval/set-store.ts';
import { readSet } from '../../scripts/bench/retrieval/sets.ts';
import { builtIn } from '../support/built-in-model.ts';

const DATA = fileURLToPath(new URL('../../../shared/data/retrieval', import.meta.url));
const ARMS = ['words', 'meaning', 'fine'] as const;
/** Places of an arm that count as found: the first, so that what an arm knows better shows. */
const PLACES = 1;

/** Questions are many and each costs the model some milliseconds: every second one shows it. */
const isAsked = (_: unknown, at: number) => at % 2 === 0;

function foundBy(arm: (typeof ARMS)[number], candidates: readonly Candidate[], right: ReadonlySet<string>): boolean {
  return [...candidates]
    .filter(({ arms }) => (arms[arm] ?? 0) > 0)
    .sort((a, b) => (b.arms[arm] ?? 0) - (a.arms[arm] ?? 0))
    .slice(0, PLACES)
    .some(({ id }) => right.has(id));
}

test.skipIf(!existsSync(DATA))(
  'Q04: each arm finds a right memory that the others miss (skipped without ../shared/data/retrieval)',
  { timeout: 120_000 },
  async () => {
    const alone = new Map<string, string[]>();
    const { groups, queries } = readSet(DATA, 'skilltrig');
    for (const [group, documents] of groups) {
      using store = await openSetStore(documents, builtIn);
      const asked = queries.filter((query) => query.group === group).filter(isAsked);
      await store.prepare(asked.map(({ text }) => text));
      for (const { text, right } of asked) {
        const { candidates } = store.find(text);
        const [only, another] = ARMS.filter((arm) => foundBy(arm, candidates, right));
        if (only !== undefined && another === undefined) alone.set(only, [...(alone.get(only) ?? []), text]);
      }
    }
    for (const arm of ARMS) expect(alone.get(arm) ?? [], arm).not.toEqual([]);
  },
);
