import { expect, test } from 'vitest';
import { createSearchTurns } from '../../src/agent/search-turns.ts';

const always = () => true;

test('AG-13: pieces of many searches are done a few at a time, those of the oldest intent first', async () => {
  const turns = createSearchTurns();
  const done: string[] = [];
  let [running, most] = [0, 0];
  const piece = async (name: string) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    done.push(name);
  };
  const search = async (place: number) => {
    await turns.take(place, () => piece(`${place} query`), always);
    await turns.take(place, () => piece(`${place} judge`), always);
  };
  await Promise.all(Array.from({ length: 40 }, (_, at) => search(at)));
  expect(most).toBe(4);
  expect(done).toHaveLength(80);
  // The first ones are through before the last ones have begun.
  expect(done.indexOf('3 judge')).toBeLessThan(done.indexOf('12 query'));
  expect(done.slice(-4).every((name) => name.startsWith('3'))).toBe(true);
});

test('AG-15: a piece that nobody waits for any more is not begun, and one that fails keeps nobody waiting', async () => {
  const turns = createSearchTurns();
  let begun = 0;
  const begin = async () => {
    begun += 1;
  };
  const never = () => false;
  const left = Array.from({ length: 10 }, (_, at) => turns.take(at, begin, never));
  expect((await Promise.allSettled(left)).every(({ status }) => status === 'rejected')).toBe(true);
  expect(begun).toBe(0);
  const failing = Array.from({ length: 10 }, (_, at) => turns.take(at, () => Promise.reject(new Error('no')), always));
  expect((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected')).toBe(true);
  await expect(turns.take(0, async () => 'answered', always)).resolves.toBe('answered');
});
