import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryRecord } from '../../../src/memory/record.ts';
import type { MemoryName } from '../../../src/memory/slug.ts';
import type { QueryAnswer } from '../../../src/search/answer.ts';
import { compileQuery } from '../../../src/search/compile-query.ts';
import { runQuery } from '../../../src/search/query.ts';
import type { Policy } from '../../../src/search/relevance.ts';
import { type Scored, score } from '../../../src/search/score.ts';
import { backgroundWeight } from '../../../src/search/term-weights.ts';
import { admit } from '../../../src/store/admitted.ts';
import { updateIndexes } from '../../../src/store/indexes.ts';
import { writeRow } from '../../../src/store/memories.ts';
import { openStore, type Store } from '../../../src/store/open.ts';
import { allRows } from '../../../src/store/statement.ts';
import { wordStatistics } from '../../../src/store/word-statistics.ts';
import { fieldTexts } from '../../../src/text/index-text.ts';
import { isStopWord } from '../../../src/text/stop-words.ts';

/** Documents in falling order of a score; one per document, only scores above 0. */
export type Ranking = readonly { readonly id: string; readonly score: number }[];

export type Arm = 'fused' | 'words' | 'baseline';

/** A group of a set in a store of its own, below a temporary root (SE-63). */
export interface RankedStore extends Disposable {
  rank(arm: Arm, text: string): Ranking;
  answer(policy: Policy, text: string): QueryAnswer;
}

const NO_PROJECT = { name: null, aliases: [], paths: [], foundBy: 'none' };
const EVERYTHING = { type: null, scopes: null, without: [] };

export async function openRankedStore(documents: ReadonlyMap<string, MemoryRecord>): Promise<RankedStore> {
  const root = mkdtempSync(join(tmpdir(), 'engram-retrieval-'));
  const store = await openStore(root);
  const idsByPk = fill(store, documents);
  updateIndexes(store);
  fillBaseline(store);
  return {
    rank: (arm, text) =>
      arm === 'baseline' ? rankByBm25(store, idsByPk, text) : rankByWords(store, idsByPk, arm, text),
    answer: (policy, text) => runQuery(store, { text, policy, project: NO_PROJECT }),
    [Symbol.dispose]: () => {
      store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function fill(store: Store, documents: ReadonlyMap<string, MemoryRecord>): Map<number, string> {
  const ids = [...documents.keys()];
  const write = store.db.transaction(() => {
    for (const [i, record] of [...documents.values()].entries()) {
      writeRow(store.db, `feedback/d${i}` as MemoryName, record, { textUpdatedAt: null, lastSurfacedAt: null });
    }
  });
  write();
  const rows = allRows<{ pk: number; name: string }>(store.db, 'SELECT pk, name FROM memories');
  return new Map(rows.map(({ pk, name }) => [pk, ids[Number(name.slice('feedback/d'.length))] ?? '']));
}

/** Relevance, or the plain evidence of the words arm, of every candidate; floors are the policies' business. */
function rankByWords(
  store: Store,
  idsByPk: ReadonlyMap<number, string>,
  arm: 'fused' | 'words',
  text: string,
): Ranking {
  admit(store.db, EVERYTHING);
  const query = compileQuery(text, backgroundWeight);
  const asked = { policy: null, query, sentences: [], archived: [] };
  const { ranking } = score(store.db, asked, wordStatistics(store.db));
  const scored: Scored[] = [];
  for (let one = ranking.at(0); one !== null; one = ranking.at(scored.length)) scored.push(one);
  return scored
    .map(({ memory, relevance, words }) => ({
      id: typeof memory === 'number' ? (idsByPk.get(memory) ?? '') : '',
      score: arm === 'fused' ? relevance : words.evidence,
    }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** The baseline of SE-67: plain FTS5 over situation and body, our stop words left out. */
function fillBaseline(store: Store): void {
  store.db.exec(
    `CREATE VIRTUAL TABLE temp.baseline USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')`,
  );
  const insert = store.db.prepare('INSERT INTO temp.baseline(rowid, text) VALUES (?, ?)');
  for (const row of allRows<MemoryRecord & { pk: number }>(store.db, 'SELECT * FROM memories')) {
    const { situation, content } = fieldTexts(row);
    insert.run(row.pk, `${situation} ${content}`);
  }
}

function rankByBm25(store: Store, idsByPk: ReadonlyMap<number, string>, text: string): Ranking {
  const words = baselineWords(text);
  if (words.length === 0) return [];
  const match = [...new Set(words)].map((word) => `"${word}"`).join(' OR ');
  return allRows<{ pk: number; score: number }>(
    store.db,
    'SELECT rowid AS pk, -bm25(baseline) AS score FROM temp.baseline WHERE baseline MATCH ? ORDER BY bm25(baseline) LIMIT 100',
    match,
  ).map(({ pk, score: value }) => ({ id: idsByPk.get(pk) ?? '', score: value }));
}

function baselineWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => !isStopWord(word));
}
