import { expect, test } from 'vitest';
import { standsIn } from '../../src/search/verbatim.ts';

test.each([
  ['Tell the team.', 'Then tell the team', true],
  ['tell the team', 'tell the teams', false],
  ['art of war', 'the start of war, the art of war', true],
  ['"run make check"', 'Before that: Run make check, always.', true],
  ['über die Brücke', 'geh Über die Brücke', true],
  ['a b', 'a 𝒞b', false],
  ['???', 'what???', false],
])('Q18: %j stands in %j: %s', (query, text, stands) => expect(standsIn(query, text)).toBe(stands));
