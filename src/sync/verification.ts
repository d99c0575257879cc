import { countBases } from '../store/bases.ts';
import { getMeta, setMeta } from '../store/meta.ts';
import type { Store } from '../store/open.ts';
import { immediately } from '../store/transaction.ts';

/**
 * Whether the database is another file than the one that made these agreements: a restored dump, a backup, a copy. Then
 * everything is compared in full, and no base is believed that file and row do not both confirm (SY-70).
 */
export function hasUnverifiedBases(store: Store): boolean {
  if (store.identity === null) return false;
  const known = getMeta(store.db, 'database-identity');
  return known === null ? countBases(store.db) > 0 : known !== store.identity;
}

/** Notes that every agreement of this database file has been compared. */
export function markVerified(store: Store): void {
  const { identity, db } = store;
  if (identity === null || getMeta(db, 'database-identity') === identity) return;
  immediately(store, () => setMeta(db, 'database-identity', identity));
}
