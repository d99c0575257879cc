import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryRecord } from '../../../src/memory/record.ts';
import type { MemoryName } from '../../../src/memory/slug.ts';
import type { Hit, QueryAnswer } from '../../../src/search/answer.ts';
import { compileQuery } from '../../../src/search/compile-query.ts';
import type { Embedder } from '../../../src/search/embed/embedder.ts';
import { embedMissing } from '../../../src/search/embed-missing.ts';
import type { Meaning } from '../../../src/search/meaning-arm.ts';
import { askedTexts, runQuery } from '../../../src/search/query.ts';
import { type QueryVector, queryVectors } from '../../../src/search/query-vectors.ts';
import type { Policy } from '../../../src/search/relevance.ts';
import { type Scored, score } from '../../../src/search/score.ts';
import { openSpace } from '../../../src/search/space.ts';
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

export type Arm = 'fused' | 'words' | 'meaning' | 'fine' | 'baseline';

/** A group of a set in a store of its own, below a temporary root (SE-63). */
export interface RankedStore extends Disposable {
  /** Embeds what will be asked, so that ranking is a matter of comparing. */
  prepare(texts: readonly string[]): Promise<void>;
  rank(arm: Arm, text: string): Ranking;
  answer(policy: Policy, text: string): QueryAnswer;
  /** The document that a hit is. */
  idOf(hit: Hit): string;
}

export interface RankedStoreOptions {
  /** Null: words alone. */
  readonly embedder: Embedder | null;
}

const NO_PROJECT = { name: null, aliases: [], paths: [], foundBy: 'none' };
const EVERYTHING = { type: null, scopes: null, without: [] };

export async function openRankedStore(
  documents: ReadonlyMap<string, MemoryRecord>,
  { embedder }: RankedStoreOptions,
): Promise<RankedStore> {
  const root = mkdtempSync(join(tmpdir(), 'engram-retrieval-'));
  const store = await openStore(root);
  const idsByPk = fill(store, documents);
  updateIndexes(store);
  fillBaseline(store);
  const space = embedder === null ? null : await openSpace(store, embedder);
  if (embedder !== null && space !== null) await embedMissing(store, space, embedder, 0, { batch: 256 });
  const vectors = new Map<string, QueryVector | null>();
  const prepared = { meaning: space === null ? null : { space, vectors }, degraded: [] };
  return {
    prepare: async (texts) => {
      if (embedder === null || space === null) return;
      const asked = texts.flatMap((text) => askedTexts({ text, policy: 'surface' }));
      const found = await queryVectors(store, space, embedder, asked, { most: asked.length, nowMs: 0 });
      for (const [text, vector] of found) vectors.set(text, vector);
    },
    rank: (arm, text) =>
      arm === 'baseline' ? rankByBm25(store, idsByPk, text) : rankByArm(store, idsByPk, arm, text, prepared.meaning),
    answer: (policy, text) => runQuery(store, { text, policy, project: NO_PROJECT }, prepared),
    idOf: ({ name }) => [...documents.keys()][Number(name.slice('feedback/d'.length))] ?? '',
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

/** Relevance, or the plain evidence of one arm, of every candidate; floors are the policies' business. */
function rankByArm(
  store: Store,
  idsByPk: ReadonlyMap<number, string>,
  arm: Exclude<Arm, 'baseline'>,
  text: string,
  meaning: Meaning | null,
): Ranking {
  admit(store.db, EVERYTHING);
  const query = compileQuery(text, backgroundWeight);
  const asked = { policy: null, query, sentences: [], archived: [], meaning, filterKey: 'everything' };
  const { ranking } = score(store.db, asked, wordStatistics(store.db));
  const scored: Scored[] = [];
  for (let one = ranking.at(0); one !== null; one = ranking.at(scored.length)) scored.push(one);
  return scored
    .map(({ memory, relevance, arms }) => ({
      id: typeof memory === 'number' ? (idsByPk.get(memory) ?? '') : '',
      score: arm === 'fused' ? relevance : (arms[arm] ?? 0),
    }))
    .filter((ranked) => ranked.score > 0)
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
