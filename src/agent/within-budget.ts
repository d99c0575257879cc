import { EngramError } from '../errors.ts';
import type { QueryRequest } from '../search/query.ts';
import { isFullTextDamage, translateSqliteError } from '../store/sqlite-errors.ts';
import { isFatal } from './attempts.ts';
import type { Judge } from './judge/judge.ts';
import { type RetrievalTools, retrieve } from './retrieve.ts';
import type { SearchTurns } from './search-turns.ts';
import type { AgentIntent, AgentState } from './state.ts';
import type { Findings } from './surfacing.ts';
import { timer } from './timer.ts';
import type { Moment } from './turn.ts';
import type { AgentTools } from './worker.ts';

/** One search for one intent; times are those of `performance.now`. */
export interface IntentSearch {
  state(): AgentState;
  readonly intent: AgentIntent;
  /** By then the search has to be done, and verdicts that are still open are replaced (AG-15). */
  readonly verdictsAtMs: number;
}

/** What every search is made with. */
export interface IntentSearchOptions {
  readonly tools: AgentTools;
  readonly project: QueryRequest['project'];
  readonly turns: SearchTurns;
  /** Resolves once questions can be answered. */
  readonly loaded: Promise<void>;
  moment(): Moment;
  /** Told what went wrong inside; the answer has a few words for it. */
  onFailure(error: unknown): void;
}

/** What was found, or why nothing was, by `latestMs` (AG-15). @throws EngramError what ends the agent */
export async function findWithinBudget(
  options: IntentSearchOptions,
  search: IntentSearch,
  latestMs: number,
): Promise<Findings> {
  const { loaded, turns, tools, project, moment, onFailure } = options;
  const { intent, verdictsAtMs } = search;
  const progress = { isLoaded: false, isJudged: false, isOver: false };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns.take(intent.line, work, () => !progress.isOver);
  const applies: Judge['applies'] = (...asked) => {
    progress.isJudged = true;
    const ask = () => tools.judge.applies(...asked);
    // The built-in rules take the processor, as searching does; a model is waited for.
    return tools.judge.kind === 'builtin' ? inTurn(ask) : ask();
  };
  const inTurns: RetrievalTools = {
    db: () => tools.context().store.db,
    query: (request) => inTurn(() => tools.query(request)),
    compare: (texts) => inTurn(() => tools.compare(texts)),
    judge: { kind: tools.judge.kind, applies },
  };
  const finding = loaded.then(() => {
    progress.isLoaded = true;
    const verdictsInMs = () => Math.max(0, verdictsAtMs - performance.now());
    return retrieve(inTurns, search.state, intent, { project, nowMs: moment().nowMs, verdictsInMs });
  });
  const found = finding.catch((raw: unknown): Findings => {
    const error = translateSqliteError(raw);
    if (isFatal(error) && !isFullText(error)) throw error;
    if (!progress.isOver) onFailure(error);
    return { failed: reasonOf(error) };
  });
  // One that comes after the answer is met again by the next question.
  found.catch(() => {});
  using searched = timer(verdictsAtMs - performance.now());
  using judged = timer(latestMs - performance.now());
  const late = searched.promise.then(() => (progress.isJudged ? judged.promise : undefined));
  try {
    return await Promise.race([
      found,
      late.then((): Findings => ({ failed: progress.isLoaded ? 'the search took too long' : 'still loading' })),
    ]);
  } finally {
    progress.isOver = true;
  }
}

function isFullText(error: unknown): boolean {
  return error instanceof EngramError && isFullTextDamage(error.cause);
}

/** One line for T6, without paths of this machine. */
export function reasonOf(error: unknown): string {
  if (isFullText(error)) return 'full-text index unreadable';
  if (!(error instanceof EngramError)) return 'internal error';
  const reasons: Partial<Record<EngramError['code'], string>> = {
    'database.busy': 'the database is busy',
    'database.damaged': 'the database is damaged',
    'database.failed': 'the database cannot be read',
  };
  return reasons[error.code] ?? 'internal error';
}
