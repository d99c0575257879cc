import { TomlDate } from 'smol-toml';
import { parseTimestamp, timestampMs } from './timestamps.ts';
import type { TomlValue } from './toml-table.ts';

// Each reader returns null for a value that cannot be used (MF-24, MF-25).

const DIGITS = /^\d+$/;

/** An integer, an integral float, or a text of decimal digits; 0 to 2^53-1 (MF-10). */
export function lenientCount(value: TomlValue): number | null {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number + 0 : null;
}

/** `true`, `false`, or one of them as a text. */
export function lenientFlag(value: TomlValue): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : null;
}

/** A float or integer from 0 to 1. */
export function lenientConfidence(value: TomlValue): number | null {
  // Adding 0 makes -0 an ordinary 0.
  return typeof value === 'number' && value >= 0 && value <= 1 ? value + 0 : null;
}

/**
 * A quoted timestamp or a TOML date-time, normalised.
 *
 * @param text - the whole file: the library cuts date-times to milliseconds and accepts 30 February
 */
export function lenientTime(value: TomlValue, key: string, text: string): string | null {
  if (typeof value === 'string') return parseTimestamp(value);
  if (!(value instanceof TomlDate) || value.isTime()) return null;
  const written = writtenTimes(text, key);
  if (written.length === 1) return parseTimestamp(written[0] ?? '');
  const exact = written.map(parseTimestamp).find((time) => time !== null && timestampMs(time) === value.getTime());
  return exact ?? parseTimestamp(value.toISOString());
}

/** `schema_version` as a number from 1; null for what is no version. */
export function lenientVersion(value: TomlValue): number | null {
  // Beyond every version there will be, so certainly newer than this program.
  if (typeof value === 'bigint') return value > 0n ? Number.MAX_SAFE_INTEGER : null;
  const version = typeof value === 'number' ? Math.ceil(value) : lenientCount(value);
  if (version === null || !(version >= 1)) return null;
  return version === value || version > 2 || typeof value === 'string'
    ? Math.min(version, Number.MAX_SAFE_INTEGER)
    : null;
}

/** The date tokens that follow `key =` anywhere in the text, comments and strings included. */
function writtenTimes(text: string, key: string): string[] {
  const token = new RegExp(
    `(?<![\\w-])${key}["']?[ \\t]*=[ \\t]*(\\d{4}-\\d\\d-\\d\\d(?:[Tt ]\\d\\d:[\\d:.]+(?:[Zz]|[+-]\\d\\d:\\d\\d)?)?)`,
    'g',
  );
  return Array.from(text.matchAll(token), (match) => match[1] ?? '');
}
