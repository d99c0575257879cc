import { describe, expect, test } from 'vitest';
import { correctionFields } from '../../src/agent/correction-fields.ts';
import { readCorrection, readDraftAnswer, userWords } from '../../src/agent/user-words.ts';
import { HELD_OUT, HELD_OUT_AGAIN } from './examples/held-out.ts';
import { LASTING, NOT_LASTING } from './examples/lasting.ts';
import { NOT_REJECTION, REJECTION } from './examples/rejection.ts';
import { NOT_SOFT, SOFT } from './examples/soft.ts';
import { NOT_THIS_TIME, THIS_TIME } from './examples/this-time.ts';
import { expectMistakes, scoreOf } from './precision-recall.ts';

const familiesOf = (words: string): readonly string[] => readCorrection(words)?.families ?? [];

/** Whether the words would be stored at once behind a `done` (AG-33, AG-35). */
function isStored(words: string): boolean {
  const correction = readCorrection(words);
  if (correction === null || !correction.families.some((family) => family === 'lasting' || family === 'rejection'))
    return false;
  return correctionFields(correction, { situation: 'When merging', behavior: 'Merge' }).missing.length === 0;
}

describe('AG-32: families of user words', () => {
  test.each([
    ['lasting', LASTING, NOT_LASTING, {}],
    ['rejection', REJECTION, NOT_REJECTION, {}],
    // `for this` may be about this change only.
    ['this-time', THIS_TIME, NOT_THIS_TIME, { missed: ["I don't want new dependencies for this"] }],
    ['soft', SOFT, NOT_SOFT, { wronglyFound: ['can we not reproduce it because of the seed, or is it fixed?'] }],
  ] as const)('%s', (family, positive, negative, known) => {
    const score = scoreOf(family, { positive, negative }, (words) => familiesOf(words).includes(family));
    expectMistakes(score, known);
    expect(score.precision).toBeGreaterThanOrEqual(0.94);
    expect(score.recall).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    ['first', HELD_OUT],
    ['second', HELD_OUT_AGAIN],
  ])('AG-33: the %s messages that were written after the rules are stored at once or left alone', (_, messages) => {
    const wordsOf = (label: string) => messages.filter(([each]) => each === label).map(([, words]) => words);
    expectMistakes(scoreOf('stored at once', { positive: wordsOf('store'), negative: wordsOf('none') }, isStored));
    expect(wordsOf('none').filter((words) => familiesOf(words).length > 0)).toEqual([]);
  });

  test("words that are nobody's own are no trigger", () => {
    for (const words of [
      '```\nnever push to main\n```',
      '~~~text\nalways rebase\n~~~',
      '> from now on use tabs',
      '// never call this twice',
      '2026-03-01 10:00:00 WARN never do that again',
      'see https://example.com/never-use-tabs',
      'The guide says: "always use tabs".',
      '[FACT] shop-api uses Redis\n[User]: never use it',
      '',
      '?',
    ])
      expect(readCorrection(words), words).toBeNull();
  });

  test('of a message as long as a log beginning and end are read', () => {
    const log = 'The worker took a job. '.repeat(5000);
    expect(readCorrection(`${log}Never push to main.`)?.prohibited).toBe('push to main');
    expect(readCorrection(`Never push to main. ${log}`)?.prohibited).toBe('push to main');
  });

  test('a fence that is never closed hides what follows, one inside another does not end it', () => {
    expect(readCorrection('look\n```\nnever push')).toBeNull();
    expect(readCorrection('````\n```\nnever push to main\n````\nalways run the linter')?.demanded).toBe(
      'run the linter',
    );
  });

  test('the words come back verbatim, also around inline code, quotations and URLs', () => {
    const words = 'Always run `make "quick"` as in https://example.com/a?b, because "slow" costs money';
    expect(readCorrection(words)).toEqual({
      families: ['lasting'],
      words,
      demanded: 'run `make "quick"` as in https://example.com/a?b',
      prohibited: null,
      reason: '"slow" costs money',
    });
  });
});

describe('AG-35: what is demanded, prohibited and why', () => {
  test.each([
    [
      "that's wrong, always run make test-fast because the full suite takes 40 minutes",
      'run make test-fast',
      null,
      'the full suite takes 40 minutes',
    ],
    ["I'd prefer squash merges here", 'squash merges here', null, null],
    [
      'never run the seed script against the shared dev database, it truncates customers. Use the local container.',
      'Use the local container',
      'run the seed script against the shared dev database',
      null,
    ],
    ['stop adding comments to getters', null, 'add comments to getters', null],
    ['You should have used the builder.', 'use the builder', null, null],
    ["You shouldn't have written to the replica", null, 'write to the replica', null],
    ['please use zod instead of joi from now on', 'use zod', 'use joi', null],
    ['no, use the existing client rather than writing a new one', 'use the existing client', 'write a new one', null],
    ['Since the build is slow, always run one package only.', 'run one package only', null, 'the build is slow'],
    ["don't ever merge on red, otherwise everybody is blocked", null, 'merge on red', 'everybody is blocked'],
    ['always tag releases since last week', 'tag releases since last week', null, null],
    ['Never squash. Because we bisect.', null, 'squash', 'we bisect'],
    ['I told you not to vendor dependencies', null, 'vendor dependencies', null],
    [
      'never use :latest in compose files, always a full version',
      'always a full version',
      'use :latest in compose files',
      null,
    ],
    ['Never commit to main. Please rebase the feature branch now.', null, 'commit to main', null],
    ["That's wrong. Fix it please.", null, null, null],
    ['From now on I want you to show the plan first.', 'show the plan first', null, null],
    ["don't do that again", null, null, null],
  ] as const)('%s', (words, demanded, prohibited, reason) => {
    expect(readCorrection(words)).toMatchObject({ demanded, prohibited, reason });
  });

  const intent = { situation: 'When running the shop-api tests', behavior: 'Run the whole suite with npm test' };

  test.each([
    [
      "that's wrong, always run make test-fast because the full suite takes 40 minutes",
      { ...intent, action: 'run make test-fast', impact: 'the full suite takes 40 minutes', missing: [] },
    ],
    [
      'never seed the shared database',
      {
        situation: intent.situation,
        behavior: 'seed the shared database',
        action: 'Do not seed the shared database',
        impact: 'The user had to correct this: "never seed the shared database"',
        missing: [],
      },
    ],
    ["that's wrong", { ...intent, action: '', missing: ['action'] }],
  ])('fields of: %s', (words, fields) => {
    const correction = readCorrection(words);
    expect(correction && correctionFields(correction, intent)).toMatchObject(fields);
  });

  test('without an intent nobody knows the situation', () => {
    const correction = readCorrection('always run make test-fast');
    expect(correction && correctionFields(correction, null).missing).toEqual(['situation', 'behavior']);
  });
});

describe('AG-34: answers to drafts', () => {
  test.each([
    ['yes draft-1', 1, 'yes', ''],
    ['Yes, draft-12.', 12, 'yes', ''],
    ['no draft-3', 3, 'no', ''],
    ['draft-3: no', 3, 'no', ''],
    ['draft-4 yes', 4, 'yes', ''],
    ['draft-1: use the local container', 1, 'completion', 'use the local container'],
    ['draft-2: when merging a release: squash', 2, 'completion', 'when merging a release: squash'],
    ['draft-2: no mocks in integration tests', 2, 'completion', 'no mocks in integration tests'],
    ['draft-2: yes men are useless, ask', 2, 'completion', 'yes men are useless, ask'],
    ['yes to draft-5', 5, 'yes', ''],
    ['Yes please, keep draft-6', 6, 'yes', ''],
    ['yes', null, 'yes', ''],
    ['No.', null, 'no', ''],
    ['yes please', null, 'yes', ''],
    ['no thanks', null, 'no', ''],
  ] as const)('%s', (words, draft, answer, rest) => {
    expect(readDraftAnswer(words)).toEqual({ draft, answer, words: rest });
  });

  test.each([
    'yes, but only in CI',
    'no, use the local container',
    'what is draft-1?',
    'see draft-1',
    'draft',
    'yesterday',
    '',
  ])('no answer: %s', (words) => expect(readDraftAnswer(words)).toBeNull());

  test('AG-32: only a text that begins with [User]: holds user words', () => {
    expect(userWords('[User]: never push')).toBe('never push');
    expect(userWords(' [user]:\nnever push\n')).toBe('never push');
    expect(userWords('He wrote [User]: never push')).toBeNull();
    expect(userWords('> [User]: never push')).toBeNull();
  });
});

describe('a text of 1 MiB costs time in proportion to it', () => {
  const size = 1 << 20;
  test.each([
    ['one word', 'a'],
    ['blanks', ' '],
    ['commas', 'a, '],
    ['never', 'never '],
    ['always, never', 'always, never '],
    ['because', 'because since '],
    ['open quotations', '"\' `'],
    ['asterisks', '*_'],
    ['brackets', '(([['],
    ['short sentences', 'Never push. '],
    ['long sentences', `${'never push it and then always, '.repeat(30)}. `],
    ['line breaks', '\n'],
    ['fences', '```\n'],
    ['wrapped lines', `${'word '.repeat(12)}\n`],
    ['you should have', 'you should have not '],
    ['from now on', 'from now on, whenever you '],
    ['no', 'no, '],
    ['urls', 'http://'],
    ['masks', '\uE0001\uE001'],
    ['instead', 'use x, not y, instead of '],
  ])('%s', (_, piece) => {
    const text = piece.repeat(Math.ceil(size / piece.length));
    const start = process.cpuUsage();
    readCorrection(text);
    readDraftAnswer(text);
    userWords(text);
    const { user } = process.cpuUsage(start);
    expect(user / 1000).toBeLessThan(2000);
  });
});
