import Database from 'better-sqlite3';
import { asNativeModuleError, nativeBindingPath } from './native.ts';

export type SqliteDatabase = Database.Database;

let nativeBinding: string | null = null;

/**
 * Opens a database file, or one in memory for `:memory:`.
 *
 * @throws EngramError `native-module` when the native part is missing or built for another Node
 */
export function openSqlite(path: string, options: { readonly busyTimeoutMs: number }): SqliteDatabase {
  nativeBinding ??= nativeBindingPath();
  try {
    return new Database(path, { timeout: options.busyTimeoutMs, nativeBinding });
  } catch (error) {
    throw asNativeModuleError(error) ?? error;
  }
}
