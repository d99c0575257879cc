import { afterEach, expect, test, vi } from 'vitest';
import { createEmbedding } from '../../src/sync/watch-embedding.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Counts the calls; each ends when `end` is called. */
function embedder() {
  const calls: (() => void)[] = [];
  const embed = () => new Promise<void>((resolve) => calls.push(resolve));
  return { calls, embed };
}

test('SE-25: a watch embeds once it is quiet, however many changes came before', () => {
  vi.useFakeTimers();
  const { calls, embed } = embedder();
  const embedding = createEmbedding({ embed, signal: new AbortController().signal });
  for (let change = 0; change < 5; change += 1) {
    embedding.soon();
    vi.advanceTimersByTime(900);
  }
  expect(calls).toHaveLength(0);
  vi.advanceTimersByTime(100);
  expect(calls).toHaveLength(1);
});

test('SE-25: who changes something all the time gets vectors too', () => {
  vi.useFakeTimers();
  const { calls, embed } = embedder();
  const embedding = createEmbedding({ embed, signal: new AbortController().signal });
  for (let change = 0; change < 25; change += 1) {
    embedding.soon();
    vi.advanceTimersByTime(500);
  }
  expect(calls).toHaveLength(1);
});

test('SE-25: what changes while vectors are made is embedded after that', async () => {
  vi.useFakeTimers();
  const { calls, embed } = embedder();
  const embedding = createEmbedding({ embed, signal: new AbortController().signal });
  embedding.soon();
  vi.advanceTimersByTime(1000);
  embedding.soon();
  vi.advanceTimersByTime(5000);
  expect(calls).toHaveLength(1);
  calls[0]?.();
  await vi.advanceTimersByTimeAsync(1000);
  expect(calls).toHaveLength(2);
});

test('a watch that ends begins nothing more', async () => {
  vi.useFakeTimers();
  const { calls, embed } = embedder();
  const end = new AbortController();
  const embedding = createEmbedding({ embed, signal: end.signal });
  embedding.soon();
  end.abort();
  await embedding.settled();
  vi.advanceTimersByTime(20_000);
  embedding.soon();
  vi.advanceTimersByTime(20_000);
  expect(calls).toHaveLength(0);
});
