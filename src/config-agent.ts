import type { Setting } from './config.ts';
import type { ConfigName } from './config-keys.ts';

/** The settings of the reactive agent. */
export interface AgentConfig {
  readonly agentName: Setting<string>;
  /** Null: that of the project. */
  readonly agentChatFile: Setting<string | null>;
  readonly agentAnswerBudgetMs: Setting<number>;
  readonly agentLearn: Setting<boolean>;
  readonly agentTakeOver: Setting<boolean>;
  readonly agentOnce: Setting<boolean>;
  /** Who judges whether a memory applies (AG-22 to AG-24); model and command are for two of the three. */
  readonly judgeKind: Setting<'builtin' | 'command' | 'openai'>;
  /** A program and its arguments; null where none is set. */
  readonly judgeCommand: Setting<readonly string[] | null>;
  /** Names of environment variables that the command gets besides PATH, HOME and LANG. */
  readonly judgeEnv: Setting<readonly string[]>;
  readonly judgeBaseUrl: Setting<string | null>;
  readonly judgeModel: Setting<string | null>;
  readonly judgeApiKeyEnv: Setting<string | null>;
  readonly judgeAllowRemote: Setting<boolean>;
  /** The two numbers of the built-in judge (AG-22). */
  readonly appliesAt: Setting<number>;
  readonly apart: Setting<number>;
}

/** What applies where nothing is set; the bench `interrupt` justifies them (AG-22). */
export const APPLIES_AT = 0.2;
export const APART = 0;

export function agentConfig(setting: <T>(name: ConfigName, fallback: T) => Setting<T>): AgentConfig {
  return {
    agentName: setting('agentName', 'engram-agent'),
    agentChatFile: setting<string | null>('agentChatFile', null),
    agentAnswerBudgetMs: setting('agentAnswerBudgetMs', 4000),
    agentLearn: setting('agentLearn', true),
    agentTakeOver: setting('agentTakeOver', false),
    agentOnce: setting('agentOnce', false),
    judgeKind: setting<'builtin' | 'command' | 'openai'>('judgeKind', 'builtin'),
    judgeCommand: setting<readonly string[] | null>('judgeCommand', null),
    judgeEnv: setting<readonly string[]>('judgeEnv', []),
    judgeBaseUrl: setting<string | null>('judgeBaseUrl', null),
    judgeModel: setting<string | null>('judgeModel', null),
    judgeApiKeyEnv: setting<string | null>('judgeApiKeyEnv', null),
    judgeAllowRemote: setting('judgeAllowRemote', false),
    appliesAt: setting('appliesAt', APPLIES_AT),
    apart: setting('apart', APART),
  };
}
