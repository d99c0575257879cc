import type { JudgeSettings } from '../agent/judge/open-judge.ts';
import type { Config } from '../config.ts';
import { EngramError } from '../errors.ts';

/**
 * Who judges, as the settings in force say.
 *
 * @throws EngramError `config.invalid` for a judge that lacks its command, address or model
 */
export function judgeSettings(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): JudgeSettings {
  const numbers = { appliesAt: config.appliesAt.value, apart: config.apart.value };
  const kind = config.judgeKind.value;
  if (kind === 'builtin') return { kind, ...numbers };
  if (kind === 'command') {
    const command = given('agent.judge.command', config.judgeCommand.value, kind);
    return { kind, ...numbers, command, env: config.judgeEnv.value, environment };
  }
  return {
    kind,
    ...numbers,
    environment,
    baseUrl: given('agent.judge.base_url', config.judgeBaseUrl.value, kind),
    model: given('agent.judge.model', config.judgeModel.value, kind),
    apiKeyEnv: config.judgeApiKeyEnv.value,
    allowRemote: config.judgeAllowRemote.value,
  };
}

function given<T>(key: string, value: T | null, kind: string): T {
  if (value !== null) return value;
  throw new EngramError('config.invalid', `${key} is missing, which the judge ${kind} needs`, {
    hint: 'Set it in config.toml, or set agent.judge.kind = "builtin".',
  });
}
