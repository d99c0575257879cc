import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { EngramError, systemErrorCode } from '../errors.ts';
import { findInstalledPackage } from './installed-package.ts';

export type SqliteDatabase = Database.Database;

export interface OpenSqliteOptions {
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number;
  /** Opens an existing database without the right to write. */
  readonly readonly?: boolean;
}

/**
 * Opens an SQLite database with better-sqlite3; makes the file where there is none.
 *
 * @param path - absolute path, or `:memory:`
 * @throws EngramError `native-module`; SQLite's own errors pass unchanged
 */
export function openSqlite(path: string, { busyTimeoutMs, readonly = false }: OpenSqliteOptions): SqliteDatabase {
  const nativeBinding = nativeBindingPath();
  try {
    return new Database(path, { timeout: busyTimeoutMs, readonly, nativeBinding });
  } catch (error) {
    throw asNativeModuleError(error) ?? error;
  }
}

/**
 * Path of better-sqlite3's native part, for its option `nativeBinding`. Giving the path spares the search that the
 * package makes otherwise, and works from the bundled command, where that search cannot find its own package.
 *
 * @throws EngramError `native-module` when the package is not installed
 */
function nativeBindingPath(): string {
  return join(packageDirectory(), 'build/Release/better_sqlite3.node');
}

function packageDirectory(): string {
  const found = findInstalledPackage('better-sqlite3', dirname(fileURLToPath(import.meta.url)));
  if (found !== null) return found;
  try {
    return dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));
  } catch (error) {
    throw nativeModuleError('better-sqlite3 is not installed', error);
  }
}

/**
 * The error to show when opening a database failed because the native part is missing or was built for another Node;
 * null for every other failure. npm 12 leaves the native part out of a global install without saying so.
 */
function asNativeModuleError(error: unknown): EngramError | null {
  const code = systemErrorCode(error);
  const message = error instanceof Error ? error.message : '';
  if (message.includes('NODE_MODULE_VERSION')) {
    return nativeModuleError(`better-sqlite3 was built for another version of Node than ${process.version}`, error);
  }
  if (code === 'MODULE_NOT_FOUND' || message.includes('Could not locate the bindings file')) {
    return nativeModuleError('the native part of better-sqlite3 is missing: its install script did not run', error);
  }
  return code === 'ERR_DLOPEN_FAILED'
    ? nativeModuleError(`better-sqlite3 cannot be loaded: ${oneLine(message)}`, error)
    : null;
}

function nativeModuleError(message: string, cause: unknown): EngramError {
  return new EngramError('native-module', message, {
    cause,
    hint: 'npm rebuild better-sqlite3, or for a global install: npm install -g --allow-scripts=better-sqlite3 engram',
  });
}

function oneLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
