/** The parsed values of one memory, without layout. Keys are those of the file and of the table `memories`. */

export type MemoryType = 'feedback' | 'fact';

/** The directory below `memory/`; with the slug it is the identity of a memory (MF-1). */
export type MemoryDirectory = 'feedback' | 'facts';

export const MEMORY_DIRECTORIES = ['feedback', 'facts'] as const satisfies readonly MemoryDirectory[];

export const COUNTER_KEYS = [
  'surfaced_count',
  'followed_count',
  'not_followed_count',
  'irrelevant_count',
  'missed_count',
] as const;
export type CounterKey = (typeof COUNTER_KEYS)[number];

export const TIME_KEYS = ['created_at', 'updated_at'] as const;
export type TimeKey = (typeof TIME_KEYS)[number];

/** Keys that may stand at top level or below `[content]` (memory-format.md section 2). */
export const TRACKING_KEYS = [...COUNTER_KEYS, 'initial_confidence', ...TIME_KEYS] as const;
export type TrackingKey = (typeof TRACKING_KEYS)[number];

export const FEEDBACK_KEYS = ['behavior', 'impact', 'action'] as const;
export const FACT_KEYS = ['subject', 'predicate', 'object'] as const;
export const CONTENT_KEYS = [...FEEDBACK_KEYS, ...FACT_KEYS] as const;
export type ContentKey = (typeof CONTENT_KEYS)[number];

/** The three content keys that a memory of this type has. */
export function contentKeysOf(type: MemoryType): typeof FEEDBACK_KEYS | typeof FACT_KEYS {
  return type === 'feedback' ? FEEDBACK_KEYS : FACT_KEYS;
}

/** Everything one memory says. */
export interface MemoryRecord {
  readonly schema_version: number;
  readonly type: MemoryType;
  readonly situation: string;
  readonly source: string;
  readonly core: boolean;
  readonly core_origin: 'user' | 'auto' | null;
  readonly needs_review: boolean;
  readonly project_scoped: boolean;
  readonly project_slug: string;
  /** Feedback only, else null. */
  readonly behavior: string | null;
  readonly impact: string | null;
  readonly action: string | null;
  /** Facts only, else null. */
  readonly subject: string | null;
  readonly predicate: string | null;
  readonly object: string | null;
  readonly surfaced_count: number;
  readonly followed_count: number;
  readonly not_followed_count: number;
  readonly irrelevant_count: number;
  readonly missed_count: number;
  /** 0..1; null = unknown, which differs from 0. */
  readonly initial_confidence: number | null;
  /** Normalised by `parseTimestamp`: UTC, `Z`, trailing zeros of the fraction dropped. Null = unknown. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /**
   * Unknown keys and tables of the file as canonical JSON (sorted keys), null when there are none. Always comes from
   * the file; shown to people, never merged.
   */
  readonly extra: string | null;
}

export type RecordKey = keyof MemoryRecord;

/** Every key of a record, in the order of a rendered file (MF-31); `extra` last. */
export const RECORD_KEYS = [
  'schema_version',
  'type',
  'source',
  'core',
  'core_origin',
  'needs_review',
  'situation',
  'project_scoped',
  'project_slug',
  'created_at',
  'updated_at',
  'surfaced_count',
  'followed_count',
  'not_followed_count',
  'irrelevant_count',
  'missed_count',
  'initial_confidence',
  'behavior',
  'impact',
  'action',
  'subject',
  'predicate',
  'object',
  'extra',
] as const satisfies readonly RecordKey[];

/** Texts whose clash becomes a conflict row (SY-15). */
export const TEXT_KEYS = ['situation', ...CONTENT_KEYS] as const;
export type TextKey = (typeof TEXT_KEYS)[number];

/** The layout a file was recognised as (memory-format.md section 3). */
export type Variant = 'M1' | 'M2' | 'M3' | 'M4-top' | 'M4-nested' | 'M5-top' | 'M5-nested';

/** Something about a readable file that its owner should know; never a reason to refuse it. */
export interface ReadNote {
  readonly key: string;
  readonly message: string;
}

/** A file that was read: the record and what a later write has to know about the file. */
export interface ParsedMemory {
  readonly record: MemoryRecord;
  readonly variant: Variant;
  /** `schema_version` above 2: indexed, never written (MF-17). */
  readonly newerVersion: boolean;
  readonly notes: readonly ReadNote[];
  /**
   * Tracking keys that the file gives a value, at either level or by another key (confidence and ignored counts of M1,
   * source of M5); one that was known and is absent is no change (MF-22).
   */
  readonly present: readonly TrackingKey[];
  /** Keys with a token that cannot be used: read as default, never overwritten (MF-24). */
  readonly unusable: readonly RecordKey[];
}

export type QuarantineReason =
  | 'not-regular'
  | 'name'
  | 'conflict-copy'
  | 'name-clash'
  | 'not-utf8'
  | 'syntax'
  | 'merge-markers'
  | 'too-large'
  | 'secret'
  | 'truncated'
  | 'invalid'
  | 'unreadable';

/** What the reader says about one file (MF-27). `line` and `column` count from 1; null where no place can be named. */
export type ReadResult =
  | { readonly kind: 'ok'; readonly memory: ParsedMemory }
  | {
      readonly kind: 'quarantined';
      readonly reason: QuarantineReason;
      readonly line: number | null;
      readonly column: number | null;
      readonly message: string;
    };

/** Values to write into a record; a key not named stays. Null removes `core_origin` and is refused elsewhere. */
export type RecordChanges = Partial<Omit<MemoryRecord, 'extra' | 'type' | 'schema_version'>>;

/** The keys in which two records differ, in the order of `RECORD_KEYS`. Times are normalised, so text equality is equality of instants. */
export function differingKeys(a: MemoryRecord, b: MemoryRecord): RecordKey[] {
  return RECORD_KEYS.filter((key) => a[key] !== b[key]);
}

export function sameRecord(a: MemoryRecord, b: MemoryRecord): boolean {
  return RECORD_KEYS.every((key) => a[key] === b[key]);
}

const UNAUTHORED: ReadonlySet<RecordKey> = new Set<RecordKey>([...COUNTER_KEYS, ...TIME_KEYS]);

/** Everything but counters and timestamps (sync.md section 1). */
export function isAuthoredKey(key: RecordKey): boolean {
  return !UNAUTHORED.has(key);
}

export function sameAuthored(a: MemoryRecord, b: MemoryRecord): boolean {
  return RECORD_KEYS.every((key) => UNAUTHORED.has(key) || a[key] === b[key]);
}

/** A record that says nothing yet: each key as an absent one is read, zero counters (MF-10), both times `at`. */
export function emptyRecord(type: MemoryType, at: string | null): MemoryRecord {
  return {
    schema_version: 1,
    type,
    situation: '',
    source: '',
    core: false,
    core_origin: null,
    needs_review: false,
    project_scoped: false,
    project_slug: '',
    behavior: null,
    impact: null,
    action: null,
    subject: null,
    predicate: null,
    object: null,
    surfaced_count: 0,
    followed_count: 0,
    not_followed_count: 0,
    irrelevant_count: 0,
    missed_count: 0,
    initial_confidence: null,
    created_at: at,
    updated_at: at,
    extra: null,
  };
}
