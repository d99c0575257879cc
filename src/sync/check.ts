import { FULL_TEXT_TABLES, fullTextProblem, integrityProblems, listWrongIndexTexts } from '../store/health.ts';
import { countOrphans } from '../store/indexes.ts';
import { listLedger } from '../store/ledger.ts';
import { listCounterMismatches } from '../store/outcomes.ts';
import { translated } from '../store/sqlite-errors.ts';
import { checkAgreement } from './check-agreement.ts';
import { checkLitter, checkModes, checkNames } from './check-directories.ts';
import type { SyncContext } from './context.ts';
import type { CheckFinding } from './finding.ts';

export { type CheckFinding, checkExit } from './finding.ts';

/**
 * Examines database, files and their agreement, and changes nothing (SY-68). A database that is damaged in itself ends the
 * examination: what its tables say is worth nothing then.
 */
export function checkStore(context: SyncContext): CheckFinding[] {
  return translated(() => examine(context));
}

function examine(context: SyncContext): CheckFinding[] {
  const directories = [...checkLitter(context), ...checkModes(context)];
  if (context.store.readOnly) return directories;
  const { db } = context.store;
  const damage = integrityProblems(db);
  if (damage.length > 0) {
    return [
      ...damage.map((message) => ({ kind: 'integrity', subject: 'engram.db', message, remedy: 'rebuild' }) as const),
      ...directories,
    ];
  }
  return [
    ...checkIndexes(context),
    ...checkAgreement(context),
    ...checkCounters(context),
    ...checkLedger(context),
    ...checkNames(context),
    ...directories,
  ];
}

function checkIndexes({ store }: SyncContext): CheckFinding[] {
  const broken = FULL_TEXT_TABLES.flatMap((table): CheckFinding[] => {
    const problem = fullTextProblem(store, table);
    return problem === null ? [] : [{ kind: 'full-text', subject: table, message: problem, remedy: 'repair' }];
  });
  if (broken.length > 0) return broken;
  const orphans = countOrphans(store.db);
  return [
    ...listWrongIndexTexts(store.db).map(
      ({ name }): CheckFinding => ({
        kind: 'index-text',
        subject: name,
        message: 'the full-text index holds another text than the row',
        remedy: 'repair',
      }),
    ),
    ...(orphans === 0
      ? []
      : [
          {
            kind: 'orphan',
            subject: 'full text',
            message: `${orphans} index ${orphans === 1 ? 'row' : 'rows'} without a memory`,
            remedy: 'repair',
          } as const,
        ]),
  ];
}

function checkCounters({ store }: SyncContext): CheckFinding[] {
  return listCounterMismatches(store.db).map((name) => ({
    kind: 'counters',
    subject: name,
    message: 'the counters are not what their events add up to',
    remedy: 'repair',
  }));
}

/** An entry is there while somebody writes; one of a dead process is settled by the next sync, and by repair. */
function checkLedger({ store }: SyncContext): CheckFinding[] {
  return listLedger(store.db).map(({ name, op, owner }) => ({
    kind: 'ledger',
    subject: name,
    message: `a ${op} of its file by process ${owner} was not finished`,
    remedy: 'repair',
  }));
}
