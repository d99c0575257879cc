import { EngramError } from '../errors.ts';
import { exactKey } from '../memory/exact-key.ts';
import type { MemoryName } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import { resolveName } from '../store/name-lookup.ts';
import { findByRecordKey } from '../store/record-keys.ts';
import { translated } from '../store/sqlite-errors.ts';
import type { SyncContext } from '../sync/context.ts';
import { withoutOwnOutput } from '../text/own-output.ts';
import { answeredBefore, keepAnswer } from './answered-before.ts';
import {
  findNearTwins,
  findRelated,
  type LearnScope,
  type LearnSearch,
  type NearTwin,
  type RelatedMemory,
} from './candidates.ts';
import { type Draft, draftRecord } from './draft.ts';
import { learnUnasked, type UnaskedOptions, type UnaskedOutcome } from './learn-unasked.ts';
import { type LintFinding, lintSituation } from './lint.ts';
import { requireWritableRoot } from './writable-root.ts';
import { type WriteOutcome, writeDraft } from './write-draft.ts';

/** What was found out about a draft besides what became of it. */
interface Findings {
  /** Memories it has to do with (SE-52); what was confirmed stands first. */
  readonly related: readonly RelatedMemory[];
  /** What makes its situation hard to recognise in time (SE-57). */
  readonly lint: readonly LintFinding[];
  /** Fields out of which text was left that engram itself had printed (SE-58). */
  readonly leftOut: readonly string[];
  readonly degraded: readonly string[];
}

/** What became of a draft. */
export type LearnOutcome =
  | (Extract<WriteOutcome, { kind: 'created' }> & Findings)
  | Extract<WriteOutcome, { kind: 'duplicate' }>
  | (Extract<WriteOutcome, { kind: 'superseded' }> & Findings & { readonly nearTwins: readonly NearTwin[] })
  /** Nothing was written: a live memory says the same, or the opposite, and a person has to decide (SE-52). */
  | ({
      readonly kind: 'needs_confirmation';
      /** The first of `matches`. */
      readonly name: MemoryName;
      readonly relation: 'same' | 'opposite';
      readonly matches: readonly (RelatedMemory & { readonly nearTwins: readonly NearTwin[] })[];
    } & Findings);

export interface LearnOptions {
  /** The present project, and memories that are not there any more. */
  readonly scope: LearnScope;
  /** In every project instead of the present one alone (D11). */
  readonly everywhere?: boolean;
  /** Names of memories to archive once the new one is written; naming one answers `needs_confirmation`. */
  readonly supersedes?: readonly string[];
  /** Writes the new memory beside those that say the same or the opposite. */
  readonly keepBoth?: boolean;
  /** Predicates of facts that have one object at a time, separated by blanks. */
  readonly singleValued?: string;
  /** A repeated call with the same key gets the same answer (SE-53). */
  readonly idempotencyKey?: string;
}

export type LearnUnaskedOptions = UnaskedOptions & Pick<LearnOptions, 'everywhere'>;

/**
 * Learns a draft (D11): leaves out what engram itself printed, validates, looks for the same and for contradictions, then
 * writes. Acts alone on an exact duplicate; what seems to be the same or the opposite is for a person to confirm (SE-52),
 * or with `unasked` goes by a table (AG-46).
 *
 * @throws EngramError `memory.invalid` naming the key; `memory.not-found` for what is to be superseded; `usage` for a key of
 * another draft; `lock.timeout`, `disk.full`, `file.write`, `database.*`
 */
export async function learn(
  context: SyncContext,
  search: LearnSearch,
  given: Draft,
  options: LearnOptions & { readonly unasked?: undefined },
): Promise<LearnOutcome>;
export async function learn(
  context: SyncContext,
  search: LearnSearch,
  given: Draft,
  options: LearnUnaskedOptions,
): Promise<UnaskedOutcome>;
export async function learn(
  context: SyncContext,
  search: LearnSearch,
  given: Draft,
  options: (LearnOptions & { readonly unasked?: undefined }) | LearnUnaskedOptions,
): Promise<LearnOutcome | UnaskedOutcome> {
  const { draft, leftOut } = ownWords(given);
  const { everywhere = false, scope, idempotencyKey } = options;
  const record = draftRecord(draft, { project: scope.project.name, everywhere }, context.clock());
  requireWritableRoot(context);
  if (options.unasked !== undefined) return learnUnasked(context, search, record, options);
  const { keepBoth = false } = options;
  const { store } = context;
  const asked =
    idempotencyKey === undefined ? null : { key: idempotencyKey, record, supersedes: options.supersedes ?? [] };
  const before = asked === null ? null : translated(() => answeredBefore(store.db, asked));
  if (before !== null) return before;
  const supersedes = translated(() => (options.supersedes ?? []).map((text) => resolveName(store.db, text)));
  const lint = lintSituation(record.situation, record.action);
  // The exact key decides alone; the write path looks again, inside.
  const isKnown = translated(() => findByRecordKey(store.db, exactKey(record))) !== null;
  const { memories, degraded } = isKnown
    ? NOTHING_RELATED
    : await findRelated(search, record, scope, options.singleValued);
  const findings = { related: memories, lint, leftOut, degraded };
  // One that was written just now, by somebody who says the same at this moment, is an exact duplicate all the same.
  const isTwice = memories.some((memory) => exactKey(memory.record) === exactKey(record));
  const claims = isTwice ? [] : memories.filter(isClaim);
  const [first] = claims;
  if (first !== undefined && !keepBoth && supersedes.length === 0) {
    const matches = await Promise.all(
      claims.map(async (claim) => ({ ...claim, nearTwins: await findNearTwins(search, claim, scope) })),
    );
    const related = memories.filter((memory) => !isClaim(memory));
    return { kind: 'needs_confirmation', name: first.name, relation: first.relation, matches, ...findings, related };
  }
  const nearTwins = await nearTwinsOf(context, search, supersedes, scope);
  const written = translated(() => writeDraft(context, draft, record, supersedes));
  const outcome = withFindings(written, findings, nearTwins);
  if (asked !== null) keepAnswer(store, asked, outcome, context.clock());
  return outcome;
}

const NOTHING_RELATED = { memories: [], degraded: [] };

const isClaim = (memory: RelatedMemory): memory is RelatedMemory & { readonly relation: 'same' | 'opposite' } =>
  memory.relation !== 'related';

function withFindings(written: WriteOutcome, findings: Findings, nearTwins: readonly NearTwin[]): LearnOutcome {
  if (written.kind === 'duplicate') return written;
  if (written.kind === 'created') return { ...written, ...findings };
  const related = findings.related.filter(({ name }) => !written.archived.includes(name));
  const twins = nearTwins.filter(({ name }) => name !== written.name);
  return { ...written, ...findings, related, nearTwins: twins };
}

/** The near twins of what is about to be archived, each once, without those that go too. */
async function nearTwinsOf(
  { store }: SyncContext,
  search: LearnSearch,
  old: readonly MemoryName[],
  scope: LearnScope,
): Promise<NearTwin[]> {
  const best = new Map<MemoryName, NearTwin>();
  for (const name of old) {
    const record = translated(() => findBase(store.db, name)?.record);
    if (record === undefined) continue;
    for (const twin of await findNearTwins(search, { name, record }, scope)) {
      if (!old.includes(twin.name) && twin.relevance > (best.get(twin.name)?.relevance ?? 0)) best.set(twin.name, twin);
    }
  }
  return [...best.values()].sort((a, b) => b.relevance - a.relevance);
}

const TEXT_KEYS = ['situation', 'behavior', 'impact', 'action', 'subject', 'predicate', 'object'] as const;

/** @throws EngramError `memory.invalid` for a field in which nothing else stands */
function ownWords(given: Draft): { readonly draft: Draft; readonly leftOut: readonly string[] } {
  const changed = TEXT_KEYS.flatMap((key) => {
    const text = given[key];
    const own = text === undefined ? text : withoutOwnOutput(text);
    return own === undefined || own === text ? [] : [{ key, own }];
  });
  for (const { key, own } of changed) {
    if (own !== '') continue;
    throw new EngramError('memory.invalid', `${key} holds nothing but what engram itself printed`, {
      hint: 'Say it in words of your own.',
    });
  }
  const draft = { ...given, ...Object.fromEntries(changed.map(({ key, own }) => [key, own])) };
  return { draft, leftOut: changed.map(({ key }) => key) };
}
