import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { isSameText, readText } from './duplicates.ts';
import { replacementIn } from './facts.ts';

/** A live memory that says the same as a new one, or the opposite. */
export interface Claim {
  readonly name: MemoryName;
  readonly relation: 'same' | 'opposite';
  readonly record: MemoryRecord;
}

/** What becomes of something new that nobody is asked about. */
export type LearnedPlan =
  | { readonly kind: 'known'; readonly name: MemoryName }
  /** The old memory says `record` from now on. */
  | { readonly kind: 'replace'; readonly name: MemoryName; readonly record: MemoryRecord }
  /** `record` becomes a memory of its own; a person decides about those it contradicts, the most important first. */
  | { readonly kind: 'add'; readonly record: MemoryRecord; readonly contradicts: readonly Claim[] };

export interface PlanOptions {
  /** No record whose source is the user is replaced (AG-40). */
  readonly sparesUserRecords: boolean;
  /** Memories that cannot be replaced: their file cannot be written, or another one says the new text already. */
  readonly mustStay: ReadonlySet<MemoryName>;
}

/**
 * The table of AG-46. One memory that contradicts is replaced in place, unless it has to stay. Where several contradict,
 * all stay: which of them the new one is to replace is for a person to say.
 *
 * @param claims - the live memories that say the same or the opposite, the nearest first
 */
export function planLearned(record: MemoryRecord, claims: readonly Claim[], options: PlanOptions): LearnedPlan {
  const same = claims.find(({ relation }) => relation === 'same');
  if (same !== undefined) return { kind: 'known', name: same.name };
  const [first, ...others] = [...claims].sort((a, b) => Number(b.record.core) - Number(a.record.core));
  if (first === undefined) return { kind: 'add', record, contradicts: [] };
  const replaced = others.length > 0 || options.mustStay.has(first.name) ? null : replacing(record, first, options);
  if (replaced !== null) return { kind: 'replace', name: first.name, record: replaced };
  const added = first.record.core ? { ...record, initial_confidence: belowCore(record, first.record) } : record;
  return { kind: 'add', record: added, contradicts: [first, ...others] };
}

/** Whether a record comes from a person's own words (AG-38). */
function isFromUser({ source }: MemoryRecord): boolean {
  return /^user\b/i.test(source);
}

/** The old record with what the new one says; null where the old one has to stay. */
function replacing(record: MemoryRecord, { record: old }: Claim, options: PlanOptions): MemoryRecord | null {
  const own = record.initial_confidence ?? UNKNOWN;
  if (old.core || scopeOf(old) !== scopeOf(record) || (old.initial_confidence ?? 0) > own) return null;
  if (options.sparesUserRecords && isFromUser(old)) return null;
  const said = record.type === 'feedback' ? adviceOf(record, old) : statementOf(record);
  return said === null ? null : { ...old, ...said, source: record.source, initial_confidence: own };
}

/** Where situations are only similar, both stay (AG-45). */
function adviceOf({ situation, behavior, impact, action }: MemoryRecord, old: MemoryRecord) {
  return isSameText(readText(situation), readText(old.situation)) ? { behavior, impact, action } : null;
}

function statementOf({ predicate, object }: MemoryRecord) {
  const successor = replacementIn(predicate ?? '', object ?? '');
  return successor === null ? null : { object: successor };
}

function belowCore(record: MemoryRecord, core: MemoryRecord): number {
  const most = Math.min(record.initial_confidence ?? UNKNOWN, (core.initial_confidence ?? UNKNOWN) - 0.2);
  return Math.round(Math.max(0.1, most) * 100) / 100;
}

/** What an unknown confidence counts as (AG-16). */
const UNKNOWN = 0.7;

function scopeOf({ project_scoped, project_slug }: MemoryRecord): string | null {
  return project_scoped ? project_slug : null;
}
