import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

/*
 * What the agent keeps of a chat (AG-5). The agent decides what a value means; here it is JSON with the columns that one
 * asks for in a shell.
 */

/** Where in a chat file the agent is, and what it knows of the chat as a whole. */
export interface AgentChatRow {
  /** Line ends before the first message that is not processed. */
  readonly cursor: number;
  readonly cursorOffset: number;
  /** `dev:ino`. */
  readonly identity: string;
  /** Hash of the bytes before the cursor. */
  readonly guard: string;
  readonly value: string;
}

export function findAgentChat(db: SqliteDatabase, chatFile: string): AgentChatRow | null {
  return oneRow<AgentChatRow>(
    db,
    `SELECT cursor, cursor_offset AS cursorOffset, identity, guard, value FROM agent_chats WHERE chat_file = ?`,
    chatFile,
  );
}

export function saveAgentChat(db: SqliteDatabase, chatFile: string, row: AgentChatRow): void {
  run(
    db,
    `INSERT INTO agent_chats(chat_file, cursor, cursor_offset, identity, guard, value) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT(chat_file) DO UPDATE SET cursor = excluded.cursor, cursor_offset = excluded.cursor_offset,
       identity = excluded.identity, guard = excluded.guard, value = excluded.value`,
    chatFile,
    row.cursor,
    row.cursorOffset,
    row.identity,
    row.guard,
    row.value,
  );
}

/** A message that was processed. */
export interface ProcessedMessage {
  readonly id: string;
  readonly line: number;
  readonly sender: string;
  readonly recipients: string;
  readonly thread: string;
  readonly type: string;
  /** It passed a user's words on. */
  readonly isParrot: boolean;
  /** What came of it. `failed` is tried once more at the next start (AG-51). */
  readonly result: 'done' | 'failed' | 'given-up';
  readonly atMs: number;
}

export function saveProcessed(db: SqliteDatabase, chatFile: string, message: ProcessedMessage): void {
  run(
    db,
    `INSERT INTO agent_messages(chat_file, id, line, sender, recipients, thread, type, is_parrot, result, at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(chat_file, id, line) DO UPDATE SET result = excluded.result`,
    chatFile,
    message.id,
    message.line,
    message.sender,
    message.recipients,
    message.thread,
    message.type,
    message.isParrot ? 1 : 0,
    message.result,
    message.atMs,
  );
}

/** What came of a message before; null: it is new. @param line - null: at whatever line (AG-9) */
export function resultOf(
  db: SqliteDatabase,
  chatFile: string,
  id: string,
  line: number | null,
): ProcessedMessage['result'] | null {
  const sql = 'SELECT result FROM agent_messages WHERE chat_file = ? AND id = ? AND (? IS NULL OR line = ?) LIMIT 1';
  return oneRow<Pick<ProcessedMessage, 'result'>>(db, sql, chatFile, id, line, line)?.result ?? null;
}

/** The last messages that were processed, oldest first. */
export function listProcessed(db: SqliteDatabase, chatFile: string, most: number): ProcessedMessage[] {
  return allRows<Omit<ProcessedMessage, 'isParrot'> & { readonly parrot: number }>(
    db,
    `SELECT id, line, sender, recipients, thread, type, is_parrot AS parrot, result, at_ms AS atMs FROM agent_messages
     WHERE chat_file = ? ORDER BY rowid DESC LIMIT ?`,
    chatFile,
    most,
  )
    .map(({ parrot, ...message }) => ({ ...message, isParrot: parrot === 1 }))
    .reverse();
}

const TABLES = { intent: 'agent_intents', argument: 'agent_arguments', draft: 'agent_drafts' } as const;
export type AgentRecordKind = keyof typeof TABLES;

/** An intent, an argument or a draft. */
export interface AgentRecordRow {
  readonly key: string;
  readonly initiator: string;
  readonly thread: string;
  readonly state: string;
  /** JSON. */
  readonly value: string;
  readonly atMs: number;
}

export function saveAgentRecord(
  db: SqliteDatabase,
  chatFile: string,
  kind: AgentRecordKind,
  row: AgentRecordRow,
): void {
  run(
    db,
    `INSERT INTO ${TABLES[kind]}(chat_file, key, initiator, thread, state, value, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(chat_file, key) DO UPDATE SET state = excluded.state, value = excluded.value`,
    chatFile,
    row.key,
    row.initiator,
    row.thread,
    row.state,
    row.value,
    row.atMs,
  );
}

/** Those that are `state`, and all since `sinceMs`, oldest first. */
export function listAgentRecords(
  db: SqliteDatabase,
  chatFile: string,
  kind: AgentRecordKind,
  { sinceMs, states }: { readonly sinceMs: number; readonly states: readonly string[] },
): AgentRecordRow[] {
  return allRows<AgentRecordRow>(
    db,
    `SELECT key, initiator, thread, state, value, at_ms AS atMs FROM ${TABLES[kind]}
     WHERE chat_file = ? AND (at_ms >= ? OR state IN (SELECT value FROM json_each(?))) ORDER BY at_ms, rowid`,
    chatFile,
    sinceMs,
    JSON.stringify(states),
  );
}

/** How many there are by state. */
export function countAgentRecords(db: SqliteDatabase, chatFile: string, kind: AgentRecordKind): Map<string, number> {
  const rows = allRows<{ state: string; n: number }>(
    db,
    `SELECT state, count(*) AS n FROM ${TABLES[kind]} WHERE chat_file = ? GROUP BY state`,
    chatFile,
  );
  return new Map(rows.map(({ state, n }) => [state, n]));
}

export function saveWork(
  db: SqliteDatabase,
  chatFile: string,
  work: { key: string; value: string; atMs: number },
): void {
  run(
    db,
    `INSERT INTO agent_work(chat_file, key, value, at_ms) VALUES (?, ?, ?, ?) ON CONFLICT(chat_file, key) DO NOTHING`,
    chatFile,
    work.key,
    work.value,
    work.atMs,
  );
}

export function deleteWork(db: SqliteDatabase, chatFile: string, key: string): void {
  run(db, 'DELETE FROM agent_work WHERE chat_file = ? AND key = ?', chatFile, key);
}

/** What is still to be done, oldest first, as JSON. */
export function listWork(db: SqliteDatabase, chatFile: string): string[] {
  return allRows<{ value: string }>(db, 'SELECT value FROM agent_work WHERE chat_file = ? ORDER BY id', chatFile).map(
    ({ value }) => value,
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;
const KEPT_MESSAGES = 50_000;

/** Drops what nobody asks for any more (AG-5). The texts of intents go after a day. */
export function pruneAgent(db: SqliteDatabase, chatFile: string, nowMs: number): void {
  const old = nowMs - KEPT_MS;
  run(
    db,
    `DELETE FROM agent_messages WHERE chat_file = ? AND at_ms < ? AND rowid NOT IN
       (SELECT rowid FROM agent_messages WHERE chat_file = ? ORDER BY rowid DESC LIMIT ${KEPT_MESSAGES})`,
    chatFile,
    old,
    chatFile,
  );
  run(db, `DELETE FROM agent_outbox WHERE chat_file = ? AND at_ms < ? AND state <> 'planned'`, chatFile, old);
  run(
    db,
    `UPDATE agent_intents SET value = json_remove(value, '$.text', '$.situation', '$.behavior')
     WHERE chat_file = ? AND at_ms < ? AND state <> 'open'`,
    chatFile,
    nowMs - DAY_MS,
  );
  run(db, `DELETE FROM agent_intents WHERE chat_file = ? AND at_ms < ? AND state <> 'open'`, chatFile, old);
  run(
    db,
    `UPDATE agent_arguments SET value = json_remove(value, '$.inputs', '$.situation', '$.behavior')
     WHERE chat_file = ? AND at_ms < ? AND state = 'closed'`,
    chatFile,
    old,
  );
  run(
    db,
    `DELETE FROM agent_drafts WHERE chat_file = ? AND at_ms < ? AND state <> 'open'`,
    chatFile,
    nowMs - 2 * DAY_MS,
  );
}
