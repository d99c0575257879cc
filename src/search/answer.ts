import type { MemoryRecord, MemoryType } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { isImported } from '../memory/tiers.ts';
import type { Excluded } from '../store/admitted.ts';
import type { TokenMatch } from './explain-tokens.ts';
import type { FineFigures } from './fine-arm.ts';
import type { Form } from './match-terms.ts';
import type { MeaningFigures } from './meaning-arm.ts';
import type { Gate, KnotTable, Policy } from './relevance.ts';

/** What a search gives back, also as `--json` (SE-47). New keys may come. */
export interface QueryAnswer {
  readonly query: {
    readonly terms: readonly string[];
    readonly stop_words: readonly string[];
    /** Misspelled word -> words of the index that were asked for in its place (SE-19). */
    readonly rescued: Readonly<Record<string, readonly string[]>>;
    readonly truncated: boolean;
  };
  readonly project: { readonly name: string | null; readonly found_by: string };
  readonly policy: Policy;
  readonly floor: number;
  readonly modes: readonly string[];
  readonly degraded: readonly string[];
  /** Admitted memories that have their vector, and all that could; null where meaning was not asked (SE-25). */
  readonly vectors: { readonly present: number; readonly of: number } | null;
  readonly stale: boolean;
  /** Why there is no hit; null when there is one (SE-43). */
  readonly abstained: Abstention | null;
  /** Only without a hit in scope: other projects that have some (SE-33). */
  readonly elsewhere: readonly { readonly project: string; readonly hits: number }[];
  readonly hits: readonly Hit[];
  /** Filled by `explain`, else null. */
  readonly explain: SearchExplanation | null;
}

export type Abstention = 'no_terms' | 'below_floor' | 'thin_evidence' | 'nothing_stored';

/** A memory that applies, and how far. */
export interface Hit {
  readonly name: MemoryName;
  readonly type: MemoryType;
  /** R', 0..1, two decimals (SE-40). */
  readonly relevance: number;
  /** Evidence of each arm that had any to give. */
  readonly arms: { readonly words?: number; readonly meaning?: number; readonly fine?: number };
  readonly record: Omit<MemoryRecord, keyof HitCounts>;
  readonly counts: HitCounts;
  readonly marks: readonly Mark[];
  readonly source_trust: SourceTrust;
  readonly project_relation: ProjectRelation;
  readonly created_at: string | null;
  /** Filled by `explain`, else null. */
  readonly explain: HitExplanation | null;
}

export type HitCounts = Pick<
  MemoryRecord,
  'surfaced_count' | 'followed_count' | 'not_followed_count' | 'irrelevant_count' | 'missed_count'
>;

export type Mark = 'core' | 'needs_review' | 'archived' | 'superseded';

/** How far a memory's origin may be trusted (SE-44). */
export type SourceTrust = 'imported' | 'observed' | 'user';

/** Scoped to this project or to another one; unscoped, learned here or nowhere in particular, or learned elsewhere. */
export type ProjectRelation = 'scoped' | 'other_project' | 'unscoped' | 'learned_elsewhere';

/** One query term in one memory; the last five are null where the memory lacks it (SE-48). */
export interface TermExplanation {
  readonly term: string;
  readonly class: string;
  readonly weight: number;
  readonly field: string | null;
  readonly form: Form | null;
  readonly share: number | null;
  readonly frequency: number | null;
  /** field x form x share x frequency. */
  readonly match: number | null;
}

/** Every figure between the words and the printed relevance; each follows from those before it (SE-48). */
export interface HitExplanation {
  readonly terms: readonly TermExplanation[];
  /** M, cover, E. */
  readonly matched: number;
  readonly cover: number;
  readonly evidence: number;
  /** Similarity, norm and A; null without vectors. */
  readonly meaning: MeaningFigures | null;
  /** L0 and L with what each token of the query found; null without token vectors. */
  readonly fine: (FineFigures & { readonly tokens: readonly TokenMatch[] }) | null;
  /** F, the mean of the arms there are, and the table of knots it was looked up in. */
  readonly fused: number;
  readonly table: KnotTable;
  readonly equal_text: boolean;
  readonly whole_identifier: boolean;
  readonly other_identifier: boolean;
  readonly verbatim: boolean;
  /** R. */
  readonly relevance: number;
  /** a and its parts. */
  readonly adjustment: { readonly overall: number; readonly here: number; readonly total: number };
  /** R'. */
  readonly adjusted: number;
  /** `surface`: the sentence with the largest relevance, where that is larger than the whole text's (SE-74). */
  readonly sentence: { readonly text: string; readonly relevance: number } | null;
  readonly gates: readonly Gate[];
}

export interface SearchExplanation {
  readonly candidates: { readonly words: number; readonly meaning: number; readonly fine: number };
  readonly admitted: number;
  readonly excluded: Excluded;
  readonly times_ms: Readonly<Record<string, number>>;
}

/** Trust of a memory's source (SE-44). */
export function sourceTrust({ source, needs_review }: Pick<MemoryRecord, 'source' | 'needs_review'>): SourceTrust {
  if (needs_review || isImported({ source })) return 'imported';
  return source.startsWith('observed') || source.startsWith('learned message') ? 'observed' : 'user';
}
