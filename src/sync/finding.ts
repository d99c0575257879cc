/** What `db check` can find (SY-68). */
export type FindingKind =
  | 'integrity'
  | 'full-text'
  | 'index-text'
  | 'orphan'
  | 'not-synced'
  | 'quarantined'
  | 'row-lost'
  | 'row-unlogged'
  | 'base'
  | 'counters'
  | 'ledger'
  | 'stale-lock'
  | 'temp-file'
  | 'mode'
  | 'name-clash';

/** One thing that is not as it should be, and who can put it right. */
export interface CheckFinding {
  readonly kind: FindingKind;
  /** The memory, path or table. */
  readonly subject: string;
  readonly message: string;
  /** `repair`, `sync` and `rebuild` are commands of `engram db`; `person`: nothing does it for them. */
  readonly remedy: 'repair' | 'sync' | 'rebuild' | 'person';
}

/** Exit status of `db check` (SY-67). */
export function checkExit(findings: readonly CheckFinding[]): 0 | 1 | 6 {
  if (findings.some(({ kind }) => kind === 'integrity')) return 6;
  return findings.length > 0 ? 1 : 0;
}
