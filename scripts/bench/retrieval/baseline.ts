import type { MemoryRecord } from '../../../src/memory/record.ts';
import type { SqliteDatabase } from '../../../src/store/native.ts';
import { allRows } from '../../../src/store/statement.ts';
import { fieldTexts } from '../../../src/text/index-text.ts';
import { isStopWord } from '../../../src/text/stop-words.ts';

const DEPTH = 100;

/** The baseline of SE-67: plain FTS5 over situation and body, our stop words left out. */
export function fillBaseline(db: SqliteDatabase): void {
  db.exec(`CREATE VIRTUAL TABLE temp.baseline USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')`);
  const insert = db.prepare('INSERT INTO temp.baseline(rowid, text) VALUES (?, ?)');
  for (const row of allRows<MemoryRecord & { pk: number }>(db, 'SELECT * FROM memories')) {
    const { situation, content } = fieldTexts(row);
    insert.run(row.pk, `${situation} ${content}`);
  }
}

/** Best first; a higher score is a better one. */
export function rankByBaseline(db: SqliteDatabase, text: string): { readonly pk: number; readonly score: number }[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const asked = new Set(words.filter((word) => !isStopWord(word)));
  if (asked.size === 0) return [];
  const match = [...asked].map((word) => `"${word}"`).join(' OR ');
  return allRows<{ pk: number; score: number }>(
    db,
    `SELECT rowid AS pk, -bm25(baseline) AS score FROM temp.baseline WHERE baseline MATCH ?
     ORDER BY bm25(baseline) LIMIT ${DEPTH}`,
    match,
  );
}
