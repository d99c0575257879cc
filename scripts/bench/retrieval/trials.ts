import type { MemoryRecord } from '../../../src/memory/record.ts';
import { openBuiltIn } from '../../../src/search/embed/built-in.ts';
import type { Embedder } from '../../../src/search/embed/embedder.ts';
import { visibleJson } from '../../../src/text/visible.ts';
import { type Found, openSetStore, type SetStore } from './set-store.ts';
import type { Question, RetrievalSet } from './sets.ts';
import { type SurfaceTrial, surfaceTrial } from './surface.ts';

export const ARMS = ['fused', 'words', 'meaning', 'fine', 'baseline'] as const;
export type Arm = (typeof ARMS)[number];

/** What one arm found for one question. */
export interface ArmTrial {
  /** Position of the first right document, from 1; null when none of the first ten is right. */
  readonly firstRight: number | null;
  /** Share of the right documents among the first five. */
  readonly recall5: number;
  /** Score of the first document, right or wrong; 0 without one. */
  readonly top: number;
  /** Position of the document that must not come; null when it is not among the first ten. */
  readonly forbidden: number | null;
}

/** What was found for one question: the raw material of every figure. */
export interface Trial {
  readonly text: string;
  readonly kind: string;
  readonly arms: Readonly<Record<Arm, ArmTrial>>;
  /** Largest relevance of whole text and sentences (SE-74). */
  readonly surfaceTop: number;
  readonly surface: SurfaceTrial;
  /** The baseline under the rules of `surface`, its scores in place of relevance. */
  readonly baselineSurface: SurfaceTrial;
  readonly answers: Answers;
}

/** How the two policies answered, and what that took. */
interface Answers {
  /** Position of the first right hit under `query`. */
  readonly firstShown: number | null;
  readonly isSilent: boolean;
  readonly surfaced: 'right' | 'wrong' | 'nothing';
  readonly queryMs: number;
  readonly surfaceMs: number;
  readonly bytes: number;
}

export interface SetTrials {
  readonly name: string;
  readonly queries: readonly Trial[];
  readonly noMatch: readonly Trial[];
  readonly forbidden: readonly Trial[];
  /** Milliseconds of `query` with embedding the question, for some of them. */
  readonly wholeMs: readonly number[];
}

export interface TrialOptions {
  /** Null: words alone. */
  readonly embedder: Embedder | null;
  /** Memories that are put into every store besides its own. */
  readonly crowd?: ReadonlyMap<string, MemoryRecord>;
  /** What is asked in place of a text. */
  readonly reworded?: (text: string) => string;
  onProgress?(done: number, total: number): void;
}

/** Asks every question of a set. */
export async function tryOut(set: RetrievalSet, options: TrialOptions): Promise<SetTrials> {
  const trials = { queries: [] as Trial[], noMatch: [] as Trial[], forbidden: [] as Trial[] };
  await eachQuestion(set, options, (store, question, side) => {
    trials[side].push(tryQuestion(store, store.find(question.text), question));
  });
  const wholeMs = options.embedder === null ? [] : await wholeTimes(trials.queries);
  return { name: set.name, ...trials, wholeMs };
}

type Side = 'queries' | 'noMatch' | 'forbidden';

/** Opens the store of each group in turn, and visits its questions. */
export async function eachQuestion(
  set: RetrievalSet,
  { embedder, crowd, reworded, onProgress }: TrialOptions,
  visit: (store: SetStore, question: Question, side: Side) => void,
): Promise<void> {
  const total = set.queries.length + set.noMatch.length + set.forbidden.length;
  let done = 0;
  for (const [group, documents] of set.groups) {
    onProgress?.(done, total);
    using store = await openSetStore(new Map([...documents, ...(crowd ?? [])]), embedder);
    const ofGroup = (all: readonly Question[]) =>
      all.filter((one) => one.group === group).map((one) => ({ ...one, text: reworded?.(one.text) ?? one.text }));
    const sides = { queries: ofGroup(set.queries), noMatch: ofGroup(set.noMatch), forbidden: ofGroup(set.forbidden) };
    await store.prepare(Object.values(sides).flatMap((questions) => questions.map(({ text }) => text)));
    for (const side of ['queries', 'noMatch', 'forbidden'] as const) {
      for (const question of sides[side]) {
        visit(store, question, side);
        onProgress?.(++done, total);
      }
    }
  }
}

function tryQuestion(store: SetStore, found: Found, question: Question): Trial {
  const { candidates } = found;
  const byScore = (scoreOf: (one: (typeof candidates)[number]) => number) =>
    candidates
      .map((one) => ({ id: one.id, score: scoreOf(one) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const baseline = store.baseline(question.text);
  const judged = (ranking: readonly { id: string; score: number }[]) => judgeRanking(ranking, question);
  return {
    text: question.text,
    kind: question.kind,
    arms: {
      fused: judged(byScore((one) => one.relevance)),
      words: judged(byScore((one) => one.arms.words ?? 0)),
      meaning: judged(byScore((one) => one.arms.meaning ?? 0)),
      fine: judged(byScore((one) => one.arms.fine ?? 0)),
      baseline: judged(baseline),
    },
    surfaceTop: Math.max(0, ...candidates.map((one) => one.passing)),
    surface: surfaceTrial(found, question.right),
    baselineSurface: surfaceTrial({ candidates: baseline.map(asContender), isThin: found.isThin }, question.right),
    answers: askPolicies(store, question),
  };
}

function asContender({ id, score }: { readonly id: string; readonly score: number }) {
  return { id, passing: score, relevance: score, hasRareIdentifier: false };
}

const DEPTH = 10;

function judgeRanking(
  ranking: readonly { readonly id: string; readonly score: number }[],
  { right, mustNot }: Question,
): ArmTrial {
  const ids = ranking.slice(0, DEPTH).map(({ id }) => id);
  const found = ids.slice(0, 5).filter((id) => right.has(id)).length;
  return {
    firstRight: placeOf(ids, (id) => right.has(id)),
    recall5: right.size === 0 ? 0 : found / Math.min(right.size, 5),
    top: ranking[0]?.score ?? 0,
    forbidden: placeOf(ids, (id) => id === mustNot),
  };
}

function placeOf(ids: readonly string[], isMeant: (id: string) => boolean): number | null {
  const at = ids.findIndex(isMeant);
  return at === -1 ? null : at + 1;
}

function askPolicies(store: SetStore, { text, right }: Question): Answers {
  const [query, queryMs] = timedAnswer(() => store.answer('query', text));
  const [surface, surfaceMs] = timedAnswer(() => store.answer('surface', text));
  const isRight = surface.hits.some((hit) => right.has(store.idOf(hit)));
  return {
    firstShown: placeOf(query.hits.map(store.idOf), (id) => right.has(id)),
    isSilent: query.hits.length === 0,
    surfaced: surface.hits.length === 0 ? 'nothing' : isRight ? 'right' : 'wrong',
    queryMs,
    surfaceMs,
    bytes: Buffer.byteLength(visibleJson(query)),
  };
}

function timedAnswer<T>(ask: () => T): [T, number] {
  const startedMs = performance.now();
  const answer = ask();
  return [answer, performance.now() - startedMs];
}

/** Questions of a set whose embedding is timed. */
const TIMED = 60;

/** One text at a time on this thread, as a question is embedded. */
async function wholeTimes(trials: readonly Trial[]): Promise<number[]> {
  const embedder = openBuiltIn();
  await embedder.embed(['to begin with'], 'query');
  const every = Math.max(1, Math.floor(trials.length / TIMED));
  const times: number[] = [];
  for (const { text, answers } of trials.filter((_, at) => at % every === 0)) {
    const startedMs = performance.now();
    await embedder.embed([text], 'query');
    times.push(performance.now() - startedMs + answers.queryMs);
  }
  return times;
}
