import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { prepareReplacement } from './replace-file.ts';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** The text of config.toml, empty where there is none. @throws EngramError `file.unreadable` */
export function readConfigText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return '';
    throw new EngramError('file.unreadable', `${file} cannot be read: ${systemErrorCode(error) ?? error}`, {
      cause: error,
    });
  }
}

/**
 * Writes config.toml, all or nothing; a link to it stays a link. Makes its directory where that is missing.
 *
 * @param before - what it said when it was read; if it says something else by now, nothing is written
 * @throws EngramError `write.contended`, `file.write`, `disk.full`
 */
export function writeConfigText(file: string, before: string, after: string): void {
  const target = targetOf(file);
  if (readConfigText(target) !== before) {
    throw new EngramError('write.contended', `${file} was changed at this moment`, { hint: 'Try again.' });
  }
  makeDirectory(dirname(target));
  prepareReplacement(target, new TextEncoder().encode(after), { mode: modeOf(target) }).over();
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function modeOf(file: string): number {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return FILE_MODE;
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  } catch (error) {
    throw new EngramError('file.write', `${directory} cannot be made: ${systemErrorCode(error) ?? error}`, {
      cause: error,
    });
  }
}
