import { expect, test } from 'vitest';
import { react } from '../../src/agent/react.ts';
import { newState } from '../../src/agent/state.ts';
import type { Moment } from '../../src/agent/turn.ts';
import type { Message, MessageId } from '../../src/chat/message.ts';

const NOW = Date.parse('2026-04-03T14:30:00Z');
const MOMENT: Moment = {
  nowMs: NOW,
  mode: 'live',
  project: 'shop-api',
  isOnline: () => false,
  learns: true,
};

function parroted(words: string, line: number): Message {
  return {
    id: `${line}`.padStart(16, '0') as MessageId,
    from: 'executor',
    to: 'all',
    thread: 'user-input',
    type: 'info',
    ts: new Date(NOW).toISOString(),
    re: null,
    text: `[User]: ${words}`,
    line,
    cursor: line + 8,
    start: line * 20,
    end: line * 20 + 160,
    repaired: false,
    suspect: false,
  };
}

test.each([
  [
    'on a line each',
    'Situation: When tagging a release\nBehavior: Tagging by hand\nAction: Run make tag\nImpact: Two tags',
  ],
  ['on one line', 'Situation: When tagging a release Behavior: Tagging by hand Action: Run make tag Impact: Two tags'],
  [
    'in sentences',
    'situation: When tagging a release. behavior: Tagging by hand. action: Run make tag. impact: Two tags.',
  ],
])('AG-34, AG-35: what is missing is taken from behind its label, %s', (_, answer) => {
  const asked = react(newState('engram-agent'), parroted("That's wrong.", 10), MOMENT);
  expect([...asked.state.drafts.values()]).toMatchObject([{ missing: ['situation', 'behavior', 'action'] }]);
  const after = react(asked.state, parroted(`draft-1: ${answer}`, 20), MOMENT);
  const [draft] = after.state.drafts.values();
  const fields = [draft?.situation, draft?.behavior, draft?.action, draft?.impact].map((text) =>
    text?.replace(/\.$/, ''),
  );
  expect(fields).toEqual(['When tagging a release', 'Tagging by hand', 'Run make tag', 'Two tags']);
  expect(draft).toMatchObject({ state: 'stored', missing: [] });
});
