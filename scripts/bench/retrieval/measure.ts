import type { Embedder } from '../../../src/search/embed/embedder.ts';
import { visibleJson } from '../../../src/text/visible.ts';
import { type Arm, openRankedStore, type RankedStore, type Ranking } from './rank.ts';
import type { Question, RetrievalSet } from './sets.ts';
import { auroc, average, type Estimate, mean, percentile, share } from './statistics.ts';

/** What was found for one question by one arm; the raw material of every figure. */
export interface Trial {
  /** Position of the first right document, from 1; null when none of the first ten is right. */
  readonly firstRight: number | null;
  /** Share of the right documents among the first five. */
  readonly recall5: number;
  readonly top: number;
}

export interface ArmTrials {
  readonly queries: readonly Trial[];
  readonly noMatch: readonly Trial[];
  /** Position of the forbidden document of each pair, null when it is not among the first ten. */
  readonly forbidden: readonly (number | null)[];
}

/** How the two policies answer, and what that costs. */
export interface PolicyTrials {
  readonly querySilent: readonly boolean[];
  readonly falseQuery: readonly boolean[];
  readonly falseSurface: readonly boolean[];
  readonly rightSurface: readonly boolean[];
  readonly latenciesMs: readonly number[];
  readonly bytes: readonly number[];
}

export interface SetTrials {
  readonly name: string;
  readonly arms: Readonly<Record<Arm, ArmTrials>>;
  readonly policies: PolicyTrials;
}

export const ARMS = ['fused', 'words', 'meaning', 'fine', 'baseline'] as const satisfies readonly Arm[];

/** Asks every question of a set by every arm and both policies. */
export async function tryOut(set: RetrievalSet, embedder: Embedder | null): Promise<SetTrials> {
  const perArm = () => ({ queries: [] as Trial[], noMatch: [] as Trial[], forbidden: [] as (number | null)[] });
  const arms = { fused: perArm(), words: perArm(), meaning: perArm(), fine: perArm(), baseline: perArm() };
  const policies = {
    querySilent: [],
    falseQuery: [],
    falseSurface: [],
    rightSurface: [],
    latenciesMs: [],
    bytes: [],
  } as MutablePolicies;
  for (const [group, documents] of set.groups) {
    using store = await openRankedStore(documents, { embedder });
    const ofGroup = <T extends { group: string }>(all: readonly T[]) => all.filter((one) => one.group === group);
    const questions = [...ofGroup(set.queries), ...ofGroup(set.noMatch), ...ofGroup(set.forbidden)];
    await store.prepare(questions.map(({ text }) => text));
    for (const arm of ARMS) {
      const ask = (question: Question) => trial(store.rank(arm, question.text), question);
      arms[arm].queries.push(...ofGroup(set.queries).map(ask));
      arms[arm].noMatch.push(...ofGroup(set.noMatch).map(ask));
      for (const pair of ofGroup(set.forbidden))
        arms[arm].forbidden.push(place(store.rank(arm, pair.text), pair.mustNot));
    }
    askPolicies(store, ofGroup(set.queries), ofGroup(set.noMatch), policies);
  }
  return { name: set.name, arms, policies };
}

/** The figures of SE-64 for one arm. */
export function armFigures({ queries, noMatch, forbidden }: ArmTrials): Record<string, Estimate> {
  const within = (most: number) => (trial: Trial) => trial.firstRight !== null && trial.firstRight <= most;
  const figures: Record<string, Estimate> = {
    hit1: share(queries.map(within(1))),
    hit5: share(queries.map(within(5))),
    mrr10: mean(reciprocalRanks(queries)),
    recall5: mean(queries.map((one) => one.recall5)),
    auroc: auroc(
      queries.map((one) => one.top),
      noMatch.map((one) => one.top),
    ),
  };
  if (forbidden.length === 0) return figures;
  const violated = (most: number) => share(forbidden.map((at) => at !== null && at <= most));
  return { ...figures, must_not1: violated(1), must_not5: violated(5) };
}

/** The figures of both policies. Latency is warm, in milliseconds. */
export function policyFigures(policies: PolicyTrials): Record<string, Estimate | number> {
  return {
    answered_nothing: share(policies.querySilent),
    false_query: share(policies.falseQuery),
    false_surface: share(policies.falseSurface),
    surfaced_right: share(policies.rightSurface),
    latency_p50_ms: percentile(policies.latenciesMs, 0.5),
    latency_p95_ms: percentile(policies.latenciesMs, 0.95),
    bytes: Math.round(average(policies.bytes)),
  };
}

export function reciprocalRanks(trials: readonly Trial[]): number[] {
  return trials.map(({ firstRight }) => (firstRight === null ? 0 : 1 / firstRight));
}

const DEPTH = 10;
type MutablePolicies = { -readonly [Key in keyof PolicyTrials]: PolicyTrials[Key][number][] };

function trial(ranking: Ranking, { right }: Question): Trial {
  const first = ranking.slice(0, DEPTH).findIndex(({ id }) => right.has(id));
  const found = ranking.slice(0, 5).filter(({ id }) => right.has(id)).length;
  return {
    firstRight: first === -1 ? null : first + 1,
    recall5: right.size === 0 ? 0 : found / Math.min(right.size, 5),
    top: ranking[0]?.score ?? 0,
  };
}

function place(ranking: Ranking, id: string): number | null {
  const at = ranking.slice(0, DEPTH).findIndex((one) => one.id === id);
  return at === -1 ? null : at + 1;
}

function askPolicies(
  store: RankedStore,
  queries: readonly Question[],
  noMatch: readonly Question[],
  into: MutablePolicies,
): void {
  for (const { text, right } of queries) {
    const startedMs = performance.now();
    const answer = store.answer('query', text);
    into.latenciesMs.push(performance.now() - startedMs);
    into.querySilent.push(answer.hits.length === 0);
    into.bytes.push(visibleJson(answer).length);
    into.rightSurface.push(store.answer('surface', text).hits.some((hit) => right.has(store.idOf(hit))));
  }
  for (const { text } of noMatch) {
    into.falseQuery.push(store.answer('query', text).hits.length > 0);
    into.falseSurface.push(store.answer('surface', text).hits.length > 0);
  }
}
