import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CompiledQuery, compileQuery } from '../../src/search/compile-query.ts';
import { judge } from '../../src/search/judge.ts';
import { termMatcher } from '../../src/search/match-terms.ts';
import { sharedBeginning } from '../../src/search/needles.ts';
import type { Policy } from '../../src/search/relevance.ts';
import { type Scored, type Scoring, score } from '../../src/search/score.ts';
import { backgroundWeight } from '../../src/search/term-weights.ts';
import {
  evidenceFinder,
  findWordsCandidates,
  searchedTexts,
  searchedTextsOf,
  wordsScale,
} from '../../src/search/words-arm.ts';
import { admit } from '../../src/store/admitted.ts';
import type { SqliteDatabase } from '../../src/store/native.ts';
import type { Store } from '../../src/store/open.ts';
import { type WordStatistics, wordStatistics } from '../../src/store/word-statistics.ts';
import { FIELDS } from '../../src/text/index-text.ts';
import { stem } from '../../src/text/stem.ts';
import { feedback, storeWith } from '../support/memory-rows.ts';

const WORD = fc.constantFrom(
  ...'deploy deploying deployed stable stability retry retries return client the when http HTTP get user name'.split(
    ' ',
  ),
  ...'getUserName get_user_name get-user get_user useToken.ts src/x/useToken.ts:42 src/x/useToken.ts --no-verify'.split(
    ' ',
  ),
  ...'C++ node.js nodejs v1.2.3 “quoted” — Łódź lodz naïve naive 数据 数据库 数 café cafe e\u0301te running'.split(' '),
);
const TEXT = fc.array(WORD, { maxLength: 12 }).map((words) => words.join(' '));
const MEMORY = fc.record({ situation: TEXT, action: TEXT, impact: TEXT });
const MEMORIES = fc.array(MEMORY, { minLength: 1, maxLength: 8 });

const recordOf = ({ situation, action, impact }: { situation: string; action: string; impact: string }) =>
  feedback(situation, { behavior: '', impact, action });

test('every word begins with what the words of its stem share', () => {
  const letters = [...'abdeilnosty'];
  const beginnings = letters.flatMap((a) => letters.flatMap((b) => ['', ...letters].map((c) => a + b + c)));
  const endings = 's ed eed ing y ies bli bility ational izer ization logi ical ement able ible ion e ly ity'.split(
    ' ',
  );
  const words = beginnings.flatMap((beginning) => [beginning, ...endings.map((ending) => beginning + ending)]);
  expect(words.filter((word) => !word.startsWith(sharedBeginning(stem(word))))).toEqual([]);
});

test('a bound is never below the match, in any field, and matches are the same with bounds', () => {
  const lengths = {
    lengthOf: ({ words }: { words: readonly string[] }) => words.length,
    average: { situation: 9, entity: 9, content: 9 },
  };
  fc.assert(
    fc.property(MEMORIES, TEXT, (memories, text) => {
      const matcher = termMatcher(compileQuery(text, backgroundWeight).terms, lengths, () => 1);
      const texts = memories.map((memory) => searchedTextsOf(recordOf(memory)));
      const bounds = matcher.bounds(texts.map((each) => each.texts));
      for (const [at, each] of texts.entries()) {
        const matches = matcher.match(each);
        for (const [term, match] of matches.entries()) {
          if (match === null) continue;
          expect(bounds.fieldValue(at, match.field, term)).toBeGreaterThanOrEqual(match.value);
          expect(bounds.valuesOf(at)[term]).toBe(
            Math.max(...FIELDS.map((field) => bounds.fieldValue(at, field, term))),
          );
        }
        expect(matcher.match(each, (field, term) => bounds.fieldValue(at, field, term))).toEqual(matches);
      }
    }),
    { numRuns: 500 },
  );
});

test.each(['query', 'surface'] as const)(
  '%s: hits are those of a search that scores every candidate',
  async (policy) => {
    const asserted = fc.asyncProperty(
      fc.array(MEMORY, { minLength: 15, maxLength: 40 }),
      TEXT,
      async (memories, text) => {
        using store = await storeWith(Object.fromEntries(memories.map((memory, i) => [`m${i}`, recordOf(memory)])));
        const { pruned, exhaustive } = searches(store, text, policy);
        expect(pruned).toEqual(exhaustive);
      },
    );
    await fc.assert(asserted, { numRuns: 15 });
  },
);

test('SE-34: query finds what fits though it is far from sure, as a search that scores every candidate does', async () => {
  const others = Array.from({ length: 19 }, () => ({ situation: '', action: '', impact: '' }));
  const memories = [...others, { situation: 'getUserName', action: '', impact: '' }];
  using store = await storeWith(Object.fromEntries(memories.map((memory, i) => [`m${i}`, recordOf(memory)])));
  const { pruned, exhaustive } = searches(store, 'get_user deploy', 'query');
  expect(pruned.map(([name]) => name)).toEqual(['feedback/m19']);
  expect(pruned).toEqual(exhaustive);
  const sure = searches(store, 'get_user deploy', 'surface');
  expect(sure).toEqual({ pruned: [], exhaustive: [] });
});

/** The hits of a search, and those of one that takes every candidate apart, asks no bound and sorts them all. */
function searches(store: Store, text: string, policy: Policy) {
  const { db } = store;
  admit(db, { type: null, scopes: null, without: [] });
  const statistics = wordStatistics(db);
  const query = compileQuery(text, backgroundWeight);
  const asked = { policy, query, sentences: [], archived: [], meaning: null, filterKey: '' };
  const hitsOf = (scoring: Scoring) =>
    judge({ db, policy, project: { name: null, aliases: [], paths: [] }, statistics }, scoring, 3).map(
      ({ name, adjusted }) => [name, adjusted] as const,
    );
  const complete = score(db, { ...asked, floor: 0 }, statistics);
  const all: Scored[] = [];
  for (let one = complete.ranking.at(0); one !== null; one = complete.ranking.at(all.length)) all.push(one);
  const evidence = new Map(all.map(({ memory, words }) => [memory, words.evidence]));
  expect(evidence).toEqual(evidenceWithoutBounds(db, query, statistics));
  all.sort((a, b) => b.passing - a.passing);
  const exhaustive = hitsOf({ ...complete, ranking: { at: (place) => all[place] ?? null } });
  return { pruned: hitsOf(score(db, asked, statistics)), exhaustive };
}

function evidenceWithoutBounds(db: SqliteDatabase, query: CompiledQuery, statistics: WordStatistics) {
  const scale = wordsScale(query, statistics);
  const finder = evidenceFinder(query, scale, statistics.tokenCount);
  const candidates = findWordsCandidates(db, query, scale.weights, statistics.tokenCount);
  const evidence = searchedTexts(db, candidates).map(([pk, texts]) => [pk, finder.of(texts).evidence] as const);
  return new Map<Scored['memory'], number>(evidence.filter(([, value]) => value > 0));
}
