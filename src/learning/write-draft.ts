import { EngramError } from '../errors.ts';
import { exactKey } from '../memory/exact-key.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { directoryOfType, type MemoryName, memoryName, recordSlug } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { findRow } from '../store/memories.ts';
import { findByRecordKey } from '../store/record-keys.ts';
import type { SyncContext } from '../sync/context.ts';
import { type CreateOptions, createMemory } from '../sync/create-memory.ts';
import { inSection } from '../sync/section.ts';
import type { Draft } from './draft.ts';
import { removeMemory } from './forget.ts';
import { requireWritableRoot } from './writable-root.ts';

/** Fields that do not make a memory another one (SE-53): of two with the same situation and action they may differ. */
const BESIDE_THE_KEY = ['situation', 'behavior', 'impact', 'source'] as const;
type DraftField = (typeof BESIDE_THE_KEY)[number] | 'confidence';

/** What the write path made of a draft. */
export type WriteOutcome =
  | { readonly kind: 'created'; readonly name: MemoryName; readonly record: MemoryRecord }
  /** The same was known already; nothing was written (SE-53). */
  | {
      readonly kind: 'duplicate';
      readonly name: MemoryName;
      readonly deduplicated: true;
      /** Fields of the draft that the known memory says otherwise; they were not taken over. */
      readonly differs: readonly DraftField[];
    }
  | {
      readonly kind: 'superseded';
      /** The new memory, or the one that said the same before. */
      readonly name: MemoryName;
      readonly record: MemoryRecord;
      /** Archived, with a link to the new one. */
      readonly archived: readonly MemoryName[];
      /** Still live: archiving them failed, for this reason. */
      readonly stillLive: readonly { readonly name: MemoryName; readonly reason: string }[];
    };

const MOST_SUFFIXES = 10_000;
const MOST_LOOKS = 5;

/**
 * The one write path of new memories (D11): look for an exact duplicate, write file and row; then archive what the new one
 * supersedes, in that order, so that a failure between leaves both live and reported (SE-56). The same call again finishes
 * what was left.
 *
 * @param record - what `draftRecord` makes of `draft`
 * @param supersedes - memories to archive once the new one is written
 * @throws EngramError `lock.timeout`, `disk.full`, `file.write`, `database.busy`
 */
export function writeDraft(
  context: SyncContext,
  draft: Draft,
  record: MemoryRecord,
  supersedes: readonly MemoryName[],
): WriteOutcome {
  requireWritableRoot(context);
  const saved = createDraft(context, record);
  if (saved === null) throw contended(record);
  const { name } = saved;
  const old = [...new Set(supersedes)].filter((each) => each !== name);
  if (old.length > 0) {
    const live = saved.kind === 'created' ? record : (findBase(context.store.db, name)?.record ?? record);
    return { kind: 'superseded', name, record: live, ...archiveOld(context, name, old) };
  }
  if (saved.kind === 'created') return { kind: 'created', name, record };
  const differs = differingFields(draft, record, findBase(context.store.db, name)?.record ?? record);
  return { kind: 'duplicate', name, deduplicated: true, differs };
}

/**
 * Writes file and row of a new memory, unless the same is known (SE-53).
 *
 * @returns null when `stillNew` says no: it has to be compared again
 * @throws EngramError as `writeDraft`
 */
export function createDraft(
  context: SyncContext,
  record: MemoryRecord,
  options: CreateOptions = {},
): { readonly kind: 'created' | 'duplicate'; readonly name: MemoryName } | null {
  requireWritableRoot(context);
  const known = knownAs(context, record);
  return known === null ? createUnderFreeName(context, record, options) : { kind: 'duplicate', name: known };
}

/** What the draft gives and the known memory says otherwise. For feedback, the situation is part of the key. */
function differingFields(draft: Draft, given: MemoryRecord, known: MemoryRecord): DraftField[] {
  const texts = BESIDE_THE_KEY.filter((key) => key !== 'situation' || given.type === 'fact');
  const differing: DraftField[] = texts.filter((key) => given[key] !== known[key] && (given[key] ?? '') !== '');
  return draft.confidence !== undefined && draft.confidence !== known.initial_confidence
    ? [...differing, 'confidence']
    : differing;
}

/** The memory that says the same. One that is being created at this moment counts once its file is there. */
function knownAs(context: SyncContext, record: MemoryRecord): MemoryName | null {
  const { db } = context.store;
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    const name = findByRecordKey(db, exactKey(record));
    if (name === null || findRow(db, name) !== null) return name;
    // Waits for its lock, and settles what a process that died there has left.
    inSection(context, name, {});
  }
  return null;
}

function createUnderFreeName(
  context: SyncContext,
  record: MemoryRecord,
  options: CreateOptions,
): ReturnType<typeof createDraft> {
  let looks = 0;
  for (let suffix = 1; suffix <= MOST_SUFFIXES; suffix += 1) {
    const name = memoryName(directoryOfType(record.type), recordSlug(record, suffix));
    const creation = createMemory(context, name, record, options);
    if (creation.kind === 'created') return { kind: 'created', name };
    if (creation.kind === 'overtaken') return null;
    if (creation.kind === 'duplicate') {
      const known = knownAs(context, record);
      if (known !== null) return { kind: 'duplicate', name: known };
      if (++looks === MOST_LOOKS) break;
      // Its creation came to nothing: the same name once more.
      suffix -= 1;
    }
  }
  throw contended(record);
}

function contended(record: MemoryRecord): EngramError {
  return new EngramError('write.contended', `no name like ${recordSlug(record)} could be had`, { hint: 'Try again.' });
}

function archiveOld(context: SyncContext, successor: MemoryName, names: readonly MemoryName[]) {
  const archived: MemoryName[] = [];
  const stillLive: { name: MemoryName; reason: string }[] = [];
  for (const name of names) {
    try {
      removeMemory(context, name, { origin: 'superseded', goneTo: successor });
      archived.push(name);
    } catch (error) {
      if (!(error instanceof EngramError)) throw error;
      stillLive.push({ name, reason: error.message });
    }
  }
  return { archived, stillLive };
}
