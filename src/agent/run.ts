import { readChatPresence } from '../chat/read-presence.ts';
import { EngramError } from '../errors.ts';
import { releaseLease, renewLease } from '../store/leases.ts';
import type { Store } from '../store/open.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import { Agent } from './agent.ts';
import { type ChatIdentity, requireLease } from './journal.ts';
import { paused } from './leave.ts';
import { type AgentOptions, failure } from './options.ts';
import { refuseForeign, takeChat } from './start.ts';
import type { AgentTools } from './worker.ts';

/**
 * Answers every intent in a chat and learns from what it reads, until `signal` is aborted or somebody posts `shutdown`
 * (agent.md). One process a chat.
 *
 * @throws EngramError `agent.running`, `agent.lost`, `database.damaged`, `data-root.read-only`
 */
export async function runAgent(tools: AgentTools, options: AgentOptions): Promise<void> {
  const { chatFile, name, takeOver } = options;
  const moment = () => tools.context().clock();
  const store = () => tools.context().store;
  const epoch = await whenFree(options, () => takeChat(store(), chatFile, name, moment()));
  if (epoch === null) return;
  const chat: ChatIdentity = { chatFile, name, epoch, project: options.project.name };
  try {
    const agent = await whenFree(options, () => {
      if (!renewLease(store().db, chatFile, epoch, moment())) requireLease(store().db, chat);
      const { book } = readChatPresence(chatFile, moment());
      if (!takeOver) refuseForeign(store(), chat, book, moment());
      return new Agent(tools, options, chat, book);
    });
    await agent?.run();
  } finally {
    tools.judge.close();
    releaseQuietly(store(), chat);
  }
}

const AGAIN_MS = 250;
const ONCE_MS = 10_000;

/**
 * What a database that is busy, or a chat that cannot be read, keeps from beginning begins once it can be (AG-51). Whoever
 * runs once waits for 10 s.
 *
 * @returns null where the agent was asked to leave before
 */
async function whenFree<Value>({ once, signal, onEvent }: AgentOptions, begin: () => Value): Promise<Value | null> {
  const endMs = performance.now() + (once ? ONCE_MS : Number.POSITIVE_INFINITY);
  let said = '';
  while (!signal.aborted) {
    try {
      return begin();
    } catch (raw) {
      const error = translateSqliteError(raw);
      if (!(error instanceof EngramError) || !error.retryable || performance.now() > endMs) throw error;
      if (said !== error.message) onEvent(failure('start', error));
      said = error.message;
      await paused(AGAIN_MS);
    }
  }
  return null;
}

/** A database that is busy or gone keeps nobody: the process ends, which frees the lease too. */
function releaseQuietly({ db }: Store, { chatFile, epoch }: ChatIdentity): void {
  try {
    releaseLease(db, chatFile, epoch);
  } catch {}
}
