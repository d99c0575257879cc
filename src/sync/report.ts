import type { MemoryName } from '../memory/slug.ts';
import type { QuarantineRow } from '../store/quarantine.ts';
import { redact } from '../text/secrets.ts';

/** One thing a sync did or would do, or left alone; a line of the report. */
export interface SyncStep {
  readonly name: string;
  /** What was done: `import`, `export`, `merge`, `create-file`, `delete-file`, `archive`, `rename`, `hold`, `wait` ... */
  readonly action: string;
  /** Why, in one machine word: `file-changed`, `edit-beats-delete`, `returned`, `directory-replaced` ... */
  readonly reason: string;
  /** The other memory where there is one: the new name, the original of a copy. */
  readonly other: string | null;
}

/** What one run of sync found and did. Data for rendering, JSON and the exit status. */
export interface SyncReport {
  readonly dryRun: boolean;
  readonly steps: readonly SyncStep[];
  readonly imported: number;
  readonly exported: number;
  readonly merged: number;
  readonly created: number;
  readonly renamed: number;
  readonly archived: number;
  readonly filesChecked: number;
  readonly quarantined: readonly QuarantineSummary[];
  readonly openConflicts: number;
  readonly heldDeletions: readonly { readonly name: string; readonly reason: string }[];
  /** Directories that could not be listed, with the system's reason. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
  /** Memories that somebody is writing, or whose lock was busy: the next sync takes them. */
  readonly unfinished: readonly { readonly name: string; readonly reason: string }[];
  /** Memories whose file nobody may write: no later sync succeeds until a person changes that. `reason` names the path. */
  readonly unwritable: readonly { readonly name: string; readonly reason: string }[];
  /** Row changes that their file cannot take. */
  readonly waiting: readonly { readonly name: string; readonly reason: string }[];
  readonly indexed: number;
  readonly readOnly: boolean;
}

export interface QuarantineSummary {
  readonly side: 'file' | 'row';
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly reason: string;
  readonly message: string;
}

/** Exit status of `db sync` (SY-67). */
export function syncExit(report: SyncReport): 0 | 1 | 5 | 6 {
  if (report.quarantined.length > 0) return 6;
  if (report.openConflicts > 0 || report.heldDeletions.length > 0 || report.unreadable.length > 0) return 1;
  if (report.unwritable.length > 0) return 1;
  return report.unfinished.length > 0 ? 5 : 0;
}

export function summariseQuarantine(row: Omit<QuarantineRow, 'tries'>): QuarantineSummary {
  return {
    side: row.side,
    path: redact(row.path),
    line: row.line,
    column: row.col,
    reason: row.reason,
    message: row.message,
  };
}

/** Collects the steps of a run. */
export class StepLog {
  readonly steps: SyncStep[] = [];

  add(name: MemoryName | string, action: string, reason: string, other: string | null = null): void {
    this.steps.push({ name, action, reason, other });
  }

  count(action: string): number {
    return this.steps.reduce((sum, step) => sum + (step.action === action ? 1 : 0), 0);
  }
}
