import { forget } from '../../src/learning/forget.ts';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import type { SyncContext } from '../../src/sync/context.ts';
import { syncAll } from '../../src/sync/sync.ts';
import { learned } from '../learning/drafts.ts';

/** The memory that the writes below are about. */
export const M = 'feedback/m' as MemoryName;

/** Every way in which engram writes a memory file; `before` is what a shell did just before. */
export const WRITES = {
  count: {
    before: null,
    run: (context: SyncContext) => countOutcome(context, M, { kind: 'followed', eventKey: 'once' }),
  },
  export: {
    before: `UPDATE memories SET action = 'By SQL', surfaced_count = surfaced_count + 2 WHERE name = '${M}'`,
    run: syncAll,
  },
  create: {
    before: `INSERT INTO memories(name, situation, behavior, impact, action, surfaced_count)
      VALUES ('feedback/made', 'When made', 'b', 'i', 'a', 3)`,
    run: syncAll,
  },
  delete: { before: `DELETE FROM memories WHERE name = '${M}'`, run: syncAll },
  rename: { before: `UPDATE memories SET name = 'feedback/moved' WHERE name = '${M}'`, run: syncAll },
  forget: { before: null, run: (context: SyncContext) => forget(context, M) },
  learn: {
    before: null,
    run: (context: SyncContext) =>
      learned({ context }, { type: 'feedback', situation: 'When learnt', behavior: 'b', impact: 'i', action: 'a' }),
  },
} as const satisfies Record<string, { readonly before: string | null; run(context: SyncContext): unknown }>;

export type WriteKind = keyof typeof WRITES;

export function runWrite(context: SyncContext, kind: WriteKind): void {
  WRITES[kind].run(context);
}
