import { describe, expect, test } from 'vitest';
import { type FoundFact, factsOfLearned, factsOfText } from '../../src/agent/fact-sentences.ts';
import { FACTS, NO_FACTS } from './examples/facts.ts';
import { expectMistakes, scoreOf } from './precision-recall.ts';

const context = { thread: 'api', project: 'shop' };
const triples = (facts: readonly FoundFact[]) =>
  facts.map(({ subject, predicate, object }) => [subject, predicate, object]);

describe('AG-41: clear assertions', () => {
  test('AG-42: proposals, questions, hypotheticals, opinions, plans, states of today are none', () => {
    const positive = FACTS.filter(([, subject]) => subject !== '').map(([sentence]) => sentence);
    const score = scoreOf(
      'fact sentences',
      { positive, negative: NO_FACTS },
      (text) => factsOfText(text, context).length > 0,
    );
    expectMistakes(score);
  });

  test.each(FACTS)('%s', (sentence, ...triple) => {
    expect(triples(factsOfText(sentence, context))).toEqual(triple[0] === '' ? [] : [triple]);
  });

  test('the worked example: a fact, a proposal and a question', () => {
    const text = 'shop-api listens on port 8080. We should move to 9090. Does it use Redis?';
    expect(factsOfText(text, { thread: 'api', project: 'shop-api' })).toEqual([
      {
        situation: 'When working on api in shop-api',
        subject: 'shop-api',
        predicate: 'listens-on',
        object: 'port 8080',
        sentence: 'shop-api listens on port 8080.',
      },
    ]);
  });

  test('we are the project, and nobody without one', () => {
    expect(triples(factsOfText('We use pnpm.', context))).toEqual([['shop', 'uses', 'pnpm']]);
    expect(factsOfText('We use pnpm.', { thread: 'api', project: null })).toEqual([]);
    expect(factsOfText('shop-api uses pnpm.', { thread: 'api', project: null })[0]?.situation).toBe(
      'When working on api',
    );
  });

  test('a replaced value stands in the sentence, not in the object', () => {
    expect(factsOfText('shop-api uses Valkey instead of Redis.', context)).toMatchObject([
      { subject: 'shop-api', predicate: 'uses', object: 'Valkey', sentence: 'shop-api uses Valkey instead of Redis.' },
    ]);
  });

  test('code, quotations and URLs come back as they were written', () => {
    expect(triples(factsOfText('The client uses `fetch("/x")` from https://example.com/a.b.', context))).toEqual([
      ['client', 'uses', '`fetch("/x")` from https://example.com/a.b'],
    ]);
  });

  test('the situation of an intent is read, its behavior is a plan', () => {
    const intent = 'Situation: shop-api listens on port 8080.\nBehavior: The gateway uses port 9090.';
    expect(factsOfText(intent, context)).toMatchObject([
      { situation: 'shop-api listens on port 8080.', subject: 'shop-api', object: 'port 8080' },
    ]);
  });
});

describe('AG-40: encodings', () => {
  test('a decision is what was chosen, what was rejected and why', () => {
    const text = 'shop-api chose PostgreSQL over MySQL because the reports need window functions.';
    expect(triples(factsOfText(text, context))).toEqual([
      ['shop-api', 'chose', 'PostgreSQL'],
      ['shop-api', 'rejected', 'MySQL'],
      ['shop-api', 'because', 'the reports need window functions'],
    ]);
  });

  test('a process is its steps', () => {
    const text = 'Release process:\n1. Tag the commit\n2. Run make dist\n3. Upload\n\nWhat I did:\n1. Nothing';
    expect(triples(factsOfText(text, context))).toEqual([
      ['Release process', 'step-1', 'Tag the commit'],
      ['Release process', 'step-2', 'Run make dist'],
      ['Release process', 'step-3', 'Upload'],
    ]);
  });

  test('a quotation is what its source says, of what was learned only', () => {
    const text = 'The README says "run make once".';
    expect(triples(factsOfLearned(text, context))).toEqual([['README', 'says', 'run make once']]);
    expect(factsOfText(text, context)).toEqual([]);
  });
});

describe('AG-44: learned messages', () => {
  test('CH-28: arrow lines, a context line, sentences as well', () => {
    const text =
      'Context: When deploying the shop\nshop-api -> depends on -> Redis 7\n- shop-api → Test Command → make test\nThe worker uses BullMQ. Maybe it scales.';
    const situation = 'When deploying the shop';
    expect(factsOfLearned(text, context)).toMatchObject([
      { situation, subject: 'shop-api', predicate: 'depends-on', object: 'Redis 7' },
      { situation, subject: 'shop-api', predicate: 'test-command', object: 'make test' },
      { situation, subject: 'worker', predicate: 'uses', object: 'BullMQ' },
    ]);
  });

  test('`is a` is `is`, `_` and blanks are `-`, the same triple is one', () => {
    const text = 'shop-api -> is a -> service\nshop-api -> is -> service\nshop-api -> default_branch -> main';
    expect(triples(factsOfLearned(text, context))).toEqual([
      ['shop-api', 'is', 'service'],
      ['shop-api', 'default-branch', 'main'],
    ]);
  });

  test('quoted lines, facts and user words are left out, and arrows without three parts', () => {
    const text = '> a -> b -> c\n[FACT] a -> b -> c\n[User]: a -> b -> c\na -> b\n -> b -> c\nx->y->z';
    expect(triples(factsOfLearned(text, context))).toEqual([['x', 'y', 'z']]);
  });
});

test.each([
  ['one word', 'a'],
  ['blanks', ' '],
  ['arrows', '-> '],
  ['lines of arrows', 'a -> b -> c\n'],
  ['is', 'is a '],
  ['facts', 'shop-api uses Redis. '],
  ['a fact without end', 'shop-api uses Redis and '],
  ['numbers', '1. a\n'],
  ['labels', 'Situation: '],
  ['label lines', 'Behavior:\n'],
  ['because', 'because '],
  ['colons', ':'],
  ['quotations', 'a says "b" '],
])('AG-41: 1 MiB of %s costs time in proportion to it', (_, piece) => {
  const text = piece.repeat(Math.ceil((1 << 20) / piece.length));
  const start = process.cpuUsage();
  factsOfLearned(text, context);
  factsOfText(text, context);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(6000);
});
