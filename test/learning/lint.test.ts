import { describe, expect, it, test } from 'vitest';
import { isRefused, lintSituation } from '../../src/learning/lint.ts';
import { BAD, BAD_HELD_OUT, GOOD, GOOD_HELD_OUT, type Sample } from './situations.ts';

const rulesOf = (situation: string, action: string | null = null) =>
  lintSituation(situation, action).map(({ rule }) => rule);
const flagged = (samples: readonly Sample[]) =>
  samples.filter(({ situation, action }) => lintSituation(situation, action).length > 0);

describe('SE-57: each rule, with the words that break it', () => {
  it.each([
    ['L1', 'The orders table in production', 'The orders table'],
    ['L2', 'When running make client after a change of the schema', 'make client after a'],
    ['L2', 'When setting WAL_LIMIT in production', 'wal_limit'],
    ['L3', 'When working on #4312 again', '#4312'],
    ['L3', 'When working on SHOP-211 again', 'SHOP-211'],
    ['L3', 'When deploying on 2026-03-14', '2026-03-14'],
    ['L3', 'When deploying on March 3rd', 'March 3rd'],
    ['L3', 'When reverting commit 9fceb02', '9fceb02'],
    ['L3', 'When reverting a1b2c3d4e5 on main', 'a1b2c3d4e5'],
    ['L3', 'When asking @dana for a review', '@dana'],
    ['L3', "When changing Dana's branch", 'Dana'],
    ['L4', 'When the deploy broke the index', 'broke'],
    ['L4', 'When it turned out to be slow', 'it turned out'],
    ['L4', 'When a job fails because of a timeout', 'because of'],
    ['L4', 'When we should have used a lock', 'should have'],
    ['L4', 'After the race was fixed in the watcher', 'fixed'],
    ['L5', 'When deploying', '2 words'],
    ['L5', `When ${'so '.repeat(50)}`, '51 words'],
    ['L6', 'When the cluster currently has two nodes', 'currently'],
    ['L6', 'The migration is done on all hosts', 'is done'],
    ['L6', 'v2 is released', 'is released'],
    ['L7', 'docker, build, cache, ci', 'docker, build, cache, ci'],
    ['L7', 'api timeout retry backoff', 'api timeout retry backoff'],
  ])('%s: %s', (rule, situation, words) => {
    const action = 'Set WAL_LIMIT, then run make client after a change';
    expect(lintSituation(situation, action)).toContainEqual({ rule, words, advice: expect.any(String) });
  });

  it.each([
    'When parsing fixed-width records of a bank',
    'When decoding UTF-8 or SHA-256 from a socket',
    'When the build is green on main',
    'When Jenkins or Ruby is missing from the image',
    'When dropping a column that the currently deployed release reads',
    'When converting times from UTC-5 to UTC',
    'Re-running the whole suite on a laptop',
    'When importing @scope/pkg into the worker',
    'When adding a feed of 1234567 rows',
    '在推送之前运行所有的检查',
    'Перед отправкой ветки на сервер',
  ])('nothing to say of: %s', (situation) => expect(rulesOf(situation, 'Run make check')).toEqual([]));

  test('a suffix of keywords from an older file is no part of the situation (MF-26)', () => {
    expect(rulesOf('When pushing a branch\nKeywords: git, push, #12')).toEqual([]);
  });

  test("an agent's draft is refused from two findings on, a person is only told", () => {
    expect(isRefused(lintSituation('When pushing a branch', null))).toBe(false);
    expect(isRefused(lintSituation('When working on #4312 again', null))).toBe(false);
    expect(isRefused(lintSituation('The cache broke', null))).toBe(true);
  });
});

describe('Q27: situations a person judged', () => {
  test('at least 16 of 20 bad ones are flagged, at most 3 of 20 good ones', () => {
    expect([GOOD.length, BAD.length]).toEqual([20, 20]);
    expect(flagged(BAD).length).toBeGreaterThanOrEqual(16);
    expect(flagged(GOOD).map(({ situation }) => situation).length).toBeLessThanOrEqual(3);
  });

  test('the same for 20 and 20 that were held out while the rules were made', () => {
    expect([GOOD_HELD_OUT.length, BAD_HELD_OUT.length]).toEqual([20, 20]);
    expect(flagged(BAD_HELD_OUT).length).toBeGreaterThanOrEqual(16);
    expect(flagged(GOOD_HELD_OUT).length).toBeLessThanOrEqual(3);
  });
});
