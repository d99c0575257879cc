/** What turns texts into vectors (SE-20). */
export interface Embedder {
  readonly identity: EmbedderIdentity;
  /** Most tokens of a text that the model sees, the rest is cut off; infinite where only the server knows. */
  readonly window: number;
  /** Begins what `embed` needs first, while the caller goes on. What goes wrong is thrown by `embed`. */
  prepare?(): void;
  /**
   * Embeds each text, in order. The same text gives the same bytes alone, among others, and on every run.
   *
   * @param kind - a query keeps all its tokens, a document those that carry meaning (SE-70)
   * @throws EngramError `model.*`
   */
  embed(texts: readonly string[], kind: TextKind, options?: EmbedOptions): Promise<Embedding[]>;
}

export interface EmbedOptions {
  /** Ends waiting for a server: `embed` then throws `model.unreachable`. Without meaning for the built-in model. */
  readonly signal?: AbortSignal;
  /** Nobody waits for an answer: queries are given as much time as documents, and a `fault` of their own. */
  readonly patient?: boolean;
}

export type TextKind = 'query' | 'document';

/** What decides whether two vectors may be compared: vectors of equal identity may (SE-21). */
export interface EmbedderIdentity {
  readonly provider: string;
  readonly model: string;
  /** Which weights. */
  readonly revision: string;
  readonly dims: number;
  /** Everything else that the vectors depend on: prefixes, window, arithmetic, directions of token vectors. */
  readonly recipe: string;
}

export interface Embedding {
  /** `dims` values, norm 1; none where there is a `fault`. */
  readonly vector: Float32Array<ArrayBuffer>;
  /** A second vector, nearer to the words themselves: `dims` values, norm 1. Only the built-in model gives it. */
  readonly lower?: Float32Array<ArrayBuffer>;
  /** Null where the provider gives none (SE-73). */
  readonly tokens: TokenVectors | null;
  /** False when the model cannot read the text: for such a text neither vector nor tokens count (SE-29). */
  readonly isUnderstood: boolean;
  /** Why the provider has no usable vector for this text (SE-24). */
  readonly fault?: string;
}

/** Token vectors of a text (SE-70), in the order of the text. */
export interface TokenVectors {
  readonly ids: Uint16Array<ArrayBuffer>;
  /** 96 integers from -7 to 7 for each token, two a byte, the lower half first. Their length means nothing. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

/** Bytes of one packed token vector. */
export const PACKED_BYTES = 48;
