import type { Inbox } from './inbox.ts';
import type { AgentOptions } from './options.ts';
import type { Session } from './session.ts';
import type { Condition } from './state.ts';
import type { AgentTools } from './worker.ts';

/** How the agent's process is: what `agent status` and the heartbeat say besides counts. */
export function conditionOf(
  { judge }: Pick<AgentTools, 'judge'>,
  { project, learns }: AgentOptions,
  inbox: Inbox,
  session: Session,
  // The last question was answered without vectors.
  { damagedCount, lacksVectors }: { readonly damagedCount: number; readonly lacksVectors: boolean },
): Condition {
  const lacks = {
    vectors: lacksVectors,
    judge: judge.degraded,
    'chat file': inbox.failure !== null,
    posting: session.blocked !== null,
  };
  return {
    ...{ project: project.name, learns, damagedRanges: damagedCount },
    judge: { kind: judge.kind, ...judge.statistics },
    degraded: Object.entries(lacks).flatMap(([part, isLacking]) => (isLacking ? [part] : [])),
  };
}
