import { expect, test } from 'vitest';
import { checkStore } from '../../src/sync/check.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { startChild } from '../support/child.ts';
import { temporaryStore } from '../support/sync-store.ts';

test('S39: commits, a shell beside them, and SIGKILL: every committed row is there', { timeout: 60_000 }, async () => {
  using store = await temporaryStore();
  const script = bundleForChild(new URL('./children/commit-and-die.ts', import.meta.url));
  // Two of them, since locks that are gone are missed only by somebody else.
  const children = ['north', 'south'].map((key) => startChild(process.execPath, [script, store.root, key, '20']));
  const ends = await Promise.all(children.map(({ end }) => end));
  expect(ends.map(({ signal, stderr }) => [signal, stderr])).toEqual([
    ['SIGKILL', ''],
    ['SIGKILL', ''],
  ]);
  const names = ends.flatMap(({ stdout }) => stdout.split('\n').slice(0, -1));
  expect(new Set(names).size).toBe(40);
  store.sync();
  for (const name of names) {
    const row = store.row(name);
    expect([name, row?.impact]).toEqual([name, expect.stringMatching(/^By the shell of (north|south)$/)]);
    expect(store.read(`${name}.toml`)).toContain(`impact = "${row?.impact}"\n`);
  }
  expect(store.sync().steps).toEqual([]);
  expect(checkStore(store.context)).toEqual([]);
});
