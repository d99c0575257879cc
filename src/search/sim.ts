import { foldedText } from '../memory/exact-key.ts';
import { listPartVectors, type PartRow } from '../store/part-embeddings.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import type { Transactable } from '../store/transaction.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { wordStatistics } from '../store/word-statistics.ts';
import { normalise } from '../text/normalise.ts';
import { compileQuery } from './compile-query.ts';
import { searchVector } from './embed/accept-vector.ts';
import { dot } from './embed/dot.ts';
import { type Embedder, type Embedding, PACKED_BYTES, type TokenVectors } from './embed/embedder.ts';
import { isFunctionToken } from './embed/function-tokens.ts';
import { type LateInteraction, openLateInteraction } from './embed/late-interaction.ts';
import { tokensOfBytes, vectorOfBytes } from './embed/vector-bytes.ts';
import { partText } from './embedded-text.ts';
import type { EmbedderSource } from './embedder-source.ts';
import type { SearchedTexts } from './match-terms.ts';
import { aboveBackground, fuse, relevanceOf } from './relevance.ts';
import { isModelError } from './search.ts';
import { openSpace } from './space.ts';
import { backgroundWeight } from './term-weights.ts';
import { queryWeight, tokenText, tokenWeight } from './token-weights.ts';
import { type EvidenceFinder, evidenceFinder, wordsScale } from './words-arm.ts';

/** Compares some texts with each other. */
export interface Comparison {
  /**
   * `sim` of two of the texts, 0 to 1 (SE-37): how likely one is of use where the other was asked for. Symmetric; 1 for
   * texts that are equal after SE-1, case folding and final punctuation. It nominates; it never says that two texts mean
   * the same. Texts that were not given are compared by words.
   */
  sim(a: string, b: string): number;
  /** Why the arms that need the model are missing (SE-49). */
  readonly degraded: readonly string[];
}

/**
 * Prepares texts to be compared: all of them are embedded in one call, but those whose vectors are kept. Without a model they
 * are compared by words.
 *
 * @param source - null: by words alone
 * @param pks - memories whose behavior and action are among the texts (SE-22)
 * @throws EngramError `database.*`
 */
export async function compareTexts(
  store: Transactable,
  texts: readonly string[],
  source: EmbedderSource | null,
  pks: readonly number[] = [],
): Promise<Comparison> {
  if (source === null) return comparison(store, null, []);
  try {
    const embedder = await source.openForQuestion(store.db);
    if (typeof embedder === 'string') return comparison(store, null, [embedder]);
    const space = await openSpace(store, embedder);
    const kept = pks.length === 0 ? NONE_KEPT : listPartVectors(store.db, space.space, pks);
    const vectors = await vectorsOf([...new Set(texts.map(normalise))], embedder, kept);
    return comparison(store, { space, vectors }, []);
  } catch (error) {
    if (isModelError(error)) return comparison(store, null, ['no_model']);
    throw translateSqliteError(error);
  }
}

interface Vectors {
  readonly space: VectorSpace;
  /** By normalised text; null for one that the model cannot read (SE-29). */
  readonly vectors: ReadonlyMap<string, TextVectors | null>;
}

interface TextVectors {
  /** Norm 1. */
  readonly vector: Float32Array;
  readonly tokens: TokenVectors | null;
}

const NONE_KEPT: ReturnType<typeof listPartVectors> = new Map();

async function vectorsOf(
  texts: readonly string[],
  embedder: Embedder,
  kept: ReturnType<typeof listPartVectors>,
): Promise<Vectors['vectors']> {
  const vectors = new Map<string, TextVectors | null>();
  const asked: string[] = [];
  for (const text of texts) {
    if (text === '') continue;
    const known = kept.get(partText(text).hash);
    if (known === undefined) asked.push(text);
    else vectors.set(text, known === null ? null : readVectors(known));
  }
  const embeddings = asked.length === 0 ? [] : await embedder.embed(asked, 'query');
  for (const [at, text] of asked.entries()) vectors.set(text, accepted(embeddings[at], embedder.identity.dims));
  return vectors;
}

function readVectors({ vector, tokens }: NonNullable<PartRow['vectors']>): TextVectors {
  return { vector: vectorOfBytes(vector), tokens: tokens === null ? null : tokensOfBytes(tokens) };
}

function accepted(embedding: Embedding | undefined, dims: number): TextVectors | null {
  if (embedding === undefined || !embedding.isUnderstood) return null;
  const vector = searchVector(embedding, dims);
  return typeof vector === 'string' ? null : { vector, tokens: embedding.tokens };
}

/** A text, taken apart once however often it is compared. */
interface PreparedText {
  readonly folded: string;
  readonly hasTerms: boolean;
  readonly finder: EvidenceFinder;
  readonly texts: SearchedTexts;
  readonly vectors: TextVectors | null;
}

function comparison(store: Transactable, meaning: Vectors | null, degraded: Comparison['degraded']): Comparison {
  const statistics = wordStatistics(store.db);
  const weightOf = meaning === null ? () => 0 : tokenWeight(store.db, meaning.space);
  const texts = new Map<string, PreparedText>();
  const prepared = (raw: string): PreparedText => {
    const known = texts.get(raw);
    if (known !== undefined) return known;
    const text = normalise(raw);
    const query = compileQuery(text, backgroundWeight);
    const made = {
      folded: foldedText(text),
      hasTerms: query.terms.length > 0,
      // A text may hold anything that it is asked for: it is in no index.
      finder: evidenceFinder(query, wordsScale(query, statistics), () => 1),
      texts: asSituation(text),
      vectors: meaning?.vectors.get(text) ?? null,
    };
    texts.set(raw, made);
    return made;
  };
  return {
    sim: (one, other) => {
      const [a, b] = [prepared(one), prepared(other)];
      const words = wordsEvidence(a, b);
      const figures = meaning === null ? null : meaningEvidence(a.vectors, b.vectors, meaning.space, weightOf);
      const hasWords = (a.hasTerms && b.hasTerms) || words > 0 || figures === null;
      const fusion = fuse({
        words: hasWords ? words : null,
        meaning: figures?.meaning ?? null,
        fine: figures?.fine ?? null,
        coverage: null,
      });
      return relevanceOf(
        fusion?.fused ?? 0,
        { equal: a.folded === b.folded, wholeIdentifier: false, otherIdentifier: false, verbatim: false },
        fusion?.table,
      );
    },
    degraded,
  };
}

/** A text as the situation of a memory that says nothing else. */
function asSituation(text: string): SearchedTexts {
  return { texts: { situation: text, entity: '', content: '' }, analysed: {} };
}

/** E of a in b and of b in a, averaged. */
function wordsEvidence(a: PreparedText, b: PreparedText): number {
  return (a.finder.of(b.texts).evidence + b.finder.of(a.texts).evidence) / 2;
}

/** A from the cosine, and L of a in b and of b in a, averaged. Null where the model cannot read one of them. */
function meaningEvidence(
  a: TextVectors | null,
  b: TextVectors | null,
  { background }: VectorSpace,
  weightOf: (token: number) => number,
): { readonly meaning: number; readonly fine: number | null } | null {
  if (a === null || b === null) return null;
  const meaning = aboveBackground(dot(a.vector, b.vector), background.meaning);
  if (background.fine === null || a.tokens === null || b.tokens === null) return { meaning, fine: null };
  const explained = (explainedIn(a.tokens, b.tokens, weightOf) + explainedIn(b.tokens, a.tokens, weightOf)) / 2;
  return { meaning, fine: Math.max(0, aboveBackground(explained, background.fine.explained)) };
}

function explainedIn(query: TokenVectors, text: TokenVectors, weightOf: (token: number) => number): number {
  interaction ??= openLateInteraction();
  interaction.setQuery(query, queryWeight(query.ids, weightOf));
  return interaction.explained(meaningTokens(text));
}

/** The token vectors a stored text would have: those of function words say nothing of it (SE-70). */
function meaningTokens({ ids, packed }: TokenVectors): Uint8Array {
  const kept = [...ids.keys()].filter((at) => !isFunctionToken(tokenText(ids[at] ?? 0)));
  if (kept.length === 0 || kept.length === ids.length) return packed;
  const bytes = new Uint8Array(kept.length * PACKED_BYTES);
  for (const [to, at] of kept.entries())
    bytes.set(packed.subarray(at * PACKED_BYTES, (at + 1) * PACKED_BYTES), to * PACKED_BYTES);
  return bytes;
}

let interaction: LateInteraction | null = null;
