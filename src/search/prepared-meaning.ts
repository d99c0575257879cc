import type { Meaning } from './meaning-arm.ts';

/** What the model made of a question before it is answered; `search.ts` prepares it. */
export interface PreparedMeaning {
  /** Null: words alone. */
  readonly meaning: Meaning | null;
  /** Why meaning is missing or incomplete (SE-49). */
  readonly degraded: readonly string[];
  /** Full text cannot be read: meaning alone answers. */
  readonly withoutWords?: boolean;
}

export const WORDS_ALONE: PreparedMeaning = { meaning: null, degraded: [] };
