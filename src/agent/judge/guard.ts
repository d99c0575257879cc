import { type Log, silentLog } from '../../log.ts';
import { monotonicMs } from '../../search/stopwatch.ts';
import type { JudgeStatistics } from './judge.ts';
import type { Asked, JudgeModel, Question } from './judge-model.ts';
import { type Lanes, openLanes } from './lanes.ts';
import type { Parsed } from './parse-answer.ts';

/** A model that is asked no more than is good for whoever waits (AG-25). */
export interface GuardedModel {
  /**
   * What the model says by the deadline, or null: it was late, failed, said something that is not listed, is given a rest or has
   * too much to do. Never throws. What arrives after the deadline is dropped.
   */
  ask<T>(question: Question, deadlineMs: number, parse: (text: string) => Parsed<T>): Promise<T | null>;
  readonly statistics: JudgeStatistics;
  /** It is given a rest after three failures in a row. */
  readonly isResting: boolean;
  /** Why the last question failed; null: it did not. May repeat what the model was sent. */
  readonly lastFailure: string | null;
  /** Breaks off what is being asked, which is no failure of the model, and asks nothing any more. */
  close(): void;
}

export interface GuardOptions {
  /** Milliseconds that only grow. */
  readonly now?: () => number;
  readonly log?: Log;
}

const MOST_CALLS = 8;
/** Of these for what may take a minute, so that an intent always finds a lane. */
const MOST_PATIENT_CALLS = 5;
const MOST_FAILURES = 3;
const REST_MS = 5 * 60_000;

export function guard(model: JudgeModel, { now = monotonicMs, log = silentLog }: GuardOptions = {}): GuardedModel {
  const [lanes, patientLanes] = [openLanes(MOST_CALLS), openLanes(MOST_PATIENT_CALLS)];
  const closing = new AbortController();
  const counts = { calls: 0, failures: 0, fallbacks: 0, late: 0 };
  let lastFailure: string | null = null;
  let failuresInRow = 0;
  let restsUntilMs: number | null = null;
  let isProbing = false;

  /** `probe`: the rest is over, and this question finds out whether the model has recovered. */
  const admission = (): 'call' | 'probe' | null => {
    if (closing.signal.aborted) return null;
    if (restsUntilMs === null) return 'call';
    return now() < restsUntilMs || isProbing ? null : 'probe';
  };
  const succeeded = (admitted: 'call' | 'probe') => {
    // An answer to what was asked before the rest began does not end it.
    if (restsUntilMs !== null && admitted === 'call') return;
    [failuresInRow, restsUntilMs, lastFailure] = [0, null, null];
  };
  const failed = (admitted: 'call' | 'probe', reason: string, task: Question['task']) => {
    counts.failures += 1;
    failuresInRow += 1;
    log.warn('judge.failed', { kind: model.kind, task, reason, failures_in_row: failuresInRow });
    if (admitted === 'probe' || (restsUntilMs === null && failuresInRow >= MOST_FAILURES)) {
      restsUntilMs = now() + REST_MS;
      log.warn('judge.resting', { kind: model.kind, minutes: REST_MS / 60_000 });
    }
  };

  const call = async <T>(
    question: Question,
    deadlineMs: number,
    parse: (text: string) => Parsed<T>,
    until: AbortSignal,
  ): Promise<T | null> => {
    const startedMs = now();
    const leave = await enterBoth(question.task === 'applies' ? [lanes] : [patientLanes, lanes], until);
    if (leave === null) return null;
    // Others may have failed while this one waited.
    const admitted = admission();
    if (admitted === null) {
      leave();
      return null;
    }
    isProbing ||= admitted === 'probe';
    counts.calls += 1;
    try {
      const timeoutMs = Math.max(1, Math.round(deadlineMs - (now() - startedMs)));
      const asked = await Promise.race([model.ask(question, { timeoutMs, signal: until }), aborted(until)]);
      if (closing.signal.aborted) return null;
      if (asked.kind === 'late' || until.aborted) counts.late += 1;
      const parsed = until.aborted ? 'it came too late' : asked.kind === 'answer' ? parse(asked.text) : asked.reason;
      if (typeof parsed !== 'string') {
        succeeded(admitted);
        return parsed.value;
      }
      const detail = asked.kind === 'answer' ? undefined : asked.detail;
      lastFailure = detail === undefined ? parsed : `${parsed}: ${detail}`;
      failed(admitted, parsed, question.task);
      return null;
    } finally {
      if (admitted === 'probe') isProbing = false;
      leave();
    }
  };

  return {
    async ask(question, deadlineMs, parse) {
      const late = new AbortController();
      const abort = () => late.abort();
      const timer = setTimeout(abort, Math.max(0, deadlineMs));
      closing.signal.addEventListener('abort', abort);
      try {
        const value = admission() === null ? null : await call(question, deadlineMs, parse, late.signal);
        if (value === null) counts.fallbacks += 1;
        return value;
      } finally {
        clearTimeout(timer);
        closing.signal.removeEventListener('abort', abort);
      }
    },
    get statistics() {
      return { ...counts };
    },
    get isResting() {
      return restsUntilMs !== null;
    },
    get lastFailure() {
      return lastFailure;
    },
    close: () => closing.abort(),
  };
}

/** A model that does not give up in time is left alone. */
function aborted(signal: AbortSignal): Promise<Asked> {
  const late: Asked = { kind: 'late', reason: 'it came too late' };
  return new Promise((resolve) => {
    if (signal.aborted) resolve(late);
    else signal.addEventListener('abort', () => resolve(late), { once: true });
  });
}

async function enterBoth(lanes: readonly Lanes[], signal: AbortSignal): Promise<(() => void) | null> {
  const left: (() => void)[] = [];
  const leaveAll = () => {
    for (const leave of left) leave();
  };
  for (const lane of lanes) {
    const leave = await lane.enter(signal);
    if (leave === null) {
      leaveAll();
      return null;
    }
    left.push(leave);
  }
  return leaveAll;
}
