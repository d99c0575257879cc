import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** What a watcher says of itself in `<root>/watch.alive`; the file's time of modification is its heartbeat (SY-55). */
export interface WatcherState {
  readonly pid: number;
  readonly command: string;
  /** `degraded`: events do not arrive, so files are looked at every few seconds. */
  readonly mode: 'starting' | 'live' | 'degraded';
  /** Null before the first. */
  readonly selfTest: { readonly atMs: number; readonly passed: boolean } | null;
}

/** A watcher and how long ago it gave a sign of life. */
export interface Heartbeat extends WatcherState {
  readonly ageMs: number;
}

/** A watcher that gave no sign of life for so long is not believed; it gives one every second (SY-57). */
export const SILENT_MS = 3000;

export function heartbeatPath(root: string): string {
  return join(root, 'watch.alive');
}

/** Says what has changed about this watcher. Nothing hangs on its being on disk after a crash. */
export function announceWatcher(path: string, state: WatcherState): void {
  replaceFile(path, Buffer.from(`${JSON.stringify(state)}\n`));
}

/** A sign of life; false when the file is gone, so that it wants to be announced again. */
export function beat(path: string, nowMs: number): boolean {
  try {
    utimesSync(path, nowMs / 1000, nowMs / 1000);
    return true;
  } catch {
    return false;
  }
}

/** What a watcher that ends leaves behind: nothing. */
export function endHeartbeat(path: string): void {
  rmSync(path, { force: true });
}

/** The last sign of life of a watcher, whether it still lives or not; null without one that can be read. */
export function readHeartbeat(path: string, nowMs: number): Heartbeat | null {
  try {
    const state = parseState(JSON.parse(readFileSync(path, 'utf8')));
    return state === null ? null : { ...state, ageMs: Math.max(0, nowMs - statSync(path).mtimeMs) };
  } catch {
    return null;
  }
}

function parseState(value: unknown): WatcherState | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!('pid' in value && 'command' in value && 'mode' in value && 'selfTest' in value)) return null;
  const { pid, command, mode, selfTest } = value;
  if (typeof pid !== 'number' || typeof command !== 'string') return null;
  if (mode !== 'starting' && mode !== 'live' && mode !== 'degraded') return null;
  if (selfTest === null) return { pid, command, mode, selfTest };
  if (typeof selfTest !== 'object' || selfTest === undefined) return null;
  if (!('atMs' in selfTest && 'passed' in selfTest)) return null;
  const { atMs, passed } = selfTest;
  if (typeof atMs !== 'number' || typeof passed !== 'boolean') return null;
  return { pid, command, mode, selfTest: { atMs, passed } };
}
