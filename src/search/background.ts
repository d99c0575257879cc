import { EngramError } from '../errors.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { unrelatedPairs } from './background-pairs.ts';
import { searchVector } from './embed/accept-vector.ts';
import { BUILT_IN_IDENTITY } from './embed/built-in.ts';
import { dot } from './embed/dot.ts';
import type { Embedder, EmbedderIdentity, Embedding } from './embed/embedder.ts';
import { openLateInteraction } from './embed/late-interaction.ts';
import { embeddedText } from './embedded-text.ts';
import { meanVector } from './memory-vector.ts';
import { backgroundTokenWeight, isContentToken, queryWeight } from './token-weights.ts';

type Background = VectorSpace['background'];

/** What `measureBackground` gives for the built-in model; a test measures it again. */
const BUILT_IN_BACKGROUND: Background = {
  meaning: -0.032449,
  fine: { explained: 0.211158, covered: 0.175095 },
};

/** The background of an embedder: known for the built-in model, measured for others (SE-27). */
export async function backgroundOf(embedder: Embedder): Promise<Background> {
  return isBuiltIn(embedder.identity) ? BUILT_IN_BACKGROUND : measureBackground(embedder);
}

/**
 * Mean similarity, mean L0 and mean coverage of the unrelated pairs. Pairs whose vectors are unusable do not count.
 *
 * @throws EngramError `model.*`
 */
export async function measureBackground(embedder: Embedder): Promise<Background> {
  const pairs = unrelatedPairs();
  const queries = await embedEach(
    embedder,
    pairs.map(({ query }) => query),
    'query',
  );
  const texts = pairs.map(({ memory }) => embeddedText(memory));
  const situations = await embedEach(
    embedder,
    texts.map(({ situation }) => situation),
    'document',
  );
  const records = await embedEach(
    embedder,
    texts.map(({ record }) => record),
    'document',
  );
  const { dims } = embedder.identity;
  const similarities: number[] = [];
  const explained: number[] = [];
  const covered: number[] = [];
  let interaction: ReturnType<typeof openLateInteraction> | null = null;
  for (const { query, memory } of pairs) {
    const asked = queries.get(query);
    const text = embeddedText(memory);
    const [situation, record] = [situations.get(text.situation), records.get(text.record)];
    if (asked === undefined || situation === undefined || record === undefined) continue;
    const vectors = [asked, situation, record].map((embedding) => searchVector(embedding, dims));
    const [one, two, three] = vectors;
    if (!(one instanceof Float32Array && two instanceof Float32Array && three instanceof Float32Array)) continue;
    const mean = meanVector(two, three);
    if (typeof mean === 'string') continue;
    similarities.push(dot(one, mean.vector) * mean.norm);
    if (asked.tokens === null || record.tokens === null) continue;
    interaction ??= openLateInteraction();
    interaction.setQuery(asked.tokens, queryWeight(asked.tokens.ids, backgroundTokenWeight));
    interaction.setCovering(isContentToken);
    explained.push(interaction.explained(record.tokens.packed));
    covered.push(interaction.covered(Float32Array.from(record.tokens.ids, backgroundTokenWeight)));
  }
  if (similarities.length < pairs.length / 2) {
    throw new EngramError('model.answer', `${embedder.identity.model} has no usable vectors for plain texts`, {
      hint: 'Is this a model for embeddings? See: engram embed use --help',
    });
  }
  const [meanExplained, meanCovered] = [average(explained), average(covered)];
  const fine =
    meanExplained === null || meanCovered === null ? null : { explained: meanExplained, covered: meanCovered };
  return { meaning: average(similarities) ?? 0, fine };
}

/** Equal texts are embedded once. */
async function embedEach(
  embedder: Embedder,
  texts: readonly string[],
  kind: 'query' | 'document',
): Promise<Map<string, Embedding>> {
  const distinct = [...new Set(texts)];
  const embeddings = await embedder.embed(distinct, kind, { patient: true });
  return new Map(
    distinct.flatMap((text, at) => (embeddings[at] === undefined ? [] : [[text, embeddings[at]] as const])),
  );
}

function isBuiltIn(identity: EmbedderIdentity): boolean {
  return JSON.stringify(identity) === JSON.stringify(BUILT_IN_IDENTITY);
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
