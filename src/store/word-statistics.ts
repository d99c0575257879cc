import { FIELDS, type Field } from '../text/index-text.ts';
import { changeStamp } from './change-stamp.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow } from './statement.ts';

/** What the store knows about its words; kept until the database changes. */
export interface WordStatistics {
  readonly liveCount: number;
  /** Mean number of tokens of each field in `fts_terms` over the indexed memories (SE-15). */
  readonly meanTokens: Readonly<Record<Field, number>>;
  /** Memories that hold a stem in any field, as `fts_prose` counts. */
  stemCount(stem: string): number;
  /** Memories that hold a token of `fts_terms`: a word, or a marked token. */
  tokenCount(token: string): number;
}

/** The statistics of the present state of `db`. */
export function wordStatistics(db: SqliteDatabase): WordStatistics {
  const stamp = changeStamp(db);
  const kept = statisticsAt.get(db);
  if (kept?.stamp === stamp) return kept.statistics;
  makeVocabularies(db);
  const statistics = {
    liveCount: countLive(db),
    meanTokens: meanTokens(db),
    stemCount: counter(db, 'temp.prose_words'),
    tokenCount: counter(db, 'temp.terms_words'),
  };
  statisticsAt.set(db, { stamp, statistics });
  return statistics;
}

/** What is known without looking at full text. */
export function statisticsWithoutFullText(db: SqliteDatabase): WordStatistics {
  return {
    liveCount: countLive(db),
    meanTokens: { situation: 0, entity: 0, content: 0 },
    stemCount: () => 0,
    tokenCount: () => 0,
  };
}

/** A word of the index and the number of memories that hold it. */
export interface VocabularyWord {
  readonly word: string;
  readonly count: number;
}

/** Words of the index with this first character and a length in characters between the two (SE-19). */
export function listVocabulary(db: SqliteDatabase, first: string, shortest: number, longest: number): VocabularyWord[] {
  makeVocabularies(db);
  return allRows<VocabularyWord>(
    db,
    `SELECT term AS word, doc AS count FROM temp.terms_words
     WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?`,
    first,
    nextCharacter(first),
    shortest,
    longest,
  );
}

function countLive(db: SqliteDatabase): number {
  return oneRow<{ n: number }>(db, 'SELECT count(*) AS n FROM memories')?.n ?? 0;
}

const statisticsAt = new WeakMap<SqliteDatabase, { readonly stamp: string; readonly statistics: WordStatistics }>();
const withVocabularies = new WeakSet<SqliteDatabase>();

/** The vocabularies are read-only views of the indexes, of this connection alone. */
function makeVocabularies(db: SqliteDatabase): void {
  if (withVocabularies.has(db)) return;
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.prose_words USING fts5vocab('main', 'fts_prose', 'row');
           CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms_words USING fts5vocab('main', 'fts_terms', 'row')`);
  withVocabularies.add(db);
}

function counter(db: SqliteDatabase, vocabulary: string): (term: string) => number {
  const counts = new Map<string, number>();
  return (term) => {
    const known = counts.get(term);
    if (known !== undefined) return known;
    const count = oneRow<{ doc: number }>(db, `SELECT doc FROM ${vocabulary} WHERE term = ?`, term)?.doc ?? 0;
    counts.set(term, count);
    return count;
  };
}

/** FTS5 keeps the totals that `bm25` needs in row 1 of its data: varints of the row count and each column's tokens. */
function meanTokens(db: SqliteDatabase): Record<Field, number> {
  const block = oneRow<{ block: Uint8Array }>(db, 'SELECT block FROM fts_terms_data WHERE id = 1')?.block;
  const [rowCount = 0, ...totals] = block === undefined ? [] : varints(block);
  const means = FIELDS.map((field, i) => [field, rowCount === 0 ? 0 : (totals[i] ?? 0) / rowCount]);
  return Object.fromEntries(means) as Record<Field, number>;
}

/** SQLite's variable-length integers; no count here comes near the ninth byte, which has a form of its own. */
function varints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      values.push(value);
      value = 0;
    }
  }
  return values;
}

function nextCharacter(character: string): string {
  return String.fromCodePoint((character.codePointAt(0) ?? 0) + 1);
}
