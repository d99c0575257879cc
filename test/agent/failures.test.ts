import { describe, expect, test } from 'vitest';
import { saysObjectedFailure, saysReverted } from '../../src/agent/failures.ts';
import { NOT_OBJECTED, NOT_REVERTED, OBJECTED, REVERTED } from './examples/failures.ts';
import { expectMistakes, scoreOf } from './precision-recall.ts';

describe('AG-36: failures', () => {
  test('somebody goes back on what they did', () => {
    const score = scoreOf(
      'reverted',
      { positive: REVERTED, negative: NOT_REVERTED },
      (text) => saysReverted(text) !== null,
    );
    expectMistakes(score);
  });

  test('an objection names a failure', () => {
    const score = scoreOf(
      'objected failure',
      { positive: OBJECTED, negative: NOT_OBJECTED },
      (text) => saysObjectedFailure(text) !== null,
    );
    expectMistakes(score);
  });

  test('the sentence is quoted as it was written', () => {
    const text = 'Look at `db/0042.sql`.\n\nReverting "0042", orders was locked. More tomorrow.';
    expect(saysReverted(text)).toBe('Reverting "0042", orders was locked.');
    expect(saysObjectedFailure('Hm. The build ends with exit status 2: `make x`!')).toBe(
      'The build ends with exit status 2: `make x`!',
    );
  });

  test.each([
    'a',
    ' ',
    'revert ',
    'reverting, ',
    'no error ',
    'rolled the ',
    'went back to ',
    'error handling ',
    'Failed. ',
    '\n',
  ])('1 MiB of %j costs time in proportion to it', (piece) => {
    const text = piece.repeat(Math.ceil((1 << 20) / piece.length));
    const start = process.cpuUsage();
    saysReverted(text);
    saysObjectedFailure(text);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(6000);
  });
});
