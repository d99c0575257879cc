import { EngramError } from '../../errors.ts';
import { visible } from '../../text/visible.ts';

/**
 * The key that a variable holds.
 *
 * @param variable - its name; null where the server wants no key
 * @param setting - the key of config.toml that names the variable
 * @throws EngramError `model.refused` where it is not set or holds no key; its value is never told
 */
export function apiKey(
  variable: string | null,
  environment: Readonly<Record<string, string | undefined>>,
  setting: string,
): string | null {
  if (variable === null) return null;
  const key = environment[variable]?.trim();
  if (key && /^[\x21-\x7e]+$/.test(key)) return key;
  const reason = key ? 'holds something that is no key' : 'is not set';
  throw new EngramError('model.refused', `the environment variable ${variable}, named by ${setting}, ${reason}`, {
    hint: `Set ${variable}, or remove ${setting} where the server wants no key.`,
  });
}

/** What a server says, which may be anything: in one line, without the key, and short. */
export function withoutKey(message: string, key: string | null): string {
  const safe = key === null ? message : message.replaceAll(key, '***');
  const line = visible(safe.replace(/\s+/g, ' ').trim());
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
