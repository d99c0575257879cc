import type { Engram } from '../../../src/engram.ts';
import { openBuiltIn } from '../../../src/search/embed/built-in.ts';
import { embedMissing } from '../../../src/search/embed-missing.ts';
import { embeddedText, partText } from '../../../src/search/embedded-text.ts';
import { openSpace } from '../../../src/search/space.ts';
import { keepVectorBlocks } from '../../../src/search/vector-matrix.ts';
import { type EmbeddingRow, listUnembedded, writeEmbeddings } from '../../../src/store/embeddings.ts';
import { listPartsUnembedded, type PartRow, writePartEmbeddings } from '../../../src/store/part-embeddings.ts';
import { allRows } from '../../../src/store/statement.ts';

/** Memories that the model itself embeds; those of the others are made from them. */
const EMBEDDED = 256;
const BATCH = 2000;
/** Length of the noise that is added to a unit vector: similarity .86 to the vector it came from. */
const NOISE = 0.6;

/**
 * Gives every memory a vector and token vectors. Embedding a memory takes ten milliseconds and more, so only the first
 * ones are embedded; each other one gets the vector of one of those with noise added, and its token vectors as they are.
 * Search does the same work on them as on real ones.
 */
export async function makeVectors({ context: { store } }: Engram): Promise<void> {
  const nowMs = Date.now();
  const embedder = openBuiltIn();
  const space = await openSpace(store, embedder);
  await embedMissing(store, space, embedder, nowMs, { limit: EMBEDDED });
  const embedded = allRows<{ vector: Uint8Array; norm: number; tokens: Uint8Array }>(
    store.db,
    `SELECT vector, norm, tokens FROM embeddings WHERE state = 'ready' AND text_hash IS NOT NULL ORDER BY pk`,
  );
  const random = normalNumbers(1);
  for (let drawn = 0; ; ) {
    const memories = listUnembedded(store.db, space.space, nowMs, BATCH);
    const rows = memories.flatMap((memory): EmbeddingRow[] => {
      const like = embedded[drawn++ % embedded.length];
      if (like === undefined) return [];
      const vector = noisy(new Float32Array(Uint8Array.from(like.vector).buffer), random);
      const result = { state: 'ready', norm: like.norm, tokens: like.tokens, vector } as const;
      return [{ pk: memory.pk, textHash: embeddedText(memory).hash, result }];
    });
    if (rows.length === 0) break;
    writeEmbeddings(store, space.space, rows, () => true, nowMs);
  }
  keepVectorBlocks(store, space);
  makeParts(store, space.space, embedded, random, nowMs);
}

/** Likewise for the behavior and the action of each feedback memory, which a judge compares. */
function makeParts(
  store: Engram['context']['store'],
  space: string,
  embedded: readonly { readonly vector: Uint8Array; readonly tokens: Uint8Array }[],
  random: () => number,
  nowMs: number,
): void {
  for (let below = Number.MAX_SAFE_INTEGER, drawn = 0; ; ) {
    const memories = listPartsUnembedded(store.db, space, below, BATCH);
    const last = memories.at(-1);
    if (last === undefined) return;
    below = last.pk;
    const rows = memories.flatMap((memory) =>
      (['behavior', 'action'] as const).flatMap((part): PartRow[] => {
        const like = embedded[drawn++ % embedded.length];
        if (like === undefined) return [];
        const vector = noisy(new Float32Array(Uint8Array.from(like.vector).buffer), random);
        return [
          { pk: memory.pk, part, textHash: partText(memory[part]).hash, vectors: { vector, tokens: like.tokens } },
        ];
      }),
    );
    writePartEmbeddings(store, space, rows, () => true, nowMs);
  }
}

function noisy(unit: Float32Array, random: () => number): Uint8Array {
  const scale = NOISE / Math.sqrt(unit.length);
  const moved = unit.map((value) => value + scale * random());
  const norm = Math.hypot(...moved);
  return new Uint8Array(moved.map((value) => value / norm).buffer);
}

/** The same numbers on every run, near enough to a normal distribution. */
function normalNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => Math.sqrt(4) * (uniform() + uniform() + uniform() - 1.5);
}
