import { EngramError } from '../errors.ts';
import { type MemoryRecord, RECORD_KEYS, type RecordKey } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { validateRecord } from '../memory/validate.ts';
import { type ConflictRow, findConflict, resolveConflict } from '../store/conflicts.ts';
import { immediately } from '../store/transaction.ts';
import type { SyncContext } from '../sync/context.ts';
import { inSection } from '../sync/section.ts';
import { requireWritableRoot } from './writable-root.ts';

/** Which text a person takes for a clashing field. */
export type Choice =
  | { readonly take: 'file' }
  | { readonly take: 'db' }
  | { readonly take: 'text'; readonly text: string };

/** A conflict that has ended; `value` is the text both sides have now. */
export interface Resolution {
  readonly id: number;
  readonly name: MemoryName;
  readonly field: string;
  readonly value: string | null;
}

/**
 * Ends a conflict through the write path, which advances the base (SY-20): the file's text stays, or the row's or a given
 * one is written to both sides.
 *
 * @throws EngramError `conflict.not-found`, `usage` for a conflict of two memories, and whatever keeps the file from being written
 */
export function resolveClash(context: SyncContext, id: number, choice: Choice): Resolution {
  requireWritableRoot(context);
  const conflict = getOpenConflict(context, id);
  if (conflict.other !== null) {
    throw new EngramError('usage', `conflict ${id} is of two memories that contradict, not of two texts of one`, {
      hint: `Run: engram conflicts resolve ${id} --keep this|other|both`,
    });
  }
  const value = chosenValue(conflict, choice);
  const name = conflict.name as MemoryName;
  const key = RECORD_KEYS.find((candidate) => candidate === conflict.field);
  if (key === undefined) throw new EngramError('conflict.not-found', `conflict ${id} is about an unknown field`);
  let text = value;
  inSection(context, name, {
    wanted: {
      countsOnly: false,
      decides: [key],
      change: (record) => {
        if (choice.take === 'file') text = textOf(record, key);
        if (text === textOf(record, key)) return null;
        const changed: MemoryRecord = { ...record, [key]: value };
        validateRecord(changed);
        return { record: changed, events: [] };
      },
    },
  });
  const resolution = choice.take === 'text' ? 'given text' : choice.take;
  immediately(context.store, () => resolveConflict(context.store.db, id, resolution, context.clock()));
  return { id, name, field: conflict.field, value: text };
}

/** @throws EngramError `conflict.not-found` when there is none with this number, or it is resolved */
export function getOpenConflict(context: SyncContext, id: number): ConflictRow {
  const conflict = findConflict(context.store.db, id);
  const hint = 'See what is open: engram conflicts list';
  if (conflict === null) throw new EngramError('conflict.not-found', `there is no conflict ${id}`, { hint });
  if (conflict.resolution !== null) {
    throw new EngramError('conflict.not-found', `conflict ${id} is resolved already (${conflict.resolution})`, {
      hint,
    });
  }
  return conflict;
}

function textOf(record: MemoryRecord, key: RecordKey): string | null {
  const value = record[key];
  return typeof value === 'string' ? value : null;
}

function chosenValue(conflict: ConflictRow, choice: Choice): string | null {
  if (choice.take === 'text') return choice.text;
  return choice.take === 'file' ? conflict.file_value : conflict.row_value;
}
