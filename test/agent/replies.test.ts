import { expect, test } from 'vitest';
import { correctionFields } from '../../src/agent/correction-fields.ts';
import { factsOfLearned, factsOfText } from '../../src/agent/fact-sentences.ts';
import { saysObjectedFailure, saysReverted } from '../../src/agent/failures.ts';
import { parseIntentText } from '../../src/agent/intent-text.ts';
import { withoutOwnWords } from '../../src/agent/own-words.ts';
import { classifyReply, isConventional } from '../../src/agent/replies.ts';
import { readCorrection, readDraftAnswer, userWords } from '../../src/agent/user-words.ts';

test('the worked examples of a conversation are read', () => {
  const words = userWords("[User]: that's wrong, always run make test-fast because the full suite takes 40 minutes");
  const correction = readCorrection(words ?? '');
  expect(correction?.families).toEqual(['lasting', 'rejection']);
  const intent = parseIntentText(
    'Situation: When running the shop-api tests\nBehavior: Run the whole suite with npm test',
  );
  expect(correction && correctionFields(correction, intent)).toEqual({
    situation: 'When running the shop-api tests',
    behavior: 'Run the whole suite with npm test',
    impact: 'the full suite takes 40 minutes',
    action: 'run make test-fast',
    missing: [],
  });
  expect(readDraftAnswer('yes draft-1')).toEqual({ draft: 1, answer: 'yes', words: '' });
  expect(classifyReply('override, the table has 40 rows')).toEqual({ kind: 'decision', decision: 'override' });
  expect(classifyReply('I still prefer one statement.')).toEqual({ kind: 'persists' });
  expect(isConventional('Received.')).toBe(true);
  expect(saysReverted('Reverting the migration, orders was locked.')).not.toBeNull();
  expect(saysObjectedFailure('npm test ends with exit status 1')).not.toBeNull();
  const context = { thread: 'api', project: 'shop-api' };
  expect(
    factsOfText('shop-api listens on port 8080. We should move to 9090. Does it use Redis?', context),
  ).toMatchObject([{ subject: 'shop-api', predicate: 'listens-on', object: 'port 8080' }]);
  expect(factsOfLearned('shop-api -> uses -> Redis', context)).toHaveLength(1);
  expect(withoutOwnWords('a b c d', ['a b c d'])).toBe('');
});
