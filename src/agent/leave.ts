import type { Session } from './session.ts';
import { onStop } from './timed.ts';
import type { Moment } from './turn.ts';
import type { Works } from './works.ts';

/** For answers under way, and for all of it (AG-8). */
const FINISH_MS = 2000;
const LEAVE_MS = 3000;
const BLOCKED_MS = 50;

/** Takes the agent's leave (AG-8); what cannot be posted in time is left to the next start. */
export async function takeLeave(session: Session, works: Works, moment: () => Moment): Promise<void> {
  const endMs = performance.now() + LEAVE_MS;
  const late = lateAfter(LEAVE_MS);
  await Promise.race([works.answersSettled(), lateAfter(FINISH_MS)]);
  const farewell = async () => {
    await session.apply((state) => onStop(state, moment()));
    while (session.blocked !== null && performance.now() < endMs) {
      await paused(BLOCKED_MS);
      await session.flush();
    }
  };
  await Promise.race([farewell(), late]);
}

export function paused(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The same without keeping the process alive. */
function lateAfter(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
