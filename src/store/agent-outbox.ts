import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/** A message of the agent, from its plan on (AG-10). */
export interface OutboxRow {
  readonly id: number;
  /** What it answers; messages of one cause go out together. */
  readonly cause: string;
  readonly state: 'planned' | 'posted' | 'cancelled';
  readonly recipients: string;
  readonly thread: string;
  readonly type: string;
  readonly re: string | null;
  readonly text: string;
  readonly plannedCursor: number;
  readonly about: string | null;
  readonly messageId: string | null;
  readonly atMs: number;
}

export type PlannedMessage = Omit<OutboxRow, 'id' | 'state' | 'messageId'> & { readonly position: number };

/** Plans a message; one that was planned for the same cause before stays as it is. */
export function planMessage(db: SqliteDatabase, chatFile: string, message: PlannedMessage): void {
  run(
    db,
    `INSERT INTO agent_outbox(chat_file, cause, position, state, recipients, thread, type, re, text, planned_cursor, about, at_ms)
     VALUES (?, ?, ?, 'planned', ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(chat_file, cause, position) DO NOTHING`,
    chatFile,
    message.cause,
    message.position,
    message.recipients,
    message.thread,
    message.type,
    message.re,
    message.text,
    message.plannedCursor,
    message.about,
    message.atMs,
  );
}

const SELECT = `SELECT id, cause, state, recipients, thread, type, re, text, planned_cursor AS plannedCursor, about,
  message_id AS messageId, at_ms AS atMs FROM agent_outbox`;

/** What is to be posted, in the order of its plan. */
export function listPlanned(db: SqliteDatabase, chatFile: string): OutboxRow[] {
  return allRows<OutboxRow>(db, `${SELECT} WHERE chat_file = ? AND state = 'planned' ORDER BY id`, chatFile);
}

/** What was planned or posted since, oldest first. */
export function listOutbox(db: SqliteDatabase, chatFile: string, sinceMs: number): OutboxRow[] {
  const sql = `${SELECT} WHERE chat_file = ? AND at_ms >= ? AND state <> 'cancelled' ORDER BY id`;
  return allRows<OutboxRow>(db, sql, chatFile, sinceMs);
}

export function markPosted(db: SqliteDatabase, id: number, messageId: string): void {
  run(db, `UPDATE agent_outbox SET state = 'posted', message_id = ? WHERE id = ?`, messageId, id);
}

/** Nothing is posted for that cause any more. */
export function cancelPlanned(db: SqliteDatabase, chatFile: string, cause: string): void {
  const sql = `UPDATE agent_outbox SET state = 'cancelled' WHERE chat_file = ? AND cause = ? AND state = 'planned'`;
  run(db, sql, chatFile, cause);
}

/** Whether this database posted that message. */
export function hasPosted(db: SqliteDatabase, chatFile: string, messageId: string): boolean {
  return oneRow(db, 'SELECT 1 FROM agent_outbox WHERE chat_file = ? AND message_id = ?', chatFile, messageId) !== null;
}
