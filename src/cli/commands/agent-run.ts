import { MEMORY_AGENT } from '../../chat/message.ts';
import { agentRequest } from '../agent-settings.ts';
import { addChatOptions, type ChatOptions, findAgentChat } from '../chat-place.ts';
import type { CommandDefinition } from '../context.ts';

/** As commander gives them. */
export interface AgentRunOptions extends ChatOptions {
  readonly name?: string;
  readonly judge?: string;
  readonly answerBudget?: string;
  readonly learn: boolean;
  readonly takeOver?: boolean;
  readonly once?: boolean;
}

export const agentRun: CommandDefinition = (parent, context) =>
  addChatOptions(parent.command('run'))
    .description('Answer every announced intent in the chat with the memories that apply, and learn from corrections')
    .option('--name <name>', `how it is called in the chat (default: ${MEMORY_AGENT})`)
    .option('--judge <kind>', 'who says whether a memory applies: builtin, command or openai (default: builtin)')
    .option('--answer-budget <ms>', 'an intent is answered within it, 500 to 60000 (default: 4000)')
    .option('--no-learn', 'learn nothing, only answer')
    .option('--take-over', 'begin although somebody seems to answer under that name')
    .option('--once', 'process what the chat holds, post what is due, and end')
    .addHelpText(
      'after',
      `
Runs in the foreground until Ctrl-C, SIGTERM or a shutdown in the chat, then takes its leave and exits 0. It also keeps the
database and the memory files equal, as engram watch does. One process answers in a chat; a second one exits 1.

Examples:
  $ engram agent run
  $ engram agent run --once
  $ engram agent status`,
    )
    .action(async (options: AgentRunOptions) => {
      const [{ endRequest }, { showAgent }] = await Promise.all([
        import('../interrupt.ts'),
        import('../agent-view.ts'),
      ]);
      const settings = await agentRequest(context, options);
      const { path } = await findAgentChat(context, options);
      const signal = endRequest();
      using engram = await context.longRunningEngram('agent');
      const { name, foundBy, aliases, paths } = await context.project(engram.context.store);
      await engram.runAgent({
        ...settings,
        chatFile: path,
        project: { name, foundBy, aliases, paths },
        signal,
        onEvent: showAgent(context),
      });
    });
