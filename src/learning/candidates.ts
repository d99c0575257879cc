import type { MemoryRecord, MemoryType } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { QueryAnswer } from '../search/answer.ts';
import type { QueryRequest } from '../search/query.ts';
import { relatedRequest } from '../search/related.ts';
import type { Comparison } from '../search/sim.ts';
import { matchedSituation } from '../text/normalise.ts';
import type { Blocker } from './blockers.ts';
import { NEAR, type Relation, relationOf, type Similarities } from './relation.ts';

/** What learning asks of the search. */
export interface LearnSearch {
  query(request: QueryRequest): Promise<QueryAnswer>;
  compare(texts: readonly string[]): Promise<Comparison>;
}

/** Whose memories a draft is compared with: the live ones visible in the project (AG-45). */
export type LearnScope = Pick<QueryRequest, 'project' | 'without'>;

/** A live memory that has something to do with a draft (SE-52). */
export interface RelatedMemory {
  readonly name: MemoryName;
  readonly relation: Exclude<Relation, 'none'>;
  readonly sim: Similarities;
  /** Why it is not the same. */
  readonly blockers: readonly Blocker[];
  readonly record: MemoryRecord;
}

export interface RelatedMemories {
  /** Those that are the same or the opposite first, then by similarity. */
  readonly memories: readonly RelatedMemory[];
  readonly degraded: readonly string[];
}

/** Candidates by each of the two texts of a draft (SE-51). */
const MOST_CANDIDATES = 5;

/**
 * The memories that a draft may repeat, contradict or belong to (SE-51, SE-52): the 5 best live ones of its type by its
 * situation, and the 5 best by what it says, each compared with it. Holds no lock.
 *
 * @throws EngramError `database.*`
 */
export async function findRelated(
  search: LearnSearch,
  draft: MemoryRecord,
  scope: LearnScope,
  singleValued?: string,
): Promise<RelatedMemories> {
  const asked = [situationOf(draft), contentOf(draft)];
  const { candidates, degraded } = await findCandidates(search, asked, draft.type, scope);
  if (candidates.size === 0) return { memories: [], degraded };
  const records = [draft, ...candidates.values()];
  const { sim } = await search.compare(records.flatMap((record) => [situationOf(record), contentOf(record)]));
  const memories = [...candidates].flatMap(([name, record]) => {
    const similarities = {
      situation: rounded(sim(situationOf(draft), situationOf(record))),
      content: rounded(sim(contentOf(draft), contentOf(record))),
    };
    const { relation, blockers } = relationOf(draft, record, similarities, singleValued);
    return relation === 'none' ? [] : [{ name, relation, sim: similarities, blockers, record }];
  });
  return { memories: memories.sort(byWeight), degraded };
}

/** The best live memories of a type by each of some texts, 5 for each (SE-51). */
export async function findCandidates(
  search: Pick<LearnSearch, 'query'>,
  texts: readonly string[],
  type: MemoryType,
  scope: LearnScope,
): Promise<{ readonly candidates: ReadonlyMap<MemoryName, MemoryRecord>; readonly degraded: readonly string[] }> {
  const candidates = new Map<MemoryName, MemoryRecord>();
  const degraded = new Set<string>();
  for (const text of texts) {
    const answer = await search.query({ ...scope, text, type, limit: MOST_CANDIDATES });
    for (const { name, record, counts } of answer.hits) candidates.set(name, { ...record, ...counts });
    for (const mode of answer.degraded) degraded.add(mode);
  }
  return { candidates, degraded: [...degraded] };
}

/** A memory near another one that is about to go, and its relevance to it. */
export interface NearTwin {
  readonly name: MemoryName;
  readonly relevance: number;
}

/**
 * The live memories of the same type that say nearly what `old` says (SE-56): with R 0.55 for what it says or for its own
 * situation and entities, best first. They change only when they are named. Memories that share no more than the
 * situation, as all facts of one task do, are none.
 */
export async function findNearTwins(
  search: LearnSearch,
  old: { readonly name: MemoryName; readonly record: MemoryRecord },
  scope: LearnScope,
): Promise<NearTwin[]> {
  const around = relatedRequest(old, { ...scope, type: old.record.type });
  const found = new Map<MemoryName, NearTwin & { readonly content: string }>();
  for (const text of [around.text, contentOf(old.record)]) {
    for (const { name, relevance, record, counts } of (await search.query({ ...around, text })).hits) {
      if (relevance < Math.max(NEAR, found.get(name)?.relevance ?? 0)) continue;
      found.set(name, { name, relevance, content: contentOf({ ...record, ...counts }) });
    }
  }
  if (found.size === 0) return [];
  const said = contentOf(old.record);
  const { sim } = await search.compare([said, ...[...found.values()].map(({ content }) => content)]);
  return [...found.values()]
    .filter(({ content }) => sim(said, content) >= NEAR)
    .map(({ name, relevance }) => ({ name, relevance }))
    .sort((a, b) => b.relevance - a.relevance || (a.name < b.name ? -1 : 1));
}

function situationOf({ situation }: MemoryRecord): string {
  return matchedSituation(situation);
}

/** What a memory says of its situation. The impact tells a story, so two of the same advice differ by it. */
function contentOf({ type, behavior, action, subject, predicate, object }: MemoryRecord): string {
  return type === 'feedback' ? `${behavior ?? ''}\n${action ?? ''}` : [subject, predicate, object].join(' ');
}

const RANK = { same: 0, opposite: 1, related: 2 } as const;

function byWeight(a: RelatedMemory, b: RelatedMemory): number {
  const nearness = ({ sim }: RelatedMemory) => sim.situation + sim.content;
  return RANK[a.relation] - RANK[b.relation] || nearness(b) - nearness(a) || (a.name < b.name ? -1 : 1);
}

const rounded = (sim: number): number => Math.round(sim * 100) / 100;
