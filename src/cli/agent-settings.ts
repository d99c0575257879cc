import { isWritableName } from '../chat/draft.ts';
import type { Config } from '../config.ts';
import { EngramError } from '../errors.ts';
import type { AgentRequest } from '../long-running.ts';
import type { AgentRunOptions } from './commands/agent-run.ts';
import type { CommandContext } from './context.ts';
import { judgeSettings } from './judge-settings.ts';

type Settings = Omit<AgentRequest, 'chatFile' | 'project' | 'signal' | 'onEvent'>;

/** How the agent is to run, by flags and configuration (AG-3). @throws EngramError `usage`, `config.invalid` */
export async function agentRequest(context: CommandContext, options: AgentRunOptions): Promise<Settings> {
  const config = await context.config();
  const name = options.name ?? config.agentName.value;
  if (!isWritableName(name)) {
    throw new EngramError('usage', '--name is no name of an agent', {
      hint: 'A name has letters, digits and . _ / -, at most 64, and is not `all`.',
    });
  }
  return {
    name,
    answerBudgetMs: budgetMs(options.answerBudget) ?? config.agentAnswerBudgetMs.value,
    learns: options.learn && config.agentLearn.value,
    takeOver: options.takeOver === true || config.agentTakeOver.value,
    once: options.once === true || config.agentOnce.value,
    judge: judgeSettings(withKind(config, options.judge), context.environment),
    singleValued: config.singleValued.value,
  };
}

function budgetMs(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 500 && value <= 60_000) return value;
  throw new EngramError('usage', `--answer-budget must be 500 to 60000 milliseconds: ${JSON.stringify(text)}`);
}

const KINDS = ['builtin', 'command', 'openai'] as const;

function withKind(config: Config, given: string | undefined): Config {
  if (given === undefined) return config;
  const kind = KINDS.find((each) => each === given);
  if (kind === undefined)
    throw new EngramError('usage', `--judge must be builtin, command or openai: ${JSON.stringify(given)}`);
  return { ...config, judgeKind: { value: kind, from: 'flag', source: '--judge' } };
}
