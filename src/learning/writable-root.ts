import { EngramError } from '../errors.ts';
import type { SyncContext } from '../sync/context.ts';

/**
 * Before any change: a root that cannot be written is answered from an index in memory (SY-59), and what went there would
 * be gone with the process.
 *
 * @throws EngramError `data-root.read-only`
 */
export function requireWritableRoot({ store, paths }: SyncContext): void {
  if (!store.readOnly) return;
  throw new EngramError('data-root.read-only', `the data root ${paths.root} cannot be written`, {
    hint: 'Check its permissions, or name another one with --data-dir DIR.',
  });
}
