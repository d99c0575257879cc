import { type Counts, effectiveness, followRate } from './effectiveness.ts';
import type { MemoryRecord } from './record.ts';
import { type MemoryName, slugOf } from './slug.ts';
import { compareTimestamps, timestampMs } from './timestamps.ts';

/** The four rows of the table in memory-format.md section 7. */
export type CoreState = 'pinned' | 'promoted' | 'plain' | 'plain-by-decision';

export type Tier = 'core' | 'recent' | 'on-demand';

type CoreKeys = Pick<MemoryRecord, 'core' | 'core_origin'>;

/** Promoted memories a store may have (MF-46); pinned ones do not count. */
export const PROMOTED_CAP = 20;

const RECENT_MS = 7 * 24 * 60 * 60 * 1000;

/** Who decided about `core`, and which way (MF-43). */
export function coreState(record: CoreKeys): CoreState {
  if (record.core) return record.core_origin === 'auto' ? 'promoted' : 'pinned';
  return record.core_origin === null ? 'plain' : 'plain-by-decision';
}

/** The record after `pin`: core, by a person's decision (MF-43). */
export function pinned(record: MemoryRecord): MemoryRecord {
  return { ...record, core: true, core_origin: 'user' };
}

/** The record after `unpin`: not core, by a person's decision, so that it is never promoted (MF-43). */
export function unpinned(record: MemoryRecord): MemoryRecord {
  return { ...record, core: false, core_origin: 'user' };
}

/** The record after promotion (MF-43). */
export function promoted(record: MemoryRecord): MemoryRecord {
  return { ...record, core: true, core_origin: 'auto' };
}

/** The record after demotion: plain, and it may be promoted again (MF-43). */
export function demoted(record: MemoryRecord): MemoryRecord {
  return { ...record, core: false, core_origin: null };
}

/**
 * Whether outcomes have earned a memory its place in the core (MF-44); never an imported one. The cap is `planPromotion`'s business.
 *
 * @param counts - the record's counters, or where the text was replaced the sums of the events since then
 */
export function deservesPromotion(
  record: CoreKeys & Counts & Pick<MemoryRecord, 'needs_review' | 'source'>,
  counts: Counts = record,
): boolean {
  if (coreState(record) !== 'plain' || record.needs_review || isImported(record)) return false;
  return counts.surfaced_count >= 5 && (followRate(counts) ?? 0) > 0.7;
}

/** Whether a promoted memory has to leave the core (MF-45). `textReplaced`: since it was promoted. */
export function deservesDemotion(record: MemoryRecord, textReplaced = false): boolean {
  if (coreState(record) !== 'promoted') return false;
  if (textReplaced) return true;
  if (record.surfaced_count < 10) return false;
  if (record.followed_count === 0) return true;
  const outcomeCount = record.followed_count + record.not_followed_count;
  return outcomeCount >= 4 && (effectiveness(record) ?? 1) < 0.5;
}

/** A promoted memory, or a candidate, as the cap sees it. */
export interface CapEntry {
  readonly name: MemoryName;
  /** Normalised; null = unknown, which counts as the oldest. */
  readonly textUpdatedAt: string | null;
}

export type PromotionPlan =
  | { readonly kind: 'promote' }
  /** The store is full: demote this one in its own write, then ask again. */
  | { readonly kind: 'demote-first'; readonly name: MemoryName }
  /** The store is full of younger memories. */
  | { readonly kind: 'keep-plain' };

/** What the cap of 20 says to a candidate that deserves promotion (MF-46). */
export function planPromotion(candidate: CapEntry, present: readonly CapEntry[]): PromotionPlan {
  const oldest = oldestEntry(present);
  if (oldest === null || present.length < PROMOTED_CAP) return { kind: 'promote' };
  if (compareAge(candidate.textUpdatedAt, oldest.textUpdatedAt) < 0) return { kind: 'keep-plain' };
  return { kind: 'demote-first', name: oldest.name };
}

/** The memory to demote because files brought the store above the cap, or null (MF-46). Each outcome demotes one. */
export function surplusPromotion(present: readonly CapEntry[]): MemoryName | null {
  return present.length > PROMOTED_CAP ? (oldestEntry(present)?.name ?? null) : null;
}

/** Whether somebody else's text came in with it (SE-44). */
export function isImported({ source }: Pick<MemoryRecord, 'source'>): boolean {
  return source.startsWith('imported from');
}

/**
 * Whether a memory counts as core. One that needs review never does (MF-14), and an imported one only by `engram pin`: what
 * its own file says about that is somebody else's word.
 */
export function isCore(record: CoreKeys & Pick<MemoryRecord, 'needs_review' | 'source'>): boolean {
  return record.core && !record.needs_review && (!isImported(record) || record.core_origin === 'user');
}

/** What `engram context` offers first (MF-47). */
export function tierOf(
  record: CoreKeys & Pick<MemoryRecord, 'needs_review' | 'source'>,
  textUpdatedAt: string | null,
  nowMs: number,
): Tier {
  if (isCore(record)) return 'core';
  if (textUpdatedAt !== null && nowMs - timestampMs(textUpdatedAt) <= RECENT_MS) return 'recent';
  return 'on-demand';
}

function oldestEntry(entries: readonly CapEntry[]): CapEntry | null {
  let oldest: CapEntry | null = null;
  for (const entry of entries) {
    if (oldest === null || compareEntries(entry, oldest) < 0) oldest = entry;
  }
  return oldest;
}

function compareEntries(a: CapEntry, b: CapEntry): number {
  return (
    compareAge(a.textUpdatedAt, b.textUpdatedAt) ||
    compareText(slugOf(a.name), slugOf(b.name)) ||
    compareText(a.name, b.name)
  );
}

/** As `compareTimestamps`, but unknown is the oldest: what has no known age may not push out what has one. */
function compareAge(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  return compareTimestamps(a, b);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
