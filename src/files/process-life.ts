import { readFileSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { systemErrorCode } from '../errors.ts';

const START_TOLERANCE_MS = 60_000;
// USER_HZ, which Linux reports to programs as 100 on every architecture that Node runs on.
const TICKS_PER_SECOND = 100;

/**
 * Whether process `pid` may be the one that made something at `madeMs` (MF-36): it is alive or not ours to signal, and
 * on Linux neither dead but unreaped nor started over 60 s later, which tells a reused PID.
 *
 * @param madeMs - epoch milliseconds by this machine's clock
 */
export function mayStillHold(pid: number, madeMs: number): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const found = readProcess(pid);
  if (found === null) return true;
  return !found.dead && found.startedMs <= madeMs + START_TOLERANCE_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH';
  }
}

function readProcess(pid: number): { readonly dead: boolean; readonly startedMs: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in parentheses may itself hold blanks and parentheses; the state is field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threadCount, startTicks] = [fields[0], Number(fields[17]), Number(fields[19])];
    const uptimeS = Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
    if (!Number.isFinite(startTicks) || !Number.isFinite(uptimeS)) return null;
    // A zombie with further threads is a process whose first thread ended.
    const dead = state === 'X' || (state === 'Z' && threadCount <= 1);
    return { dead, startedMs: systemClock() - (uptimeS - startTicks / TICKS_PER_SECOND) * 1000 };
  } catch {
    return null;
  }
}
