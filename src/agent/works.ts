import { EngramError } from '../errors.ts';
import type { QueryRequest } from '../search/query.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import { onReply } from './arguments.ts';
import { isFatal } from './attempts.ts';
import { onExtracted } from './extraction.ts';
import { onLearned, pausedUntilMs } from './learned.ts';
import { classifyReply } from './replies.ts';
import { createSearchTurns, type SearchTurns } from './search-turns.ts';
import type { Session } from './session.ts';
import { answerIntent, type Findings } from './surfacing.ts';
import { queueLength } from './timed.ts';
import { type Moment, Turn } from './turn.ts';
import { findWithinBudget, reasonOf } from './within-budget.ts';
import type { AnswerWork, ExtractWork, LearnWork, ReplyWork, Work } from './work.ts';
import { type AgentTools, doLearn } from './worker.ts';

/** What is to be done because of messages, each beside the reading of the chat. */
export interface Works {
  add(works: readonly Work[]): void;
  /** Work that is no longer wanted. */
  drop(keys: readonly string[]): void;
  /** Begins what may be begun now. */
  start(): void;
  /** Whether nothing is left, or nothing that may be done now. */
  readonly isIdle: boolean;
  /** An answer is on its way. */
  readonly isAnswering: boolean;
  /** Resolves when all answers that were begun are out. */
  answersSettled(): Promise<void>;
}

export interface WorksOptions {
  readonly tools: AgentTools;
  readonly chatFile: string;
  readonly project: QueryRequest['project'];
  readonly budgetMs: number;
  readonly learns: boolean;
  session(): Session;
  moment(): Moment;
  /** Resolves once questions can be answered. */
  readonly loaded: Promise<void>;
  onFound(findings: Extract<Findings, { readonly failed: null }>): void;
  onFailure(work: Work, error: unknown): void;
  /** What ends the agent: the lease is lost, the database damaged. */
  onEnd(error: unknown): void;
}

/** Model calls for replies at once (AG-27). */
const MOST_REPLIES = 3;
/** Part of the budget after which open verdicts are replaced (AG-15). */
const VERDICT_SHARE = 0.875;
/** Left for storing and posting. */
const POST_MS = 200;
const AGAIN_MS = 1000;

export function createWorks(options: WorksOptions): Works {
  const waiting = new Map<string, Work>();
  const running = new Map<string, Promise<void>>();
  const { tools, session, moment } = options;
  const turns = createSearchTurns();
  let learnAgainMs = 0;

  const run = (work: Work, doIt: () => Promise<void>): void => {
    const promise = doIt()
      .then(() => {
        waiting.delete(work.key);
      })
      .catch((raw: unknown): Promise<void> | undefined => {
        const error = translateSqliteError(raw);
        if (isFatal(error)) {
          options.onEnd(error);
          return undefined;
        }
        options.onFailure(work, error);
        // Whoever asked is told (AG-51).
        if (work.kind === 'answer') return refuse(options, work, error).then(() => void waiting.delete(work.key));
        learnAgainMs = moment().nowMs + AGAIN_MS;
        // What no later try would cure is given up; the chat goes on.
        if (!(error instanceof EngramError) || !error.retryable) {
          return session().apply((state) => {
            const turn = new Turn(state, moment());
            turn.done(work.key);
            waiting.delete(work.key);
            return turn.end();
          });
        }
        return undefined;
      })
      .catch((error) => options.onEnd(error))
      .finally(() => {
        running.delete(work.key);
        start();
      });
    running.set(work.key, promise);
  };

  const countOf = (kind: Work['kind']): number =>
    [...running.keys()].filter((key) => waiting.get(key)?.kind === kind).length;

  const mayLearn = (): boolean =>
    options.learns &&
    queueLength(session().state) === 0 &&
    countOf('learn') + countOf('extract') === 0 &&
    moment().nowMs >= learnAgainMs &&
    pausedUntilMs(session().state.memo.learnedAtMs, moment().nowMs) === null;

  const start = (): void => {
    for (const work of waiting.values()) {
      if (running.has(work.key)) continue;
      if (work.kind === 'answer') run(work, () => doAnswer({ ...options, turns }, work));
      else if (work.kind === 'reply' && countOf('reply') < MOST_REPLIES && !isBehind(work, waiting)) {
        run(work, () => doReply(options, work));
      } else if (work.kind === 'learn' && mayLearn()) run(work, () => learnOne(options, work));
      else if (work.kind === 'extract' && mayLearn()) run(work, () => doExtract(options, work));
    }
  };
  return {
    add: (works) => {
      for (const work of works) if (!waiting.has(work.key)) waiting.set(work.key, work);
    },
    drop: (keys) => {
      for (const key of keys) if (!running.has(key)) waiting.delete(key);
    },
    start,
    get isIdle() {
      const isPaused = pausedUntilMs(session().state.memo.learnedAtMs, moment().nowMs) !== null;
      const left = [...waiting.values()].filter(
        ({ kind }) => (kind !== 'learn' && kind !== 'extract') || (options.learns && !isPaused),
      );
      return left.length === 0 && running.size === 0;
    },
    get isAnswering() {
      return countOf('answer') > 0;
    },
    answersSettled: async () => {
      await Promise.all([...running].filter(([key]) => key.startsWith('answer:')).map(([, promise]) => promise));
    },
  };

  function learnOne({ chatFile, project }: WorksOptions, work: LearnWork): Promise<void> {
    const shown = session().state.intents.get(work.intentKey ?? '')?.shown ?? [];
    return doLearn(tools, work, { chatFile, project, shown }).then((result) =>
      session().apply((state) => {
        const turn = new Turn(state, moment());
        onLearned(turn, work, result);
        return turn.end();
      }),
    );
  }
}

/** T6 for an answer that could not be made. */
async function refuse({ session, moment, budgetMs }: WorksOptions, work: AnswerWork, error: unknown): Promise<void> {
  await session().apply((state) => {
    const turn = new Turn(state, moment());
    answerIntent(turn, work.intentKey, { failed: reasonOf(error) }, budgetMs);
    return turn.end();
  });
}

/** Replies of one argument are judged one after the other. */
function isBehind(work: ReplyWork, waiting: ReadonlyMap<string, Work>): boolean {
  for (const other of waiting.values()) {
    if (other.key === work.key) return false;
    if (other.kind === 'reply' && other.argument === work.argument) return true;
  }
  return false;
}

/** Finds and posts the one answer to an intent, inside its budget (AG-15). */
async function doAnswer(options: WorksOptions & { readonly turns: SearchTurns }, work: AnswerWork): Promise<void> {
  const { session, moment, budgetMs } = options;
  const intent = session().state.intents.get(work.intentKey);
  if (intent === undefined || intent.state !== 'open') {
    await session().apply((state) => {
      const turn = new Turn(state, moment());
      turn.done(work.key);
      return turn.end();
    });
    return;
  }
  const spentMs = moment().nowMs - intent.readAtMs;
  // An intent of an earlier process has its whole budget again.
  const untilMs = performance.now() + (spentMs > budgetMs ? budgetMs : budgetMs - spentMs);
  const asked = { ...options, onFailure: (error: unknown) => options.onFailure(work, error) };
  const search = { state: () => session().state, intent, verdictsAtMs: untilMs - budgetMs * (1 - VERDICT_SHARE) };
  const found = await findWithinBudget(asked, search, untilMs - Math.min(POST_MS, budgetMs / 20));
  await session().apply((state) => {
    const turn = new Turn(state, moment());
    if (found.failed === null) options.onFound(found);
    answerIntent(turn, work.intentKey, found, budgetMs);
    return turn.end();
  });
}

async function doExtract({ session, moment, tools }: WorksOptions, work: ExtractWork): Promise<void> {
  const items = await tools.judge.extract(work.message, work.context, work.want);
  await session().apply((state) => {
    const turn = new Turn(state, moment());
    onExtracted(turn, work, items);
    return turn.end();
  });
}

/** What a model says of a reply; without an answer the built-in classes decide (AG-25, AG-29). */
async function doReply(options: WorksOptions, work: ReplyWork): Promise<void> {
  const { session, moment, tools } = options;
  const argument = session().state.arguments.get(work.argument);
  const memory = argument?.memories.find(({ isFull }) => isFull);
  const verdict =
    argument === undefined || argument.state === 'closed' || memory === undefined
      ? null
      : await tools.judge.reply({ situation: argument.situation, behavior: argument.behavior }, memory, [
          ...argument.inputs,
          { from: work.message.from, text: work.message.text },
        ]);
  await session().apply((state) => {
    const turn = new Turn(state, moment());
    turn.done(work.key);
    const now = state.arguments.get(work.argument);
    if (now === undefined || now.state === 'closed') return turn.end();
    // What a model takes for an exception is one that the user made (AG-29).
    const kind = verdict?.verdict === 'exception' ? 'user' : verdict?.verdict;
    onReply(turn, now, kind === undefined ? classifyReply(work.message.text) : { kind }, work.message);
    return turn.end();
  });
}
