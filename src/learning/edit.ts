import { EngramError } from '../errors.ts';
import { type MemoryRecord, RECORD_KEYS, type RecordKey } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { pinned, unpinned } from '../memory/tiers.ts';
import { validateRecord } from '../memory/validate.ts';
import { findBase } from '../store/bases.ts';
import type { SyncContext } from '../sync/context.ts';
import { effectiveFileRecord } from '../sync/effective-record.ts';
import { type Clash, mergeRecords } from '../sync/merge.ts';
import { isLaidOutAs } from '../sync/new-bytes.ts';
import { countsOf, type EditedCopy, type OwnChange } from '../sync/own-change.ts';
import { inSection } from '../sync/section.ts';
import { type LintFinding, lintSituation } from './lint.ts';
import { requireWritableRoot } from './writable-root.ts';

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

/** What an edit did; `record` is what the memory says now. */
export interface EditOutcome {
  readonly name: MemoryName;
  readonly changed: boolean;
  readonly record: MemoryRecord;
  /** What makes its situation hard to recognise in time, where the edit changed it or the action (SE-57). */
  readonly lint: readonly LintFinding[];
}

/**
 * Changes fields of a memory in its file, in place (MF-28); the old text is in history. Saving also clears `needs_review`:
 * a person has looked at it.
 *
 * @throws EngramError `memory.invalid` naming the key, `memory.read-only`, `memory.quarantined`, `memory.layout`, also for
 *   a key whose value in the file cannot be used (MF-24)
 */
export function editMemoryFields(context: SyncContext, name: MemoryName, fields: EditedFields): EditOutcome {
  return saveChange(context, name, decidedBy(fields), (record) => {
    const changed = withFields(record, fields);
    validateRecord(changed);
    return { record: changed, events: [], savedByPerson: true };
  });
}

export interface CopyOutcome extends EditOutcome {
  /** False when the file was laid out anew meanwhile: the fields were merged into it, the copy is in history. */
  readonly textKept: boolean;
  /** Fields whose text somebody else changed too; the copy's is in the file, the other one in a conflict row. */
  readonly clashes: readonly string[];
}

/**
 * Takes over a copy of the file that was edited without any lock: as it is, comments included, where the file is laid
 * out as before; else field by field on top of what the file says now. What was written meanwhile is never undone.
 *
 * @throws EngramError as `editMemoryFields`
 */
export function saveEditedCopy(context: SyncContext, name: MemoryName, copy: EditedCopy): CopyOutcome {
  if (copy.parsed.newerVersion) {
    throw new EngramError('memory.invalid', 'schema_version above 2 belongs to a newer engram, which this one is not');
  }
  const { record: before, present } = copy.before.parsed;
  const saved = effectiveFileRecord(copy.parsed, { record: before, present }, copy.bytes.at(-1) === LF);
  let clashes: readonly Clash[] = [];
  const outcome = saveChange(context, name, [], (record) => {
    const merged = mergeRecords(before, saved, record);
    clashes = merged.clashes;
    const changed = { ...merged.record, needs_review: false };
    validateRecord(changed);
    const events = countsOf(name, merged, context.clock());
    return { record: changed, events, savedByPerson: true, copy, clashes };
  });
  const base = findBase(context.store.db, name);
  const textKept = copy.parsed.variant === 'M1' || base === null || isLaidOutAs(copy, base.record, base.bytes);
  return { ...outcome, textKept, clashes: clashes.map((clash) => clash.field) };
}

const LF = 10;

/** Pins or unpins a memory by a person's decision (MF-43). */
export function setPinned(context: SyncContext, name: MemoryName, pin: boolean): EditOutcome {
  return saveChange(context, name, ['core', 'core_origin'], (record) => {
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
  decides: readonly RecordKey[],
  changeOf: (record: MemoryRecord) => OwnChange,
): EditOutcome {
  requireWritableRoot(context);
  let saved: MemoryRecord | null = null;
  let lint: readonly LintFinding[] = [];
  const result = inSection(context, name, {
    wanted: {
      countsOnly: false,
      decides,
      change: (record) => {
        const own = changeOf(record);
        saved = own.record;
        lint = lintChange(record, own.record);
        return own;
      },
    },
  });
  if (saved === null) throw new EngramError('memory.not-found', `${name} is not there any more`);
  return { name, changed: result.outcome === 'written' || result.outcome === 'created', record: saved, lint };
}

function lintChange(before: MemoryRecord, { situation, action }: MemoryRecord): readonly LintFinding[] {
  return situation === before.situation && action === before.action ? [] : lintSituation(situation, action);
}

function decidedBy({ scope, ...fields }: EditedFields): RecordKey[] {
  const named = RECORD_KEYS.filter((key) => key in fields);
  const scopeKeys: RecordKey[] = scope === undefined ? [] : scope === null ? ['project_scoped'] : SCOPE_KEYS;
  return [...named, ...scopeKeys];
}

const SCOPE_KEYS: RecordKey[] = ['project_scoped', 'project_slug'];

function withFields(record: MemoryRecord, { scope, ...fields }: EditedFields): MemoryRecord {
  const scoped =
    scope === undefined ? {} : { project_scoped: scope !== null, ...(scope === null ? {} : { project_slug: scope }) };
  return { ...record, ...trimmed(fields), ...scoped, needs_review: false };
}

function trimmed<T extends Record<string, unknown>>(fields: T): T {
  const entries = Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value]);
  return Object.fromEntries(entries) as T;
}
