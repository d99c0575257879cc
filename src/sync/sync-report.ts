import { MEMORY_DIRECTORIES } from '../memory/record.ts';
import { countOpenConflicts } from '../store/conflicts.ts';
import { listHolds } from '../store/holds.ts';
import { listQuarantined } from '../store/quarantine.ts';
import { redact } from '../text/secrets.ts';
import type { SyncContext } from './context.ts';
import { type QuarantineSummary, type StepLog, type SyncReport, summariseQuarantine } from './report.ts';
import type { Pass } from './run-pass.ts';
import type { Scan } from './scan.ts';

export interface Ran {
  readonly scan: Scan;
  readonly pass: Pass;
  readonly log: StepLog;
  readonly dryRun: boolean;
  readonly indexed: number;
}

/** What a run found and did. A dry run stored nothing, so it answers from what it saw: its exit is that of the real run. */
export function syncReport(context: SyncContext, { scan, pass, log, dryRun, indexed }: Ran): SyncReport {
  const { db } = context.store;
  const clashes = dryRun ? pass.rest.clashes : 0;
  return {
    dryRun,
    steps: log.steps,
    imported: log.count('import') + log.count('restore') + log.count('agree'),
    exported: log.count('export'),
    merged: log.count('merge'),
    created: log.count('create-file'),
    renamed: log.count('rename'),
    archived: log.count('archive') + log.count('delete-file'),
    filesChecked: scan.directories.feedback.fileCount + scan.directories.facts.fileCount,
    quarantined: dryRun ? wouldBeQuarantined(scan, pass) : listQuarantined(db).map(summariseQuarantine),
    openConflicts: countOpenConflicts(db) + clashes,
    heldDeletions: dryRun ? pass.held : listHolds(db).map(({ name, reason }) => ({ name, reason })),
    unreadable: MEMORY_DIRECTORIES.filter((directory) => scan.directories[directory].state === 'unreadable').map(
      (directory) => ({ path: context.paths[directory], reason: scan.directories[directory].code ?? 'failed' }),
    ),
    unfinished: [
      ...pass.unfinished.filter(({ refused }) => refused === undefined),
      ...pass.rest.inProgress.map(({ item }) => ({ name: item.name, reason: 'in-progress' })),
    ],
    unwritable: pass.unfinished.flatMap(({ name, refused }) =>
      refused === undefined ? [] : [{ name, reason: refused }],
    ),
    waiting: pass.rest.waiting.map(({ name, action }) => ({ name, reason: action.reason })),
    indexed,
    readOnly: context.store.readOnly,
  };
}

function wouldBeQuarantined(scan: Scan, pass: Pass): QuarantineSummary[] {
  const refused = scan.refused.map(({ path, reason, message }) => ({
    side: 'file' as const,
    path: redact(path),
    line: null,
    column: null,
    reason,
    message,
  }));
  const summaries = [...[...scan.stillQuarantined, ...pass.rest.quarantined].map(summariseQuarantine), ...refused];
  const byPlace = new Map(summaries.map((summary) => [`${summary.side} ${summary.path}`, summary]));
  return [...byPlace.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
