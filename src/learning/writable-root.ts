import { refuseReadOnly } from '../store/read-only.ts';
import type { SyncContext } from '../sync/context.ts';

/**
 * Before any change: a root that cannot be written is answered from an index in memory (SY-59), and what went there would
 * be gone with the process.
 *
 * @throws EngramError `data-root.read-only`
 */
export function requireWritableRoot({ store }: SyncContext): void {
  refuseReadOnly(store);
}
