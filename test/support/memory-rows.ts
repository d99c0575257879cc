import { emptyRecord, type MemoryRecord } from '../../src/memory/record.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { updateIndexes } from '../../src/store/indexes.ts';
import { writeRow } from '../../src/store/memories.ts';
import type { Store } from '../../src/store/open.ts';
import { openStore } from '../../src/store/open.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A feedback memory with the least that it needs; `changes` says what matters to the test. */
export function feedback(situation: string, changes: Partial<MemoryRecord> = {}): MemoryRecord {
  return { ...EMPTY, situation, behavior: 'behaved', impact: 'impaired', action: 'act', ...changes };
}

export function fact(
  situation: string,
  triple: readonly [string, string, string],
  changes: Partial<MemoryRecord> = {},
): MemoryRecord {
  const [subject, predicate, object] = triple;
  return { ...EMPTY, type: 'fact', situation, subject, predicate, object, ...changes };
}

/** Writes the rows of `records`, `feedback/<key>` or `facts/<key>`, and brings the indexes up to date. */
function save(store: Store, records: Readonly<Record<string, MemoryRecord>>): void {
  for (const [key, record] of Object.entries(records)) {
    const name = `${record.type === 'fact' ? 'facts' : 'feedback'}/${key}` as MemoryName;
    writeRow(store.db, name, record, { textUpdatedAt: record.created_at, lastSurfacedAt: null });
  }
  updateIndexes(store);
}

/** A store that holds `records`, in a new directory unless `root` is given. */
export async function storeWith(
  records: Readonly<Record<string, MemoryRecord>> = {},
  root: string = temporaryDirectory(),
): Promise<Store> {
  const store = await openStore(root);
  save(store, records);
  return store;
}

const EMPTY: MemoryRecord = {
  ...emptyRecord('feedback', '2026-04-02T10:00:00Z'),
  source: 'user correction, 2026-04-02',
  initial_confidence: 1,
};
