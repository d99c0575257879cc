import { readChatPresence } from '../chat/read-presence.ts';
import { releaseLease } from '../store/leases.ts';
import type { Store } from '../store/open.ts';
import { Agent } from './agent.ts';
import type { ChatIdentity } from './journal.ts';
import type { AgentOptions } from './options.ts';
import { refuseForeign, takeChat } from './start.ts';
import type { AgentTools } from './worker.ts';

/**
 * Answers every intent in a chat and learns from what it reads, until `signal` is aborted or somebody posts `shutdown`
 * (agent.md). One process a chat.
 *
 * @throws EngramError `agent.running`, `agent.lost`, `database.damaged`, `data-root.read-only`
 */
export async function runAgent(tools: AgentTools, options: AgentOptions): Promise<void> {
  const { store, clock } = tools.context();
  const { chatFile, name } = options;
  const epoch = takeChat(store, chatFile, name, clock());
  const chat: ChatIdentity = { chatFile, name, epoch, project: options.project.name };
  try {
    const { book } = readChatPresence(chatFile, clock());
    if (!options.takeOver) refuseForeign(store, chat, book, clock());
    await new Agent(tools, options, chat, book).run();
  } finally {
    tools.judge.close();
    releaseQuietly(tools.context().store, chat);
  }
}

/** A database that is busy or gone keeps nobody: the process ends, which frees the lease too. */
function releaseQuietly({ db }: Store, { chatFile, epoch }: ChatIdentity): void {
  try {
    releaseLease(db, chatFile, epoch);
  } catch {}
}
