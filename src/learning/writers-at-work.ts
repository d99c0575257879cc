import { setTimeout } from 'node:timers/promises';
import { EngramError } from '../errors.ts';
import type { MemoryDirectory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { translated } from '../store/sqlite-errors.ts';
import { listBeingWritten } from '../store/text-mark.ts';
import type { SyncContext } from '../sync/context.ts';
import { inSection } from '../sync/section.ts';

const PAUSE_MS = 20;
/** A process that hangs in a write keeps nobody else from learning for longer than 2 s. */
const MOST_PAUSES = 100;

/**
 * Waits until nobody writes a memory of this directory: what is to be compared is there then (AG-47). The event loop goes
 * on meanwhile: an agent has intents to answer (AG-15).
 *
 * @throws EngramError `disk.full`, `file.write`, `database.*`
 */
export async function othersToFinish(context: SyncContext, directory: MemoryDirectory): Promise<void> {
  for (let pauses = 0; pauses < MOST_PAUSES && isSomebodyWriting(context, directory); pauses += 1)
    await setTimeout(PAUSE_MS);
}

/** Settles what a dead process left; false once nobody alive is left who writes. */
function isSomebodyWriting(context: SyncContext, directory: MemoryDirectory): boolean {
  const names = translated(() => listBeingWritten(context.store.db, directory));
  return names.map((name) => !isSettled(context, name)).includes(true);
}

const BUSY: ReadonlySet<string> = new Set(['lock.timeout', 'write.contended']);

function isSettled(context: SyncContext, name: MemoryName): boolean {
  try {
    translated(() => inSection(context, name, { wait: false }));
    return true;
  } catch (error) {
    if (error instanceof EngramError && BUSY.has(error.code)) return false;
    throw error;
  }
}
