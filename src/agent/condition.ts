import type { Inbox } from './inbox.ts';
import type { AgentOptions } from './options.ts';
import type { Session } from './session.ts';
import type { Condition } from './state.ts';
import type { AgentTools } from './worker.ts';

/** How the agent's process is: what `agent status` and the heartbeat say besides counts. */
export function conditionOf(from: {
  readonly tools: AgentTools;
  readonly options: AgentOptions;
  readonly inbox: Inbox;
  readonly session: Session;
  readonly damagedCount: number;
  /** The last question was answered without vectors. */
  readonly lacksVectors: boolean;
}): Condition {
  const { judge } = from.tools;
  const { project, learns } = from.options;
  const lacks = {
    vectors: from.lacksVectors,
    judge: judge.degraded,
    'chat file': from.inbox.failure !== null,
    posting: from.session.blocked !== null,
  };
  return {
    ...{ project: project.name, learns, damagedRanges: from.damagedCount },
    judge: { kind: judge.kind, ...judge.statistics },
    degraded: Object.entries(lacks).flatMap(([part, isLacking]) => (isLacking ? [part] : [])),
  };
}
