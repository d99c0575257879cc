import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseIntentText } from '../../../src/agent/intent-text.ts';
import type { Applies, Judge, JudgedMemory } from '../../../src/agent/judge/judge.ts';
import type { MemoryRecord } from '../../../src/memory/record.ts';
import type { MemoryName } from '../../../src/memory/slug.ts';
import type { Hit } from '../../../src/search/answer.ts';
import type { Embedder } from '../../../src/search/embed/embedder.ts';
import { embedMissing } from '../../../src/search/embed-missing.ts';
import { embedParts } from '../../../src/search/embed-parts.ts';
import { type EmbedderSource, fixedSource } from '../../../src/search/embedder-source.ts';
import { NO_FLOOR } from '../../../src/search/relevance.ts';
import { search } from '../../../src/search/search.ts';
import { openSpace } from '../../../src/search/space.ts';
import { updateIndexes } from '../../../src/store/indexes.ts';
import { writeRow } from '../../../src/store/memories.ts';
import { openStore, type Store } from '../../../src/store/open.ts';

/** A store of its own, as the agent finds it: every text embedded. */
export interface AgentStore extends Disposable {
  readonly store: Store;
  readonly source: EmbedderSource;
  /** At most 8 feedback memories (AG-16), the most relevant first. */
  candidates(text: string, policy: 'surface' | 'query'): Promise<readonly JudgedMemory[]>;
}

const NO_PROJECT = { name: null, aliases: [], paths: [], foundBy: 'none' };
const MOST_CANDIDATES = 8;

export async function openAgentStore(
  memories: ReadonlyMap<MemoryName, MemoryRecord>,
  embedder: Embedder,
): Promise<AgentStore> {
  const root = mkdtempSync(join(tmpdir(), 'engram-interrupt-'));
  const store = await openStore(root);
  const write = store.db.transaction(() => {
    for (const [name, record] of memories)
      writeRow(store.db, name, record, { textUpdatedAt: null, lastSurfacedAt: null });
  });
  write();
  updateIndexes(store);
  const space = await openSpace(store, embedder);
  await embedMissing(store, space, embedder, 0, { batch: 512 });
  await embedParts(store, space, embedder, 0, { batch: 512 });
  const source = fixedSource(embedder);
  return {
    store,
    source,
    candidates: async (text, policy) => {
      const request = {
        text,
        policy,
        project: NO_PROJECT,
        ...(policy === 'query' ? { type: 'feedback' as const, floor: NO_FLOOR } : {}),
      };
      const { hits } = await search(store, request, source, 0);
      return hits
        .filter(({ type }) => type === 'feedback')
        .slice(0, MOST_CANDIDATES)
        .map(asJudged);
    },
    [Symbol.dispose]: () => {
      store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What the agent would object with: in full and behind `Also:` (AG-17). */
export async function objections(
  { candidates }: AgentStore,
  judge: Pick<Judge, 'applies' | 'kind'>,
  text: string,
): Promise<{ readonly names: readonly MemoryName[]; readonly verdicts: readonly Applies[]; readonly count: number }> {
  const memories = await candidates(text, judge.kind === 'builtin' ? 'surface' : 'query');
  const verdicts = await judge.applies(parseIntentText(text), memories, Number.POSITIVE_INFINITY);
  const names = memories.filter((_, at) => verdicts[at]?.verdict === 'applies').map(({ name }) => name);
  return { names, verdicts, count: memories.length };
}

function asJudged({ name, record }: Hit): JudgedMemory {
  const { situation, behavior, impact, action } = record;
  return { name, situation, behavior: behavior ?? '', impact: impact ?? '', action: action ?? '' };
}
