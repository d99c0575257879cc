import { EngramError } from '../errors.ts';
import type { MemoryRecord, ParsedMemory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { pinned, unpinned } from '../memory/tiers.ts';
import { validateRecord } from '../memory/validate.ts';
import type { SyncContext } from '../sync/context.ts';
import { mergeRecords } from '../sync/merge.ts';
import type { OwnChange } from '../sync/own-change.ts';
import { inSection } from '../sync/section.ts';
import type { ContentHash } from '../text/content-hash.ts';

/** What an edit sets; a key that is not given stays. */
export type EditedFields = Partial<
  Pick<
    MemoryRecord,
    | 'situation'
    | 'behavior'
    | 'impact'
    | 'action'
    | 'subject'
    | 'predicate'
    | 'object'
    | 'source'
    | 'initial_confidence'
  >
> & {
  /** A project scopes the memory to it; null makes it apply everywhere. */
  readonly scope?: string | null;
};

export interface EditOutcome {
  readonly name: MemoryName;
  readonly changed: boolean;
  readonly record: MemoryRecord;
}

/**
 * Changes fields of a memory in its file, in place (MF-28); the old text is in history. Saving also clears `needs_review`:
 * a person has looked at it.
 *
 * @throws EngramError `memory.invalid` naming the key, `memory.read-only`, `memory.quarantined`, `memory.layout`
 */
export function editMemoryFields(context: SyncContext, name: MemoryName, fields: EditedFields): EditOutcome {
  return saveChange(context, name, (record) => ({
    record: withFields(record, fields),
    events: [],
    savedByPerson: true,
  }));
}

/** A copy of the file as somebody saved it in an editor, and what they started from. */
export interface EditedCopy {
  readonly before: MemoryRecord;
  readonly replaces: ContentHash;
  readonly bytes: Uint8Array;
  readonly parsed: ParsedMemory;
}

/**
 * Takes over a copy of the file that was edited without any lock: as it is where the file has not changed since, else field
 * by field on top of what it says now.
 */
export function saveEditedCopy(context: SyncContext, name: MemoryName, copy: EditedCopy): EditOutcome {
  const { before, replaces, bytes, parsed } = copy;
  return saveChange(context, name, (record) => {
    const merged = mergeRecords(before, parsed.record, record).record;
    return {
      record: { ...merged, needs_review: false },
      events: [],
      savedByPerson: true,
      text: { bytes, parsed, replaces },
    };
  });
}

/** Pins or unpins a memory by a person's decision (MF-43). */
export function setPinned(context: SyncContext, name: MemoryName, pin: boolean): EditOutcome {
  return saveChange(context, name, (record) => {
    if (pin && record.needs_review) {
      throw new EngramError('memory.invalid', `${name} needs review before it can be core`, {
        hint: `Look at it and save it: engram edit ${name}`,
      });
    }
    return { record: pin ? pinned(record) : unpinned(record), events: [] };
  });
}

function saveChange(
  context: SyncContext,
  name: MemoryName,
  changeOf: (record: MemoryRecord) => OwnChange,
): EditOutcome {
  let saved: MemoryRecord | null = null;
  const result = inSection(context, name, {
    wanted: {
      countsOnly: false,
      change: (record) => {
        const own = changeOf(record);
        validateRecord(own.record);
        saved = own.record;
        return own;
      },
    },
  });
  if (saved === null) throw new EngramError('memory.not-found', `${name} is not there any more`);
  return { name, changed: result.outcome === 'written' || result.outcome === 'created', record: saved };
}

function withFields(record: MemoryRecord, { scope, ...fields }: EditedFields): MemoryRecord {
  const scoped =
    scope === undefined ? {} : { project_scoped: scope !== null, ...(scope === null ? {} : { project_slug: scope }) };
  return { ...record, ...fields, ...scoped, needs_review: false };
}
