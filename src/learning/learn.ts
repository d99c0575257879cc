import { EngramError } from '../errors.ts';
import { exactKey } from '../memory/exact-key.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { directoryOfType, type MemoryName, memoryName, recordSlug } from '../memory/slug.ts';
import { findByRecordKey } from '../store/record-keys.ts';
import type { SyncContext } from '../sync/context.ts';
import { createMemory } from '../sync/create-memory.ts';
import { type Draft, type DraftScope, draftRecord } from './draft.ts';
import { removeMemory } from './forget.ts';

export type LearnOutcome =
  | { readonly kind: 'created'; readonly name: MemoryName; readonly record: MemoryRecord }
  /** The same was known already; nothing was written (SE-53). */
  | { readonly kind: 'duplicate'; readonly name: MemoryName; readonly deduplicated: true }
  | {
      readonly kind: 'superseded';
      readonly name: MemoryName;
      readonly record: MemoryRecord;
      /** Archived, with a link to the new one. */
      readonly archived: readonly MemoryName[];
      /** Still live: archiving them failed, for this reason. */
      readonly stillLive: readonly { readonly name: MemoryName; readonly reason: string }[];
    };

const MOST_SUFFIXES = 10_000;

/**
 * The one write path of new memories (D11): validate, look for an exact duplicate, write file and row; then archive what
 * the new one supersedes, in that order, so that a failure between leaves both live and reported (SE-56).
 *
 * @throws EngramError `memory.invalid` naming the key; `lock.timeout`, `disk.full`, `file.write`, `database.busy`
 */
export function learn(
  context: SyncContext,
  draft: Draft,
  options: { readonly scope: DraftScope; readonly supersedes?: readonly MemoryName[] },
): LearnOutcome {
  const record = draftRecord(draft, options.scope, context.clock());
  const supersedes = options.supersedes ?? [];
  const known = findByRecordKey(context.store.db, exactKey(record));
  if (known !== null) return { kind: 'duplicate', name: known, deduplicated: true };
  const created = createUnderFreeName(context, record);
  if (created.kind === 'duplicate') return { kind: 'duplicate', name: created.name, deduplicated: true };
  if (supersedes.length === 0) return { kind: 'created', name: created.name, record };
  return { kind: 'superseded', name: created.name, record, ...archiveOld(context, created.name, supersedes) };
}

function createUnderFreeName(
  context: SyncContext,
  record: MemoryRecord,
): { readonly kind: 'created' | 'duplicate'; readonly name: MemoryName } {
  for (let suffix = 1; suffix <= MOST_SUFFIXES; suffix += 1) {
    const name = memoryName(directoryOfType(record.type), recordSlug(record, suffix));
    const creation = createMemory(context, name, record);
    if (creation.kind === 'created') return { kind: 'created', name };
    if (creation.kind === 'duplicate') return { kind: 'duplicate', name: creation.of };
  }
  throw new EngramError('memory.exists', `no free name like ${recordSlug(record)}`, {
    hint: 'Word the situation differently.',
  });
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
