import {
  FULL_TEXT_TABLES,
  fullTextProblem,
  integrityProblems,
  listWrongIndexTexts,
  quickIntegrityProblems,
} from '../store/health.ts';
import { countOrphans } from '../store/indexes.ts';
import { listLedger } from '../store/ledger.ts';
import { listCounterMismatches } from '../store/outcomes.ts';
import { listQuarantined } from '../store/quarantine.ts';
import { translated } from '../store/sqlite-errors.ts';
import { redact } from '../text/secrets.ts';
import { checkAgreement, checkQuarantine } from './check-agreement.ts';
import { checkLitter, checkModes, checkNames } from './check-directories.ts';
import type { SyncContext } from './context.ts';
import type { CheckFinding } from './finding.ts';

export { type CheckFinding, checkExit } from './finding.ts';

/**
 * Examines database, files and their agreement, and changes nothing (SY-68). A database that is damaged in itself ends the
 * examination: what its tables say is worth nothing then.
 */
export function checkStore(context: SyncContext): CheckFinding[] {
  return translated(() => examine(context).map(withoutSecrets));
}

/**
 * The part of `checkStore` that compares no memory by content, for somebody who waits: damage of the database and of its
 * indexes, files that cannot be used, counters, litter and modes.
 */
export function checkStoreQuickly(context: SyncContext): CheckFinding[] {
  return translated(() =>
    checkDirectoriesAnd(context, quickIntegrityProblems, () => [
      ...checkFullText(context),
      ...checkQuarantine(context),
      ...listNameClashes(context),
      ...checkCounters(context),
      ...checkLedger(context),
    ]).map(withoutSecrets),
  );
}

/** The name of a file or row may be one (D14). */
function withoutSecrets(finding: CheckFinding): CheckFinding {
  return { ...finding, subject: redact(finding.subject), message: redact(finding.message) };
}

/** As the last sync saw them; a later one waits among the pending files. */
function listNameClashes({ store }: SyncContext): CheckFinding[] {
  return listQuarantined(store.db).flatMap(({ path, reason, message }): CheckFinding[] =>
    reason === 'name-clash' ? [{ kind: 'name-clash', subject: path, message, remedy: 'person' }] : [],
  );
}

function examine(context: SyncContext): CheckFinding[] {
  return checkDirectoriesAnd(context, integrityProblems, () => [
    ...checkIndexes(context),
    ...checkAgreement(context),
    ...checkCounters(context),
    ...checkLedger(context),
    ...checkNames(context),
  ]);
}

function checkDirectoriesAnd(
  context: SyncContext,
  findDamage: typeof integrityProblems,
  checkDatabase: () => CheckFinding[],
): CheckFinding[] {
  const directories = [...checkLitter(context), ...checkModes(context)];
  if (context.store.readOnly) return directories;
  const damage = findDamage(context.store.db).map(
    (message): CheckFinding => ({ kind: 'integrity', subject: 'engram.db', message, remedy: 'rebuild' }),
  );
  return [...(damage.length > 0 ? damage : checkDatabase()), ...directories];
}

function checkIndexes(context: SyncContext): CheckFinding[] {
  const broken = checkFullText(context);
  if (broken.some(({ kind }) => kind === 'full-text')) return broken;
  const wrong = listWrongIndexTexts(context.store.db).map(
    ({ name }): CheckFinding => ({
      kind: 'index-text',
      subject: name,
      message: 'the full-text index holds another text than the row',
      remedy: 'repair',
    }),
  );
  return [...wrong, ...broken];
}

function checkFullText({ store }: SyncContext): CheckFinding[] {
  const broken = FULL_TEXT_TABLES.flatMap((table): CheckFinding[] => {
    const problem = fullTextProblem(store, table);
    return problem === null ? [] : [{ kind: 'full-text', subject: table, message: problem, remedy: 'repair' }];
  });
  if (broken.length > 0) return broken;
  const orphans = countOrphans(store.db);
  if (orphans === 0) return [];
  const message = `${orphans} index ${orphans === 1 ? 'row' : 'rows'} without a memory`;
  return [{ kind: 'orphan', subject: 'full text', message, remedy: 'repair' }];
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
