import { listTexts } from '../store/candidates.ts';
import {
  listPartsUnembedded,
  type PartRow,
  type PartsUnembedded,
  writePartEmbeddings,
} from '../store/part-embeddings.ts';
import type { Transactable } from '../store/transaction.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { searchVector } from './embed/accept-vector.ts';
import type { Embedder, Embedding } from './embed/embedder.ts';
import { tokenBytes, vectorBytes } from './embed/vector-bytes.ts';
import type { EmbedLimits } from './embed-missing.ts';
import { JUDGED_PARTS, partText } from './embedded-text.ts';
import { monotonicMs } from './stopwatch.ts';

export interface PartLimits extends Pick<EmbedLimits, 'deadlineMs' | 'batch' | 'signal'> {
  onProgress?(done: number): void;
}

/**
 * Embeds the behavior and the action of feedback memories that lack these vectors, as `compareTexts` would (SE-22); never
 * under a lock. Memories whose own vector is missing wait for it. Ends early as `embedMissing` does.
 *
 * @throws EngramError `model.*`, `database.*`
 */
export async function embedParts(
  store: Transactable,
  space: VectorSpace,
  embedder: Embedder,
  nowMs: number,
  { deadlineMs, batch = 16, signal, onProgress }: PartLimits = {},
): Promise<void> {
  let below = Number.MAX_SAFE_INTEGER;
  let done = 0;
  while (signal?.aborted !== true && (deadlineMs === undefined || monotonicMs() < deadlineMs)) {
    const memories = listPartsUnembedded(store.db, space.space, below, batch);
    if (memories.length === 0) break;
    below = memories.at(-1)?.pk ?? 0;
    const rows = await embedThem(memories, embedder, signal).catch((error) => {
      if (signal?.aborted) return null;
      throw error;
    });
    if (rows === null) break;
    const isCurrent = (pk: number, part: PartRow['part'], hash: string) => {
      const [texts] = listTexts(store.db, [pk]);
      return texts !== undefined && partText(texts[part]).hash === hash;
    };
    if (!writePartEmbeddings(store, space.space, rows, isCurrent, nowMs)) break;
    done += memories.length;
    onProgress?.(done);
  }
}

async function embedThem(
  memories: readonly PartsUnembedded[],
  embedder: Embedder,
  signal: AbortSignal | undefined,
): Promise<PartRow[]> {
  const parts = memories.flatMap((memory) =>
    JUDGED_PARTS.map((part) => ({ pk: memory.pk, part, ...partText(memory[part]) })),
  );
  const texts = [...new Set(parts.map(({ text }) => text).filter((text) => text !== ''))];
  const embeddings =
    texts.length === 0 ? [] : await embedder.embed(texts, 'query', signal === undefined ? {} : { signal });
  const byText = new Map(texts.map((text, at) => [text, embeddings[at]]));
  return parts.map(({ pk, part, text, hash }) => ({
    pk,
    part,
    textHash: hash,
    vectors: vectorsOf(byText.get(text), embedder.identity.dims),
  }));
}

function vectorsOf(embedding: Embedding | undefined, dims: number): PartRow['vectors'] {
  if (embedding === undefined || !embedding.isUnderstood) return null;
  const vector = searchVector(embedding, dims);
  if (typeof vector === 'string') return null;
  return { vector: vectorBytes(vector), tokens: embedding.tokens === null ? null : tokenBytes(embedding.tokens) };
}
