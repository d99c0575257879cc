import { EngramError } from '../errors.ts';
import { exactKey } from '../memory/exact-key.ts';
import { type MemoryRecord, RECORD_KEYS, type RecordKey } from '../memory/record.ts';
import { directoryOfType, type MemoryName } from '../memory/slug.ts';
import { validateRecord } from '../memory/validate.ts';
import { findContradiction } from '../store/conflicts.ts';
import { findLearnAnswer, keepLearnAnswer } from '../store/learn-answers.ts';
import { findByRecordKey } from '../store/record-keys.ts';
import { translated } from '../store/sqlite-errors.ts';
import { textMark } from '../store/text-mark.ts';
import { immediately } from '../store/transaction.ts';
import type { LearnedWith } from '../sync/commit.ts';
import type { SyncContext } from '../sync/context.ts';
import { inSection } from '../sync/section.ts';
import { contentHash } from '../text/content-hash.ts';
import { findRelated, type LearnScope, type LearnSearch } from './candidates.ts';
import { type Claim, type LearnedPlan, planLearned } from './plan-learned.ts';
import { createDraft } from './write-draft.ts';
import { othersToFinish } from './writers-at-work.ts';

/** What became of something that was learned without asking anybody (AG-46). */
export type UnaskedOutcome =
  | { readonly kind: 'duplicate'; readonly name: MemoryName }
  | { readonly kind: 'created' | 'replaced'; readonly name: MemoryName; readonly record: MemoryRecord }
  /** Both are kept, and a person decides: `engram conflicts resolve`. */
  | {
      readonly kind: 'conflict';
      readonly name: MemoryName;
      readonly record: MemoryRecord;
      readonly other: Pick<Claim, 'name' | 'record'>;
      readonly conflictId: number;
    };

export interface UnaskedOptions {
  readonly scope: LearnScope;
  readonly singleValued?: string;
  /** The same key gives the same answer, whatever died in between (AG-10). One key for each draft. */
  readonly idempotencyKey?: string;
  readonly unasked: {
    /** No record whose source is the user is replaced (AG-40). */
    readonly sparesUserRecords?: boolean;
    /** Another view of two memories: it may say that they are different after all (AG-45). Asked outside of any lock. */
    readonly relation?: (a: MemoryRecord, b: MemoryRecord) => Promise<'same' | 'opposite' | 'different' | null>;
  };
}

/** Somebody else writes between a look and its write; after so many looks the exact key alone is checked. */
const MOST_LOOKS = 8;

/**
 * Learns a record by the table of AG-46: nobody is asked. What it was compared with is checked again in the transaction
 * that reserves its key, and else compared anew (AG-47). Memory, conflict and answer are stored together.
 *
 * @throws EngramError `lock.timeout`, `write.contended`, `disk.full`, `file.write`, `database.*`
 */
export async function learnUnasked(
  context: SyncContext,
  search: LearnSearch,
  record: MemoryRecord,
  options: UnaskedOptions,
): Promise<UnaskedOutcome> {
  const call: Call = { context, record, key: options.idempotencyKey ?? null };
  const mustStay = new Set<MemoryName>();
  const { sparesUserRecords = false } = options.unasked;
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    await othersToFinish(context, directoryOfType(record.type));
    const before = unaskedAnswer(context, call.key);
    if (before !== null) return before;
    const mark = translated(() => textMark(context.store.db));
    const claims = await claimsAbout(search, record, options);
    const plan = planLearned(record, claims, { sparesUserRecords, mustStay });
    const stillNew = () => look === MOST_LOOKS || textMark(context.store.db) === mark;
    const outcome = translated(() => carryOut(call, plan, claims, { stillNew, mustStay }));
    if (outcome !== null) return outcome;
  }
  throw new EngramError('write.contended', 'other processes kept changing what this is compared with', {
    hint: 'Try again.',
  });
}

interface Call {
  readonly context: SyncContext;
  readonly record: MemoryRecord;
  readonly key: string | null;
}

async function claimsAbout(search: LearnSearch, record: MemoryRecord, options: UnaskedOptions): Promise<Claim[]> {
  const { memories } = await findRelated(search, record, options.scope, options.singleValued);
  const claims = memories.flatMap(({ name, relation, record }) =>
    relation === 'related' ? [] : [{ name, relation, record }],
  );
  const exact = claims.find((claim) => exactKey(claim.record) === exactKey(record));
  if (exact !== undefined) return [exact];
  const views = await Promise.all(claims.map((claim) => options.unasked.relation?.(record, claim.record)));
  return claims.filter((_, at) => views[at] !== 'different');
}

interface Checks {
  readonly stillNew: () => boolean;
  readonly mustStay: Set<MemoryName>;
}

/** Null: something changed meanwhile, it is to be compared again. */
function carryOut(call: Call, plan: LearnedPlan, claims: readonly Claim[], checks: Checks): UnaskedOutcome | null {
  if (plan.kind === 'known') return kept(call, { kind: 'duplicate', name: plan.name });
  return plan.kind === 'add' ? add(call, plan, checks) : replace(call, plan, claims, checks);
}

function add(
  call: Call,
  { record, contradicts }: Extract<LearnedPlan, { kind: 'add' }>,
  { stillNew }: Checks,
): UnaskedOutcome | null {
  const { context } = call;
  const [first] = contradicts;
  const field = record.type === 'feedback' ? ('action' as const) : ('object' as const);
  const stored = (name: MemoryName): UnaskedOutcome =>
    first === undefined
      ? { kind: 'created', name, record }
      : { kind: 'conflict', name, record, other: { name: first.name, record: first.record }, conflictId: 0 };
  const learned = (name: MemoryName): LearnedWith => ({
    contradicts: contradicts.map((claim) => ({ other: claim.name, field })),
    answer: answerTo(call, stored(name)),
  });
  const written = createDraft(context, record, { learned, stillNew });
  if (written === null) return null;
  if (written.kind === 'duplicate') {
    // It may be what this very call wrote before it died.
    return answeredBefore(call) ?? kept(call, { kind: 'duplicate', name: written.name });
  }
  const id = first === undefined ? null : findContradiction(context.store.db, written.name, first.name);
  return withConflict(stored(written.name), id);
}

function replace(
  call: Call,
  { name, record: next }: Extract<LearnedPlan, { kind: 'replace' }>,
  claims: readonly Claim[],
  { stillNew, mustStay }: Checks,
): UnaskedOutcome | null {
  const { context } = call;
  const seen = claims.find((claim) => claim.name === name)?.record;
  if (seen === undefined) return null;
  let outcome: UnaskedOutcome | null = null;
  const change = (now: MemoryRecord) => {
    outcome = null;
    if (COMPARED.some((key) => now[key] !== seen[key])) return null;
    const record = { ...now, ...Object.fromEntries(REPLACED.map((key) => [key, next[key]])) };
    validateRecord(record);
    const { db } = context.store;
    const holder = findByRecordKey(db, exactKey(record));
    if (holder !== null && holder !== name) {
      // Another memory says it already: two of the same would be left.
      mustStay.add(name);
      return null;
    }
    outcome = { kind: 'replaced', name, record };
    const learned = { contradicts: [], answer: answerTo(call, outcome) };
    return { record, events: [], learned, stillAllowed: stillNew };
  };
  try {
    inSection(context, name, { wanted: { countsOnly: false, decides: REPLACED, change } });
  } catch (error) {
    if (!(error instanceof EngramError) || !CANNOT_BE_WRITTEN.has(error.code)) throw error;
    mustStay.add(name);
    return null;
  }
  return outcome;
}

/** What the table looks at: when one of these is another than it was, it has to be looked at again. */
const COMPARED = RECORD_KEYS.filter((key) => !/_count$|_at$|^extra$|^schema_version$|^needs_review$/.test(key));
const REPLACED: readonly RecordKey[] = ['behavior', 'impact', 'action', 'object', 'source', 'initial_confidence'];
/** The old memory stays then, and the conflict says so. */
const CANNOT_BE_WRITTEN: ReadonlySet<string> = new Set([
  'memory.read-only',
  'memory.quarantined',
  'memory.layout',
  'memory.not-found',
  // Its other texts are no longer such as engram would write (MF-12).
  'memory.invalid',
]);

/** What the caller with this key was told, or null (AG-10). @throws EngramError `database.*` */
export function unaskedAnswer(context: SyncContext, key: string | null): UnaskedOutcome | null {
  return translated(() => answeredBefore({ context, key }));
}

function answeredBefore({ context, key }: Pick<Call, 'context' | 'key'>): UnaskedOutcome | null {
  const found = key === null ? null : findLearnAnswer(context.store.db, hashOf(key));
  return found === null ? null : withConflict(JSON.parse(found.answer) as UnaskedOutcome, found.conflictId);
}

/** One that has no contradiction left to be decided is a new memory like others. */
function withConflict(outcome: UnaskedOutcome, conflictId: number | null): UnaskedOutcome {
  if (outcome.kind !== 'conflict') return outcome;
  const { name, record } = outcome;
  return conflictId === null ? { kind: 'created', name, record } : { ...outcome, conflictId };
}

function kept(call: Call, outcome: UnaskedOutcome): UnaskedOutcome {
  const answer = answerTo(call, outcome);
  const { store } = call.context;
  if (answer !== null) immediately(store, () => keepLearnAnswer(store.db, { ...answer, conflictId: null }));
  return outcome;
}

function answerTo({ context, record, key }: Call, outcome: UnaskedOutcome): LearnedWith['answer'] {
  if (key === null) return null;
  const draftHash = exactKey(record);
  return { keyHash: hashOf(key), draftHash, answer: JSON.stringify(outcome), atMs: context.clock() };
}

/** Apart from the keys of those who are asked. */
const hashOf = (key: string): string => contentHash(`unasked ${key}`);
