import { isWritableName } from '../chat/draft.ts';
import { MEMORY_AGENT } from '../chat/message.ts';
import { EngramError } from '../errors.ts';
import type { AgentRequest } from '../long-running.ts';
import type { AgentRunOptions } from './commands/agent-run.ts';
import type { CommandContext } from './context.ts';

type Settings = Omit<AgentRequest, 'chatFile' | 'project' | 'signal' | 'onEvent'>;

/** How the agent is to run, by flags and configuration (AG-3). @throws EngramError `usage`, `config.invalid` */
export async function agentRequest(context: CommandContext, options: AgentRunOptions): Promise<Settings> {
  const { singleValued } = await context.config();
  const name = options.name ?? MEMORY_AGENT;
  if (!isWritableName(name)) {
    throw new EngramError('usage', '--name is no name of an agent', {
      hint: 'A name has letters, digits and . _ / -, at most 64, and is not `all`.',
    });
  }
  return {
    name,
    answerBudgetMs: budgetMs(options.answerBudget ?? '4000'),
    learns: options.learn,
    takeOver: options.takeOver === true,
    once: options.once === true,
    judge: { kind: 'builtin', appliesAt: 0.6, apart: 0.05 },
    singleValued: singleValued.value,
  };
}

function budgetMs(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 500 && value <= 60_000) return value;
  throw new EngramError('usage', `--answer-budget must be 500 to 60000 milliseconds: ${JSON.stringify(text)}`);
}
