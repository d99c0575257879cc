import type { DamagedRange } from '../chat/parse.ts';
import { EngramError } from '../errors.ts';
import type { QueryRequest } from '../search/query.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import type { Mode } from './turn.ts';

/** How the agent runs (AG-3). */
export interface AgentOptions {
  /** Absolute path; the file need not exist. */
  readonly chatFile: string;
  readonly name: string;
  readonly project: QueryRequest['project'];
  readonly answerBudgetMs: number;
  readonly learns: boolean;
  /** Begins although somebody seems to answer under that name. */
  readonly takeOver: boolean;
  /** Processes what the file holds, posts what is due, and ends. */
  readonly once: boolean;
  /** Aborted: it takes its leave (AG-8). */
  readonly signal: AbortSignal;
  /** Aborted, with the error as its reason, by whoever finds that the database is damaged. */
  readonly broken?: AbortSignal;
  onEvent(event: AgentEvent): void;
  /** Waits for news, at most so long; for tests in which time passes quickly. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Milliseconds by a clock that nobody sets; the system's when not given. */
  readonly steadyMs?: () => number;
}

/** What a person who watches the agent is told. */
export type AgentEvent =
  | { readonly kind: 'ready'; readonly cursor: number; readonly mode: Mode }
  | { readonly kind: 'damage'; readonly range: DamagedRange }
  | { readonly kind: 'failed'; readonly what: string; readonly code: string; readonly message: string }
  | { readonly kind: 'stopped' };

/** What went wrong, for a person; the chat goes on. */
export function failure(what: string, raw: unknown): AgentEvent {
  const error = translateSqliteError(raw);
  const code = error instanceof EngramError ? error.code : 'internal';
  return { kind: 'failed', what, code, message: error instanceof Error ? error.message : String(error) };
}
