import type { CounterKey, MemoryRecord, TextKey, TimeKey } from '../memory/record.ts';
import { type CoreState, coreState } from '../memory/tiers.ts';
import { compareTimestamps } from '../memory/timestamps.ts';

/**
 * How one kind of field merges (SY-15). Everywhere: a value only one side changed is taken (SY-16); what is left to decide
 * is a value both changed, and a first meeting, where there is no base (`null`).
 */

/** A text that both sides changed to something else; becomes a conflict row. The file's value is the one in place. */
export interface Clash {
  readonly field: TextKey | 'project_slug';
  readonly baseValue: string | null;
  readonly fileValue: string | null;
  readonly rowValue: string | null;
}

/** A change of a counter that wants an event, so that the sum of the events is the counter (SY-7). */
export interface CounterChange {
  readonly key: CounterKey;
  readonly delta: number;
  readonly origin: 'file' | 'sql' | 'import' | 'adjust';
}

type Core = Pick<MemoryRecord, 'core' | 'core_origin'>;
type Scope = Pick<MemoryRecord, 'project_scoped' | 'project_slug'>;

/** The value of the side that changed; the file's when both did. */
export function mergePlain<T>(base: T, file: T, row: T): T {
  return file === base ? row : file;
}

/** Base plus both deltas, within 0 .. 2^53-1, and the events that add up to it. */
export function mergeCounter(
  key: CounterKey,
  base: number,
  file: number,
  row: number,
): { readonly value: number; readonly events: readonly CounterChange[] } {
  const sum = file - base + row;
  const value = Math.min(Math.max(sum, 0), Number.MAX_SAFE_INTEGER);
  const events: CounterChange[] = [
    { key, delta: file - base, origin: 'file' },
    { key, delta: row - base, origin: 'sql' },
    { key, delta: value - sum, origin: 'adjust' },
  ];
  return { value, events: events.filter((event) => event.delta !== 0) };
}

/** `created_at` is the earlier, `updated_at` the later. Null is an absent key, which never is a change (MF-22, SY-25). */
export function mergeTime(key: TimeKey, base: string | null, file: string | null, row: string | null): string | null {
  const seenFile = file ?? base;
  const seenRow = row ?? base;
  if (seenFile === base) return seenRow;
  if (seenRow === base) return seenFile;
  return meetingTime(key, seenFile, seenRow);
}

export function meetingTime(key: TimeKey, file: string | null, row: string | null): string | null {
  if (file === null || row === null) return file ?? row;
  const fileIsEarlier = compareTimestamps(file, row) < 0;
  return fileIsEarlier === (key === 'created_at') ? file : row;
}

/**
 * `core` with `core_origin`: pinned > plain by decision > promoted > plain. Who changed `core` but not its origin decided
 * by that (MF-43): engram always moves both when it promotes or demotes.
 */
export function mergeCore(base: Core | null, file: Core, row: Core): Core {
  const winner = coreWinner(base, file, row);
  return { core: winner.core, core_origin: winner.core_origin };
}

function coreWinner(base: Core | null, file: Core, row: Core): Core {
  if (base !== null && sameCore(file, base)) return row;
  if (base !== null && sameCore(row, base)) return file;
  return coreRank(row, base) > coreRank(file, base) ? row : file;
}

/** `project_scoped` with `project_slug`: scoped beats unscoped; two projects clash and the file's stays in place. */
export function mergeScope(
  base: Scope | null,
  file: Scope,
  row: Scope,
): { readonly scope: Scope; readonly clash: Clash | null } {
  const winner = scopeWinner(base, file, row);
  const scope: Scope = { project_scoped: winner.project_scoped, project_slug: winner.project_slug };
  const bothChanged = base === null || !(sameScope(file, base) || sameScope(row, base));
  const clashes = bothChanged && file.project_scoped && row.project_scoped;
  return { scope, clash: clashes ? clashOf('project_slug', base, file, row) : null };
}

function scopeWinner(base: Scope | null, file: Scope, row: Scope): Scope {
  if (base !== null && sameScope(file, base)) return row;
  if (base !== null && sameScope(row, base)) return file;
  return row.project_scoped && !file.project_scoped ? row : file;
}

/**
 * A situation or content text. `foreign` means that the file's type has no such key: then the file's value stays whatever
 * the row says, because type and layout come from the file.
 */
export function mergeText(
  key: TextKey,
  foreign: boolean,
  base: MemoryRecord | null,
  file: MemoryRecord,
  row: MemoryRecord,
): { readonly value: string | null; readonly clash: Clash | null } {
  if (base !== null && row[key] === base[key]) return { value: file[key], clash: null };
  if (base !== null && file[key] === base[key]) return { value: foreign ? file[key] : row[key], clash: null };
  return { value: file[key], clash: base === null && foreign ? null : clashOf(key, base, file, row) };
}

/** Null when the texts agree after NFC and white-space folding (SY-16), or the row has none to lose. */
function clashOf<K extends Clash['field']>(
  field: K,
  base: Pick<MemoryRecord, K> | null,
  file: Pick<MemoryRecord, K>,
  row: Pick<MemoryRecord, K>,
): Clash | null {
  const fileValue: string | null = file[field];
  const rowValue: string | null = row[field];
  if (rowValue === null || rowValue === '' || foldText(fileValue ?? '') === foldText(rowValue)) return null;
  return { field, baseValue: base?.[field] ?? null, fileValue, rowValue };
}

function foldText(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

const CORE_RANK: Readonly<Record<CoreState, number>> = { pinned: 3, 'plain-by-decision': 2, promoted: 1, plain: 0 };

function coreRank(side: Core, base: Core | null): number {
  const decided = base !== null && side.core !== base.core && side.core_origin === base.core_origin;
  return CORE_RANK[coreState(decided ? { core: side.core, core_origin: 'user' } : side)];
}

function sameCore(a: Core, b: Core): boolean {
  return a.core === b.core && a.core_origin === b.core_origin;
}

function sameScope(a: Scope, b: Scope): boolean {
  return a.project_scoped === b.project_scoped && a.project_slug === b.project_slug;
}
