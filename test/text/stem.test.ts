import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { BACKGROUND_TABLE } from '../../src/text/background-table.ts';
import { stem } from '../../src/text/stem.ts';

/** What FTS5 makes of each word, in order: the vocabulary of one row says which term stands at which offset. */
function stemsOfFts5(words: readonly string[]): string[] {
  const db = new Database(':memory:');
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'porter unicode61 remove_diacritics 0');
           CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)`);
  db.prepare('INSERT INTO t(rowid, x) VALUES (1, ?)').run(words.join(' '));
  const rows = db.prepare('SELECT term, "offset" AS at FROM v ORDER BY "offset"').all() as { term: string }[];
  db.close();
  return rows.map((row) => row.term);
}

const ROOTS = BACKGROUND_TABLE.split('\n').map((line) => line.slice(0, line.indexOf(':')));
const SUFFIXES = `s es ed ing y ly ies ied er ers est ness ful fully less able ability ation ational ization izer ize
  izing ative ive iveness ousness ism alism ality ical icity ment ments ement ance ence ant ent ion ions sion eed ying
  ally ously entli alize icate ate ated ator logi logy iviti ou ll lls ee bled ating izing bl fulness`.split(/\s+/);

test('SE-13: our stems are those of FTS5 on tens of thousands of words', () => {
  const roots = ROOTS.filter((root) => root.length > 1);
  const words = roots.flatMap((root, i) => [
    root,
    root + SUFFIXES[i % SUFFIXES.length],
    root.slice(0, -1) + SUFFIXES[(i * 7 + 3) % SUFFIXES.length],
  ]);
  expect(words.length).toBeGreaterThan(10_000);
  const expected = stemsOfFts5(words);
  const differing = words
    .map((word, i) => [word, stem(word), expected[i]])
    .filter(([, ours, theirs]) => ours !== theirs);
  expect(differing).toEqual([]);
});

test('SE-13: also on running text, and on words outside ASCII', () => {
  const prose = readFileSync(new URL('../../src/text/stem.ts', import.meta.url), 'utf8').toLowerCase();
  const words = [...(prose.match(/[a-z]+/g) ?? []), 'cafés', 'naïvely', 'übungen', 'ärgerness', 'żółtości', 'данные'];
  words.push(`${'a'.repeat(63)}s`, `${'a'.repeat(64)}s`, 'és', 'y', 'ay', 'yay', 'sky', 'dying');
  expect(words.map(stem)).toEqual(stemsOfFts5(words));
});
