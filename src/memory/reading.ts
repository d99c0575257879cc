import { lenientFlag } from './lenient-values.ts';
import type { ReadNote, RecordKey, TrackingKey } from './record.ts';
import type { TomlTable } from './toml-table.ts';
import type { Layout } from './variants.ts';

/** A file being read, and what its owner should know about it. */
export interface Reading {
  readonly table: TomlTable;
  readonly layout: Layout;
  /** The file with LF line ends and without byte order mark. */
  readonly text: string;
  readonly notes: ReadNote[];
  readonly unusable: RecordKey[];
  readonly present: TrackingKey[];
}

export function startReading(table: TomlTable, layout: Layout, text: string): Reading {
  return { table, layout, text, notes: [], unusable: [], present: [] };
}

export function addNote(reading: Reading, key: string, message: string): void {
  reading.notes.push({ key, message });
}

/** Records that `key` has a token nobody can use: noted once, never overwritten (MF-24). */
export function leaveAlone(reading: Reading, key: RecordKey, message: string): void {
  if (reading.unusable.includes(key)) return;
  reading.unusable.push(key);
  addNote(reading, key, `${message}; the value in the file is left as it is`);
}

/** An optional text of the top level; its default is empty. */
export function textOf(reading: Reading, key: 'source' | 'project_slug'): string {
  const value = reading.table[key];
  if (typeof value === 'string') return value;
  if (value !== undefined) leaveAlone(reading, key, 'no text; read as empty');
  return '';
}

/** An optional flag of the top level; its default is false. */
export function flagOf(reading: Reading, key: 'core' | 'needs_review' | 'project_scoped'): boolean {
  const value = reading.table[key];
  if (value === undefined) return false;
  const flag = lenientFlag(value);
  if (flag === null) leaveAlone(reading, key, 'neither true nor false; read as false');
  return flag ?? false;
}

export function originOf(reading: Reading): 'user' | 'auto' | null {
  const value = reading.table.core_origin;
  if (value === 'user' || value === 'auto') return value;
  if (value !== undefined) leaveAlone(reading, 'core_origin', 'neither "user" nor "auto"; read as absent');
  return null;
}
