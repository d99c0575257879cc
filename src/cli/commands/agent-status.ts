import { addChatOptions, type ChatOptions, findAgentChat } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';
import { renderAgentStatus } from '../render-agent.ts';

/** It runs, it does not, or it runs and has been silent for too long (AG-53). */
const EXIT = { running: 0, stopped: 3, stalled: 1 } as const;

export const agentStatusCommand: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('status'))
    .description('Show whether an agent answers in the chat, and what it did')
    .addHelpText(
      'after',
      `
Exit 0: it runs. Exit 3: it does not. Exit 1: its process is there, but has written nothing for over 6 minutes.

Example:
  $ engram agent status --json`,
    )
    .action(async (options: ChatOptions) => {
      const [{ path }, { agentStatus }, { systemClock }] = await Promise.all([
        findAgentChat(context, options),
        import('../../agent/status.ts'),
        import('../../clock.ts'),
      ]);
      using engram = await context.engramToRead();
      const { stalled, ...status } = agentStatus(engram.context.store.db, path, systemClock());
      await context.print(status, () => renderAgentStatus(status));
      context.exitWith(stalled ? EXIT.stalled : status.running ? EXIT.running : EXIT.stopped);
    });
