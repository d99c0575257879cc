import { type Clock, systemClock } from '../clock.ts';
import { mayHaveDatabase } from '../files/memory-directory.ts';
import { mayStillHold } from '../files/process-life.ts';
import { foldedName } from './message.ts';
import type { Leases } from './presence.ts';

/**
 * Who holds the memory agent's lease of a chat, by the database of the data root (CH-35). Nobody where there is no database,
 * or none that can be asked now: messages are evidence too.
 *
 * @param dataDir - absolute path of the data root
 */
export async function chatLeases(dataDir: string, chatFile: string, clock: Clock = systemClock): Promise<Leases> {
  if (!mayHaveDatabase(dataDir)) return new Map();
  const [{ openToExamine }, { findLease, isHeld }] = await Promise.all([
    import('../store/open.ts'),
    import('../store/leases.ts'),
  ]);
  try {
    const { store } = await openToExamine(dataDir);
    using _closed = store;
    const lease = findLease(store.db, chatFile);
    if (lease === null || lease.pid === null) return new Map();
    return new Map([[foldedName(lease.name), isHeld(lease, clock(), mayStillHold) ? 'alive' : 'dead']]);
  } catch {
    return new Map();
  }
}
