import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { QUERY_FLOOR, SURFACE_FLOOR } from '../../src/search/relevance.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(project, folder, path), 'utf8') }));
}

test('SE-42: the floors of both policies and the knots are constants of one file', () => {
  const defining = sources('src').filter(({ text }) => /const \w*(FLOOR|KNOTS)\w*\b[^=]*=/.test(text));
  expect(defining.map(({ path }) => path)).toEqual(['src/search/relevance.ts']);
  expect([QUERY_FLOOR, SURFACE_FLOOR]).toEqual([0.15, 0.49]);
});

test('SE-66: the benchmark asks with the floors of the product: it has none of its own, and no set has one', () => {
  const bench = [
    ...sources('scripts/bench/retrieval'),
    ...sources('scripts/bench').filter(({ path }) => path.endsWith('/retrieval.ts')),
  ];
  expect(bench.length).toBeGreaterThan(3);
  for (const { path, text } of bench) {
    expect(text, path).not.toMatch(/(floor|threshold|cutoff)\w*\s*[:=]\s*[\d.]/i);
    expect(text, path).not.toMatch(/===? '(skilltrig|clinc150|devmembench|intents|devbench)'/);
  }
});
