import { describe, expect, it, test } from 'vitest';
import { parseApplies, parseExtract, parseRelation, parseReply } from '../../../src/agent/judge/parse-answer.ts';
import { appliesQuestion, extractQuestion, relationQuestion } from '../../../src/agent/judge/questions.ts';
import { emptyRecord } from '../../../src/memory/record.ts';
import { GITHUB_TOKEN } from '../../support/fake-secrets.ts';
import { COLUMN, INTENT } from '../../support/judged.ts';

describe('AG-21: answers as the table has them', () => {
  test('a verdict of each task', () => {
    expect(parseApplies('{"verdict":"follows","score":0,"reason":"r"}')).toEqual({
      value: { verdict: 'follows', score: 0, reason: 'r' },
    });
    expect(parseReply('{"verdict":"exception","reason":"r"}')).toEqual({
      value: { verdict: 'exception', reason: 'r' },
    });
    expect(parseRelation('{"verdict":"opposite"}')).toEqual({ value: 'opposite' });
  });

  it.each([
    '',
    'null',
    '[]',
    '"applies"',
    '{}',
    '{"verdict":"APPLIES"}',
    '{"verdict":["applies"]}',
    '{"verdict":"applies","score":2}',
    '{"verdict":"applies","score":"1"}',
  ])('not %s', (text) => expect(typeof parseApplies(text)).toBe('string'));
});

test('AG-26: a reason is one line of at most 300 characters without a secret', () => {
  const reasonOf = (reason: string) => {
    const parsed = parseReply(JSON.stringify({ verdict: 'persists', reason }));
    return typeof parsed === 'string' ? null : parsed.value.reason;
  };
  expect(reasonOf('a\n\nb\u202Ec. ')).toBe('a b\\u{202e}c');
  expect([...(reasonOf('🙂'.repeat(400)) ?? '')].length).toBe(300);
  expect(reasonOf(`it has ${GITHUB_TOKEN}`)).toContain('[redacted:');
});

describe('AG-26: extracted items', () => {
  const MESSAGE = "that's wrong, always run make test-fast because the full suite takes 40 minutes";
  const ITEM = {
    situation: 'When running the tests',
    behavior: 'Running the full suite',
    impact: 'It takes 40 minutes',
    action: 'Run make test-fast',
    evidence: 'always run make test-fast',
  };
  const kept = (items: unknown, want: 'feedback' | 'facts' = 'feedback') => {
    const parsed = parseExtract(JSON.stringify({ items }), MESSAGE, want);
    return typeof parsed === 'string' ? parsed : parsed.value.length;
  };

  it.each([
    ['whole ones', [ITEM], 1],
    ['none', [], 0],
    ['evidence that is not verbatim', [{ ...ITEM, evidence: 'always use make test-fast' }], 0],
    ['evidence in other case', [{ ...ITEM, evidence: 'Always run make test-fast' }], 0],
    ['no evidence', [{ ...ITEM, evidence: ' ' }], 0],
    ['what MF-12 refuses', [{ ...ITEM, action: '' }], 0],
    ['a text that is too long', [{ ...ITEM, action: 'x'.repeat(8001) }], 0],
    ['a secret', [{ ...ITEM, action: `Use ${GITHUB_TOKEN}` }], 0],
    ['things that are no items', [null, 'x', 7, ITEM], 1],
    ['no list', { ...ITEM }, 'its items are no list'],
  ])('%s', (_, items, count) => expect(kept(items)).toBe(count));

  test('confidence and source never come from the model', () => {
    const parsed = parseExtract(
      JSON.stringify({ items: [{ ...ITEM, confidence: 1, source: 'user' }] }),
      MESSAGE,
      'feedback',
    );
    const { evidence, ...texts } = ITEM;
    expect(parsed).toEqual({ value: [{ draft: { type: 'feedback', ...texts }, evidence }] });
  });

  test('facts', () => {
    const fact = { situation: 'When testing', subject: 'suite', predicate: 'takes', object: '40 minutes' };
    expect(kept([{ ...fact, evidence: 'the full suite takes 40 minutes' }], 'facts')).toBe(1);
  });
});

test('AG-21, AG-52: documents hold the listed fields, no counters and no secret', () => {
  expect(appliesQuestion(INTENT, COLUMN, 3499.6).document).toEqual({
    protocol: 1,
    task: 'applies',
    intent: INTENT,
    memory: COLUMN,
    budget_ms: 3500,
  });
  const message = { from: 'a', type: 'info', text: `the token is ${GITHUB_TOKEN}` };
  const { document } = extractQuestion(
    message,
    Array.from({ length: 12 }, () => message),
    'facts',
  );
  expect(document).toMatchObject({
    want: 'facts',
    message: { from: 'a', text: expect.stringContaining('[redacted:') },
  });
  expect((document.context as unknown[]).length).toBe(10);
  const record = { ...emptyRecord('fact', null), situation: 's', subject: 'a', predicate: 'b', object: 'c' };
  expect(relationQuestion(record, record).document.a).toEqual({
    type: 'fact',
    situation: 's',
    subject: 'a',
    predicate: 'b',
    object: 'c',
  });
});
