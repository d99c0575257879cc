import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';

/** What a caller with an idempotency key was told (SE-53). */
export interface LearnAnswer {
  /** SHA-256 of the key. */
  readonly keyHash: string;
  readonly draftHash: string;
  /** JSON. */
  readonly answer: string;
  readonly atMs: number;
  /** Number of the contradiction that was opened with it; null for none. */
  readonly conflictId: number | null;
}

/** Nobody repeats a call later than this. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export function findLearnAnswer(db: SqliteDatabase, keyHash: string): LearnAnswer | null {
  return oneRow<LearnAnswer>(
    db,
    `SELECT key_hash AS keyHash, draft_hash AS draftHash, answer, at_ms AS atMs, conflict_id AS conflictId
     FROM learn_answers WHERE key_hash = ?`,
    keyHash,
  );
}

/** The first answer to a key stays; those of a month ago go. */
export function keepLearnAnswer(db: SqliteDatabase, answer: LearnAnswer): void {
  run(db, 'DELETE FROM learn_answers WHERE at_ms < ?', answer.atMs - KEPT_MS);
  run(
    db,
    `INSERT INTO learn_answers(key_hash, draft_hash, answer, at_ms, conflict_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT(key_hash) DO NOTHING`,
    answer.keyHash,
    answer.draftHash,
    answer.answer,
    answer.atMs,
    answer.conflictId,
  );
}
