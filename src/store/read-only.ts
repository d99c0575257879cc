import { EngramError } from '../errors.ts';
import type { Store } from './open.ts';

/**
 * Says what keeps the database from being written: the data root, or the database file alone (SY-59).
 *
 * @throws EngramError `data-root.read-only` when the store lives in memory
 */
export function refuseReadOnly({ readOnly, root, unwritable }: Store): void {
  if (!readOnly) return;
  const what = unwritable === null || unwritable === root ? `the data root ${root}` : `the database ${unwritable}`;
  throw new EngramError('data-root.read-only', `${what} cannot be written`, {
    hint: 'Check its permissions, or name another one with --data-dir DIR.',
  });
}
