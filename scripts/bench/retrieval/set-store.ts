import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryRecord } from '../../../src/memory/record.ts';
import type { MemoryName } from '../../../src/memory/slug.ts';
import type { Hit, QueryAnswer } from '../../../src/search/answer.ts';
import { askedTexts, sentencesOf } from '../../../src/search/asked-texts.ts';
import { compileQuery } from '../../../src/search/compile-query.ts';
import type { Embedder } from '../../../src/search/embed/embedder.ts';
import { embedMissing } from '../../../src/search/embed-missing.ts';
import { holdsRareIdentifier } from '../../../src/search/judge.ts';
import type { Meaning } from '../../../src/search/meaning-arm.ts';
import { scopeRule } from '../../../src/search/project-scope.ts';
import { runQuery } from '../../../src/search/query.ts';
import { type QueryVector, queryVectors } from '../../../src/search/query-vectors.ts';
import { type ArmEvidence, isThin, type KnotTable, NO_FLOOR, type Policy } from '../../../src/search/relevance.ts';
import { type Asked, type Scored, score } from '../../../src/search/score.ts';
import { openSpace } from '../../../src/search/space.ts';
import { backgroundWeight } from '../../../src/search/term-weights.ts';
import { admit } from '../../../src/store/admitted.ts';
import { updateIndexes } from '../../../src/store/indexes.ts';
import { writeRow } from '../../../src/store/memories.ts';
import { openStore, type Store } from '../../../src/store/open.ts';
import { allRows } from '../../../src/store/statement.ts';
import { wordStatistics } from '../../../src/store/word-statistics.ts';
import { fillBaseline, rankByBaseline } from './baseline.ts';

/** A document that some arm has found, before floors. */
export interface Candidate {
  readonly id: string;
  readonly arms: ArmEvidence;
  readonly table: KnotTable;
  /** R of the whole text. */
  readonly relevance: number;
  /** R that the floor of `surface` looks at (SE-74). */
  readonly passing: number;
  /** The floor of `surface` is lower for it (SE-41). */
  readonly hasRareIdentifier: boolean;
}

/** What the search made of one text, under no policy yet. Misspelled words are not replaced here (SE-19). */
export interface Found {
  readonly candidates: readonly Candidate[];
  /** `surface` has nothing to say to such a text. */
  readonly isThin: boolean;
}

/** A group of a set in a store of its own, below a temporary root (SE-63). */
export interface SetStore extends Disposable {
  /** Embeds what will be asked, so that asking is a matter of comparing. */
  prepare(texts: readonly string[]): Promise<void>;
  find(text: string): Found;
  /** The baseline of SE-67, best first. */
  baseline(text: string): { readonly id: string; readonly score: number }[];
  answer(policy: Policy, text: string): QueryAnswer;
  /** The document that a hit is. */
  idOf(hit: Hit): string;
}

const NO_PROJECT = { name: null, aliases: [], paths: [], foundBy: 'none' };

/** @param embedder - null: words alone */
export async function openSetStore(
  documents: ReadonlyMap<string, MemoryRecord>,
  embedder: Embedder | null,
): Promise<SetStore> {
  const root = mkdtempSync(join(tmpdir(), 'engram-retrieval-'));
  const store = await openStore(root);
  const ids = [...documents.keys()];
  const idOfName = (name: string) => ids[Number(name.slice('feedback/d'.length))] ?? '';
  const idsByPk = fill(store, documents, idOfName);
  updateIndexes(store);
  fillBaseline(store.db);
  const space = embedder === null ? null : await openSpace(store, embedder);
  if (embedder !== null && space !== null) await embedMissing(store, space, embedder, 0, { batch: 512 });
  const vectors = new Map<string, QueryVector | null>();
  const meaning = space === null ? null : { space, vectors };
  return {
    prepare: async (texts) => {
      if (embedder === null || space === null) return;
      const asked = texts.flatMap((text) => askedTexts({ text, policy: 'surface' }));
      const found = await queryVectors(store, space, embedder, asked, { most: asked.length, nowMs: 0 });
      for (const [text, vector] of found) vectors.set(text, vector);
    },
    find: (text) => find(store, idsByPk, text, meaning),
    baseline: (text) => rankByBaseline(store.db, text).map(({ pk, score }) => ({ id: idsByPk.get(pk) ?? '', score })),
    answer: (policy, text) => runQuery(store, { text, policy, project: NO_PROJECT }, { meaning, degraded: [] }),
    idOf: ({ name }) => idOfName(name),
    [Symbol.dispose]: () => {
      store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function fill(
  store: Store,
  documents: ReadonlyMap<string, MemoryRecord>,
  idOfName: (name: string) => string,
): Map<number, string> {
  const write = store.db.transaction(() => {
    for (const [i, record] of [...documents.values()].entries()) {
      writeRow(store.db, `feedback/d${i}` as MemoryName, record, { textUpdatedAt: null, lastSurfacedAt: null });
    }
  });
  write();
  const rows = allRows<{ pk: number; name: string }>(store.db, 'SELECT pk, name FROM memories');
  return new Map(rows.map(({ pk, name }) => [pk, idOfName(name)]));
}

function find(store: Store, idsByPk: ReadonlyMap<number, string>, text: string, meaning: Meaning | null): Found {
  const { db } = store;
  const { filter } = scopeRule(db, { project: NO_PROJECT, allProjects: false, type: null, without: [] });
  admit(db, filter);
  const query = compileQuery(text, backgroundWeight);
  const statistics = wordStatistics(db);
  // The filter of an answer, so that the matrix of vectors is kept from one to the other.
  const asked: Asked = {
    policy: 'surface',
    floor: NO_FLOOR,
    query,
    sentences: sentencesOf(text),
    archived: [],
    meaning,
    filterKey: JSON.stringify(filter),
  };
  const { ranking } = score(db, asked, statistics);
  const context = { db, policy: 'surface', project: NO_PROJECT, statistics } as const;
  const candidates: Candidate[] = [];
  const take = (scored: Scored, pk: number) =>
    candidates.push({
      id: idsByPk.get(pk) ?? '',
      arms: scored.arms,
      table: scored.fusion.table,
      relevance: scored.relevance,
      passing: scored.passing,
      hasRareIdentifier: holdsRareIdentifier(context, query, scored),
    });
  for (let place = 0, one = ranking.at(0); one !== null; one = ranking.at(++place)) {
    if (typeof one.memory === 'number') take(one, one.memory);
  }
  const identifiers = query.terms.filter((term) => term.kind === 'identifier').length;
  return { candidates, isThin: isThin(query.terms.length, identifiers) };
}
