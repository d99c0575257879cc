import { EngramError } from '../errors.ts';
import { readMemory } from '../memory/read-toml.ts';
import type { MemoryRecord, ParsedMemory, RecordKey } from '../memory/record.ts';
import { directoryOf, type MemoryName } from '../memory/slug.ts';
import { KIND_OF_COUNTER, type OutcomeEvent } from '../store/outcomes.ts';
import type { LearnedWith } from './commit.ts';
import { type Clash, type MergeResult, mergeRecords } from './merge.ts';

/** A copy of a memory's file as somebody saved it in an editor, and what they started from. */
export interface EditedCopy {
  readonly before: { readonly bytes: Uint8Array; readonly parsed: ParsedMemory };
  readonly bytes: Uint8Array;
  readonly parsed: ParsedMemory;
}

/** A change that engram itself wants, on top of what file and row say. */
export interface OwnChange {
  readonly record: MemoryRecord;
  readonly events: readonly OutcomeEvent[];
  /** A person saved the memory: a title/content file becomes canonical then (memory-format.md section 2). */
  readonly savedByPerson?: boolean;
  /** The copy of the file that a person edited and saved. */
  readonly copy?: EditedCopy;
  /** Texts that somebody else changed too: they become conflict rows. */
  readonly clashes?: readonly Clash[];
  /** Stored in the transaction that stores the change. */
  readonly learned?: LearnedWith;
  /** Asked once more inside the transaction that notes the write; false has the change computed anew (MF-46). */
  readonly stillAllowed?: () => boolean;
}

/**
 * Computes the change from the record both sides agree on at that moment; null leaves it as it is. Called again when the
 * file changed meanwhile, so it must be repeatable.
 */
export type ChangeOf = (record: MemoryRecord) => OwnChange | null;

/** Counts may go to the row alone when the file cannot be written; an edit of text may not (SY-40). */
export interface WantedChange {
  readonly change: ChangeOf;
  readonly countsOnly: boolean;
  /**
   * What a person decides with it: refused where the file has a value for one of these, or for a key that changes, that
   * cannot be used, since nobody overwrites such a value (MF-24). Without it the change waits in the row.
   */
  readonly decides?: readonly RecordKey[];
}

/** Why the file of a memory cannot be written now. */
export function unwritable(
  name: MemoryName,
  why: 'bad' | 'in-progress' | 'read-only' | 'newer' | 'gone',
  path: string,
  version: number | null = null,
): EngramError {
  switch (why) {
    case 'bad':
      return new EngramError('memory.quarantined', `${name}: its file ${path} is quarantined`, {
        hint: 'Run: engram db status (shows why), repair the file, then try again.',
      });
    case 'in-progress':
      return new EngramError('write.contended', `${name}: its file ${path} is being written by somebody else`, {
        hint: 'Try again in two seconds.',
      });
    case 'read-only':
      return new EngramError('memory.read-only', `${name}: ${path} is a link, which a rewrite would replace`, {
        hint: 'Edit the file it points to.',
      });
    case 'newer':
      return new EngramError(
        'memory.read-only',
        `${name}: ${path} was written by a newer engram (schema_version ${version ?? 'above 2'}, this one knows 1 and 2)`,
        {
          hint: 'Update engram, or edit the file by hand.',
        },
      );
    case 'gone':
      return new EngramError('memory.not-found', `${name}: its file ${path} is gone`, {
        hint: `Run: engram db sync (archives it), then engram restore ${name}`,
      });
  }
}

/**
 * What somebody saved into the old file while it was replaced, as a change on top of what was written (MF-41). Null when
 * the bytes are no memory: they are in history then.
 */
export function mergeSavedMeanwhile(
  name: MemoryName,
  before: MemoryRecord,
  bytes: Uint8Array,
  atMs: number,
): { readonly record: MemoryRecord; readonly wanted: WantedChange } | null {
  const read = readMemory(bytes, directoryOf(name));
  if (read.kind !== 'ok') return null;
  const saved = read.memory.record;
  const change = (current: MemoryRecord): OwnChange => {
    const merged = mergeRecords(before, saved, current);
    return { record: merged.record, events: countsOf(name, merged, atMs) };
  };
  return { record: saved, wanted: { change, countsOnly: false } };
}

/** The counts that a saved text changed, as events. What the other side counted has its events already. */
export function countsOf(name: MemoryName, { events }: MergeResult, atMs: number): OutcomeEvent[] {
  const counted = events.filter((event) => event.origin !== 'sql');
  return counted.map(({ key, delta, origin }) => ({ name, kind: KIND_OF_COUNTER[key], delta, origin, atMs }));
}
