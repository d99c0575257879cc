import { EngramError } from '../errors.ts';
import type { CounterKey, MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import {
  coreState,
  demoted,
  deservesDemotion,
  deservesPromotion,
  PROMOTED_CAP,
  planPromotion,
  promoted,
  surplusPromotion,
} from '../memory/tiers.ts';
import { promotionsUnderWay } from '../store/ledger.ts';
import { findRow, listPromoted } from '../store/memories.ts';
import { hasEvent } from '../store/outcomes.ts';
import type { SyncContext } from '../sync/context.ts';
import type { OwnChange } from '../sync/own-change.ts';
import { inSection } from '../sync/section.ts';
import { findSecrets, redact } from '../text/secrets.ts';
import { requireWritableRoot } from './writable-root.ts';

export const OUTCOME_KINDS = ['followed', 'not-followed', 'irrelevant', 'missed', 'surfaced'] as const;
/** What became of a memory that was shown: its advice was taken, not taken, did not fit, was missing; or it was shown. */
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

const COUNTER_OF_KIND = {
  followed: 'followed_count',
  'not-followed': 'not_followed_count',
  irrelevant: 'irrelevant_count',
  missed: 'missed_count',
  surfaced: 'surfaced_count',
} as const satisfies Record<OutcomeKind, CounterKey>;

/** One outcome to be counted. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** A repeated key counts once. */
  readonly eventKey?: string;
  readonly project?: string | null;
  /** The intent or question in which it happened. */
  readonly situation?: string;
  readonly thread?: string;
}

/** What counting an outcome did. */
export interface OutcomeResult {
  readonly name: MemoryName;
  readonly kind: OutcomeKind;
  /** False when the event key was counted before. */
  readonly counted: boolean;
  /** The file cannot be written now; the count waits in the row (SY-40). */
  readonly pending: boolean;
  readonly promoted: boolean;
  readonly demoted: readonly MemoryName[];
}

/**
 * Counts one outcome of a memory in file, row and events (D3), then looks whether it has earned or lost its place in the
 * core (MF-44 to MF-46).
 */
export function countOutcome(context: SyncContext, name: MemoryName, given: Outcome): OutcomeResult {
  requireWritableRoot(context);
  const outcome = withoutSecrets(given);
  const others: MemoryName[] = [];
  if (outcome.kind !== 'surfaced' && !wasCounted(context, outcome)) others.push(...makeRoom(context, name, outcome));
  let counted = false;
  let change: { readonly promoted: boolean; readonly demoted: boolean } = { promoted: false, demoted: false };
  const result = inSection(context, name, {
    wanted: {
      countsOnly: true,
      change: (record) => {
        const own = countedChange(context, name, record, outcome);
        counted = own !== null;
        change = {
          promoted: own?.record.core === true && !record.core,
          demoted: own?.record.core === false && record.core,
        };
        return own;
      },
    },
  });
  const { pending } = result;
  return {
    name,
    kind: outcome.kind,
    counted,
    pending,
    promoted: change.promoted,
    demoted: change.demoted ? [...others, name] : others,
  };
}

/** A situation is kept with marks in place of its secrets; a key that is one cannot be kept (D14). */
function withoutSecrets(outcome: Outcome): Outcome {
  const { eventKey, situation } = outcome;
  if (eventKey !== undefined && findSecrets(eventKey).length > 0) {
    throw new EngramError('usage', 'the key seems to hold a secret', { hint: 'Use any other text that is new.' });
  }
  return situation === undefined ? outcome : { ...outcome, situation: redact(situation) };
}

function countedChange(
  context: SyncContext,
  name: MemoryName,
  record: MemoryRecord,
  outcome: Outcome,
): OwnChange | null {
  if (wasCounted(context, outcome)) return null;
  const key = COUNTER_OF_KIND[outcome.kind];
  if (record[key] >= Number.MAX_SAFE_INTEGER) throw new EngramError('memory.invalid', `${key} is at its largest value`);
  const counted = { ...record, [key]: record[key] + 1 };
  const event = {
    name,
    kind: outcome.kind,
    delta: 1,
    origin: context.origin,
    atMs: context.clock(),
    eventKey: outcome.eventKey ?? null,
    project: outcome.project ?? null,
    situation: outcome.situation ?? null,
    thread: outcome.thread ?? null,
  };
  if (deservesDemotion(counted)) return { record: demoted(counted), events: [event] };
  const promotes = outcome.kind !== 'surfaced' && deservesPromotion(counted) && hasRoom(context, name);
  if (!promotes) return { record: counted, events: [event] };
  return { record: promoted(counted), events: [event], stillAllowed: () => hasRoom(context, name) };
}

function wasCounted({ store }: SyncContext, { eventKey }: Outcome): boolean {
  return eventKey !== undefined && hasEvent(store.db, eventKey);
}

/** Whether the cap lets one more in: rows promoted and promotions under way (MF-46). */
function hasRoom(context: SyncContext, name: MemoryName): boolean {
  const { db } = context.store;
  const present = new Set(listPromoted(db).map((entry) => entry.name));
  for (const underWay of promotionsUnderWay(db)) present.add(underWay);
  present.delete(name);
  return present.size < PROMOTED_CAP;
}

/** Demotes, in a locked write of its own, the promoted memory that a full store gives up for this one (MF-46). */
function makeRoom(context: SyncContext, name: MemoryName, outcome: Outcome): MemoryName[] {
  const { db } = context.store;
  const present = listPromoted(db);
  const surplus = surplusPromotion(present);
  if (surplus !== null) return surplus === name || !demote(context, surplus) ? [] : [surplus];
  if (outcome.kind !== 'followed') return [];
  const row = findRow(db, name);
  if (row === null) return [];
  const counts = {
    surfaced_count: row.surfaced_count ?? 0,
    followed_count: (row.followed_count ?? 0) + 1,
    not_followed_count: row.not_followed_count ?? 0,
    irrelevant_count: row.irrelevant_count ?? 0,
    missed_count: row.missed_count ?? 0,
  };
  const { core_origin } = row;
  const decided: MemoryRecord['core_origin'] = core_origin === 'auto' || core_origin === 'user' ? core_origin : null;
  const candidate = {
    core: row.core === 1,
    core_origin: decided,
    needs_review: row.needs_review === 1,
    source: row.source ?? '',
  };
  if (!deservesPromotion({ ...candidate, ...counts })) return [];
  const plan = planPromotion({ name, textUpdatedAt: row.text_updated_at }, present);
  return plan.kind === 'demote-first' && demote(context, plan.name) ? [plan.name] : [];
}

/** False when it is promoted no longer: somebody else demoted it, or a person has decided. */
function demote(context: SyncContext, name: MemoryName): boolean {
  let wasPromoted = false;
  const change = (record: MemoryRecord): OwnChange | null => {
    wasPromoted = coreState(record) === 'promoted';
    return wasPromoted ? { record: demoted(record), events: [] } : null;
  };
  try {
    inSection(context, name, { wanted: { countsOnly: false, change } });
    return wasPromoted;
  } catch (error) {
    // The count itself must not fail because another memory's file cannot be written.
    if (error instanceof EngramError) return false;
    throw error;
  }
}
