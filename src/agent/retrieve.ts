import { relevanceRate } from '../memory/effectiveness.ts';
import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { Hit, QueryAnswer } from '../search/answer.ts';
import { factsBeside } from '../search/neighbours.ts';
import type { QueryRequest } from '../search/query.ts';
import { NO_FLOOR } from '../search/relevance.ts';
import type { Comparison } from '../search/sim.ts';
import { findBase } from '../store/bases.ts';
import { listContradicted } from '../store/conflicts.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { listSecretFiles } from '../store/quarantine.ts';
import { openArgument } from './arguments.ts';
import { isSilenced } from './intents.ts';
import type { Judge } from './judge/judge.ts';
import type { AgentIntent, AgentState, Argument } from './state.ts';
import type { Findings, JudgedMemory } from './surfacing.ts';

/** What finding memories for an intent asks of the rest of engram. */
export interface RetrievalTools {
  db(): SqliteDatabase;
  query(request: QueryRequest): Promise<QueryAnswer>;
  compare(texts: readonly string[]): Promise<Comparison>;
  readonly judge: Pick<Judge, 'kind' | 'applies'>;
}

/** Feedback that is judged for one intent (AG-16). */
const MOST_CANDIDATES = 8;
/** What stands in a list before it is known who may not be shown. */
const MOST_LISTED = 24;
/** AG-16. */
const LEAST_CONFIDENCE = 0.4;
const UNKNOWN_CONFIDENCE = 0.7;
const LEAST_RELEVANCE_RATE = 0.3;
const JUDGED_OUTCOMES = 5;
/** AG-19. */
const MOST_FACTS = 3;
const MOST_NEIGHBOURS = 2;
/** From this similarity of situations on an intent revises another one (AG-28). */
const REVISES_AT = 0.75;

/**
 * Finds what applies to an intent: feedback by the strict policy, or the most relevant there is where a model judges each, and
 * facts; then the verdicts (AG-16 to AG-20). Takes no lock.
 *
 * @param verdictsInMs - asked when they are asked for: how long they may take
 * @throws EngramError `database.*`
 */
export async function retrieve(
  tools: RetrievalTools,
  state: () => AgentState,
  intent: AgentIntent,
  {
    project,
    nowMs,
    verdictsInMs,
  }: { readonly project: QueryRequest['project']; readonly nowMs: number; verdictsInMs(): number },
): Promise<Findings> {
  const hasModel = tools.judge.kind !== 'builtin';
  const request: QueryRequest = { text: intent.text, project, policy: 'surface', embedsMissing: false };
  const strict = await tools.query(request);
  const wide = hasModel
    ? await tools.query({ ...request, policy: 'query', floor: NO_FLOOR, type: 'feedback', limit: MOST_LISTED })
    : strict;
  const contradicted = listContradicted(tools.db());
  const secret = listSecretFiles(tools.db());
  const mayBeShown = (hit: Hit) =>
    isFit(hit) && !contradicted.has(hit.name) && !secret.has(hit.name) && !isSilenced(state(), intent, hit.name, nowMs);
  const candidates = wide.hits
    .filter((hit) => hit.type === 'feedback' && mayBeShown(hit))
    .slice(0, MOST_CANDIDATES)
    .map(asCandidate);
  const argument = openArgument(state(), intent);
  const judgedToo = argument === null ? [] : argued(tools.db(), argument, candidates);
  const all = [...candidates, ...judgedToo];
  const { situation, behavior } = intent;
  const verdicts =
    all.length === 0 ? [] : await tools.judge.applies({ situation, behavior }, all.map(asJudged), verdictsInMs());
  const strictNames = new Set(strict.hits.map(({ name }) => name));
  const judged = all.flatMap((candidate, at): JudgedMemory[] => {
    const verdict = verdicts[at];
    if (verdict === undefined) return [];
    // A model is the strict part; where it said nothing, the strict policy is (AG-16).
    const isWeak = hasModel && verdict.by === 'builtin' && !strictNames.has(candidate.name);
    return isWeak && !judgedToo.includes(candidate)
      ? []
      : [{ ...candidate, verdict: verdict.verdict, why: `${verdict.reason}.` }];
  });
  return {
    failed: null,
    judged,
    facts: factsFor(tools.db(), strict, project),
    lacks: {
      vectors: !strict.modes.includes('meaning') && isMeaningExpected(strict),
      judge: hasModel && verdicts.some(({ by }) => by === 'builtin'),
    },
    revises: argument === null ? null : await revised(tools, argument, intent),
  };
}

interface Candidate {
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly relevance: number;
}

function asCandidate({ name, record, counts, relevance }: Hit): Candidate {
  return { name, record: { ...record, ...counts }, relevance };
}

function asJudged({ name, record }: Candidate) {
  const { situation, behavior, impact, action } = record;
  return { name, situation, behavior: behavior ?? '', impact: impact ?? '', action: action ?? '' };
}

/** Whether a memory may interrupt somebody at all (AG-16). */
function isFit({ record, counts, marks }: Hit): boolean {
  return !marks.includes('archived') && isTrusted({ ...record, ...counts });
}

function isTrusted(record: MemoryRecord): boolean {
  if (record.needs_review || (record.initial_confidence ?? UNKNOWN_CONFIDENCE) < LEAST_CONFIDENCE) return false;
  const { followed_count, not_followed_count, irrelevant_count } = record;
  const judged = followed_count + not_followed_count + irrelevant_count;
  return judged < JUDGED_OUTCOMES || (relevanceRate(record) ?? 1) >= LEAST_RELEVANCE_RATE;
}

/** Memories of the open argument that the search did not bring: whether they still apply decides how it goes on (AG-29). */
function argued(db: SqliteDatabase, { memories }: Argument, candidates: readonly Candidate[]): Candidate[] {
  const known = new Set(candidates.map(({ name }) => name));
  return memories
    .filter(({ name, isFull }) => isFull && !known.has(name))
    .flatMap(({ name }) => {
      const record = findBase(db, name)?.record;
      return record === undefined ? [] : [{ name, record, relevance: 0 }];
    });
}

/** Without a provider of vectors nothing is missing. */
function isMeaningExpected({ degraded }: QueryAnswer): boolean {
  return degraded.includes('no_model') || degraded.includes('vectors_partial');
}

/** Up to 3 facts by situation, subject or object, and 2 that share a subject or object with them (AG-19). */
function factsFor(db: SqliteDatabase, strict: QueryAnswer, project: QueryRequest['project']) {
  const found = strict.hits
    .filter((hit) => hit.type === 'fact' && isFit(hit))
    .slice(0, MOST_FACTS)
    .map(asCandidate);
  const beside = factsBeside(db, found, { project, most: MOST_NEIGHBOURS });
  return [...found, ...beside.filter(({ record }) => isTrusted(record))].map(({ name, record }) => ({
    name,
    record,
  }));
}

/** The number of the argument whose challenged situation this intent is about (AG-28). */
async function revised(tools: RetrievalTools, argument: Argument, intent: AgentIntent): Promise<number | null> {
  const { sim } = await tools.compare([argument.situation, intent.situation]);
  return sim(argument.situation, intent.situation) >= REVISES_AT ? argument.number : null;
}
