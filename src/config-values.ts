import { isAbsolute } from 'node:path';
import type { ConfigName } from './config-keys.ts';
import { EngramError } from './errors.ts';

export type ConfigValue = string | number | boolean | readonly string[];

/**
 * Checks the value of a setting.
 *
 * @param subject - where it was given
 * @param repair - what a person has to correct
 * @throws EngramError `config.invalid`, which never repeats the value: it may be a key in the wrong place
 */
export async function validated(
  name: ConfigName,
  value: unknown,
  subject: string,
  repair: string,
): Promise<ConfigValue> {
  const { z } = await import('zod');
  const path = 'must be an absolute path or begin with ~/';
  const secret = 'must be the name of an environment variable, in capitals, not the key itself';
  const address = 'must be a URL that begins with http:// or https:// and holds no password';
  const prefix = z.string('must be a text').max(1000, 'must have at most 1000 characters');
  const words = 'must be a list of texts, the program first, such as ["my-judge", "--quiet"]';
  const names = 'must be a list of names of environment variables, such as ["MY_CONFIG"]';
  const between = 'must be a number from 0 to 1';
  const share = z.number(between).min(0, between).max(1, between);
  const agentName = 'must be a name: letters, digits and . _ / -, at most 64, not `all`';
  const switched = z.boolean('must be true or false');
  const schemas = {
    dataDir: z.string(path).refine((text) => isAbsolute(text) || text.startsWith('~/'), path),
    project: z.string(),
    chatFile: z.string(),
    chatName: z.string(),
    color: z.enum(['auto', 'always', 'never'], 'must be auto, always or never'),
    queryLimit: wholeNumber(1, 100),
    contextBytes: wholeNumber(500, 100_000),
    singleValued: z.string('must be a text').max(2000, 'must have at most 2000 characters'),
    embedProvider: z.enum(['built-in', 'openai', 'none'], 'must be built-in, openai or none'),
    embedUrl: z.string(address).refine(isWebAddress, address),
    embedModel: z.string('must be a text').min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
    embedApiKeyEnv: z.string(secret).regex(/^[A-Z_][A-Z0-9_]*$/, secret),
    embedAllowRemote: switched,
    embedAllowHttp: switched,
    embedQueryPrefix: prefix,
    embedDocumentPrefix: prefix,
    embedDims: wholeNumber(8, 16_384),
    embedTimeoutMs: wholeNumber(50, 60_000),
    agentName: z.string(agentName).regex(/^(?!all$)[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/i, agentName),
    agentChatFile: z.string(path).refine((text) => isAbsolute(text), 'must be an absolute path'),
    agentAnswerBudgetMs: wholeNumber(500, 60_000),
    agentLearn: switched,
    agentTakeOver: switched,
    agentOnce: switched,
    appliesAt: share,
    apart: share,
    judgeKind: z.enum(['builtin', 'command', 'openai'], 'must be builtin, command or openai'),
    judgeCommand: z.array(z.string(words).max(10_000, words), words).min(1, words).max(100, words),
    judgeEnv: z.array(z.string(names).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, names), names).max(100, names),
    judgeBaseUrl: z.string(address).refine(isWebAddress, address),
    judgeModel: z.string('must be a text').min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
    judgeApiKeyEnv: z.string(secret).regex(/^[A-Z_][A-Z0-9_]*$/, secret),
    judgeAllowRemote: switched,
  } satisfies Record<ConfigName, unknown>;
  const result = schemas[name].safeParse(value);
  if (result.success) return result.data;
  throw unusable(subject, result.error.issues[0]?.message ?? 'cannot be used', repair);

  function wholeNumber(from: number, to: number) {
    const message = `must be a whole number from ${from} to ${to}`;
    return z.int(message).min(from, message).max(to, message);
  }
}

/** A text from the environment as the value that config.toml would have. */
export function environmentValue(text: string): ConfigValue {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

/** A list: JSON, or words between blanks. What only looks like JSON is returned as it is, which is no list. */
export function environmentList(text: string): ConfigValue {
  if (!text.trimStart().startsWith('[')) return text.split(/\s+/).filter((word) => word !== '');
  try {
    return JSON.parse(text) as ConfigValue;
  } catch {
    return text;
  }
}

export function unusable(subject: string, reason: string, repair: string, cause?: unknown): EngramError {
  return new EngramError('config.invalid', `${subject} ${reason}`, { hint: `Correct or remove ${repair}.`, cause });
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
