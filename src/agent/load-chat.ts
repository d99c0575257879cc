import { listOutbox } from '../store/agent-outbox.ts';
import { findAgentChat, listAgentRecords, listProcessed, listWork } from '../store/agent-records.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { ChatPosition } from './journal.ts';
import {
  type AgentIntent,
  type AgentState,
  type Argument,
  type ChatMemo,
  type CorrectionDraft,
  type Heard,
  newState,
} from './state.ts';
import { senderKey } from './turn.ts';
import type { Work } from './work.ts';

/** What is stored of a chat. */
export interface Stored {
  readonly state: AgentState;
  /** Null: the first start. */
  readonly position: ChatPosition | null;
  readonly works: readonly Work[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_HEARD = 500;
const MOST_OF_ONE = 40;

/** Reads what an earlier process left (AG-5). */
export function loadChat(db: SqliteDatabase, chatFile: string, name: string, nowMs: number): Stored {
  const row = findAgentChat(db, chatFile);
  const fresh = newState(name);
  if (row === null) return { state: fresh, position: null, works: [] };
  const { value, ...position } = row;
  const sinceMs = nowMs - DAY_MS;
  const intents = readAll<AgentIntent>(db, chatFile, 'intent', sinceMs, ['open']);
  const found = readAll<Argument>(db, chatFile, 'argument', sinceMs, ['open', 'countered', 'escalated']);
  const closedLately = ({ state, closedAtMs }: Argument) => state !== 'closed' || (closedAtMs ?? 0) > sinceMs;
  const drafts = readAll<CorrectionDraft>(db, chatFile, 'draft', sinceMs, ['open']);
  const outbox = listOutbox(db, chatFile, sinceMs);
  const state: AgentState = {
    ...fresh,
    memo: { ...fresh.memo, ...parsed<ChatMemo>(value) },
    intents: new Map(intents.map((intent) => [intent.key, intent])),
    arguments: new Map(found.filter(closedLately).map((argument) => [argument.number, argument])),
    drafts: new Map(drafts.filter((draft) => draft.state === 'open').map((draft) => [draft.number, draft])),
    posted: outbox.map(({ thread, text, atMs }) => ({ thread, text, atMs })),
  };
  const works = listWork(db, chatFile).flatMap((work) => parsed<Work>(work) ?? []);
  return { state: { ...state, senders: heardBefore(db, chatFile) }, position, works };
}

function readAll<Value>(
  db: SqliteDatabase,
  chatFile: string,
  kind: 'intent' | 'argument' | 'draft',
  sinceMs: number,
  states: readonly string[],
): Value[] {
  return listAgentRecords(db, chatFile, kind, { sinceMs, states }).flatMap(({ value }) => parsed<Value>(value) ?? []);
}

/** Null for what a shell has spoiled: a draft or an intent less, never a start that fails. */
function parsed<Value>(json: string): Value | null {
  try {
    return JSON.parse(json) as Value;
  } catch {
    return null;
  }
}

/** The last messages by sender, as the next ones find them. */
function heardBefore(db: SqliteDatabase, chatFile: string): AgentState['senders'] {
  const senders = new Map<string, Heard[]>();
  for (const { sender: from, recipients: to, thread, type, line, isParrot, atMs } of listProcessed(
    db,
    chatFile,
    MOST_HEARD,
  )) {
    const key = senderKey(from);
    senders.set(
      key,
      [...(senders.get(key) ?? []), { from, to, thread, type, line, isParrot, atMs }].slice(-MOST_OF_ONE),
    );
  }
  return senders;
}
