import type { CounterKey, MemoryRecord, TextKey } from '../memory/record.ts';

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
export function mergeTime(
  key: 'created_at' | 'updated_at',
  base: string | null,
  file: string | null,
  row: string | null,
): string | null {
  const seenFile = file ?? base;
  const seenRow = row ?? base;
  if (seenFile === base) return seenRow;
  if (seenRow === base) return seenFile;
  return meetingTime(key, seenFile, seenRow);
}

export function meetingTime(key: 'created_at' | 'updated_at', file: string | null, row: string | null): string | null {
  if (file === null || row === null) return file ?? row;
  // Normalised times without their `Z` order as text: a fraction then is a longer text with the same start.
  const fileIsEarlier = file.slice(0, -1) < row.slice(0, -1);
  return fileIsEarlier === (key === 'created_at') ? file : row;
}

/**
 * `core` with `core_origin`: pinned > plain by decision > promoted > plain. Who changed `core` but not its origin decided
 * by that (MF-43): engram always moves both when it promotes or demotes.
 */
export function mergeCore(base: Core | null, file: Core, row: Core): Core {
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
  if (base !== null && sameScope(file, base)) return { scope: row, clash: null };
  if (base !== null && sameScope(row, base)) return { scope: file, clash: null };
  if (row.project_scoped && !file.project_scoped) return { scope: row, clash: null };
  const clash = file.project_scoped && row.project_scoped ? clashOf('project_slug', base, file, row) : null;
  return { scope: file, clash };
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

function coreRank(side: Core, base: Core | null): number {
  const decided = base !== null && side.core !== base.core && side.core_origin === base.core_origin;
  if (side.core) return decided || side.core_origin !== 'auto' ? 3 : 1;
  return decided || side.core_origin !== null ? 2 : 0;
}

function sameCore(a: Core, b: Core): boolean {
  return a.core === b.core && a.core_origin === b.core_origin;
}

function sameScope(a: Scope, b: Scope): boolean {
  return a.project_scoped === b.project_scoped && a.project_slug === b.project_slug;
}
