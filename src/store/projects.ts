import { EngramError } from '../errors.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';
import { immediately, patientFor, type Transactable } from './transaction.ts';

/** A row of `project_bindings`: which project a git repository is (product.md section 6). */
export interface BindingRow {
  readonly gitCommonDir: string;
  readonly project: string;
  readonly origin: string | null;
  readonly root: string;
}

/** Who asks for a project mostly reads, and waits no longer for who writes. */
const PATIENCE_MS = 1000;

const COLUMNS = 'git_common_dir AS gitCommonDir, project, origin, root';

/**
 * The bindings of a database, in the shape of `project/bindings.ts`. `now` dates a new binding.
 * A database that cannot be written, or not now, keeps none: the next call decides the same again.
 */
export function projectBindings(store: Transactable, now: () => number) {
  const { db } = store;
  let isBusy = false;
  return {
    find: (gitCommonDir: string) =>
      oneRow<BindingRow>(db, `SELECT ${COLUMNS} FROM project_bindings WHERE git_common_dir = ?`, gitCommonDir),
    listByProject: (project: string) =>
      allRows<BindingRow>(db, `SELECT ${COLUMNS} FROM project_bindings WHERE project = ? ORDER BY at_ms`, project),
    listByOrigin: (origin: string) =>
      allRows<BindingRow>(db, `SELECT ${COLUMNS} FROM project_bindings WHERE origin = ? ORDER BY at_ms`, origin),
    save: (binding: BindingRow): void => {
      if (isBusy) return;
      run(
        db,
        `INSERT INTO project_bindings(git_common_dir, project, origin, root, at_ms) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT(git_common_dir) DO UPDATE SET project = excluded.project, origin = excluded.origin, root = excluded.root`,
        binding.gitCommonDir,
        binding.project,
        binding.origin,
        binding.root,
        now(),
      );
    },
    atomically: <T>(decide: () => T): T => {
      try {
        return immediately(patientFor(store, PATIENCE_MS), decide);
      } catch (error) {
        if (!(error instanceof EngramError) || error.code !== 'database.busy') throw error;
        isBusy = true;
        return decide();
      }
    },
    aliasesOf: (project: string) =>
      allRows<{ alias: string }>(db, 'SELECT alias FROM project_aliases WHERE project = ?', project).map(
        ({ alias }) => alias,
      ),
  };
}

export function listBindings(db: SqliteDatabase): BindingRow[] {
  return allRows<BindingRow>(db, `SELECT ${COLUMNS} FROM project_bindings ORDER BY project, root`);
}

export function listAliases(db: SqliteDatabase): { readonly alias: string; readonly project: string }[] {
  return allRows(db, 'SELECT alias, project FROM project_aliases ORDER BY alias');
}

/** How many live memories are scoped to each `project_slug`, as they say it; those for every project under null. */
export function countByProject(db: SqliteDatabase): { readonly slug: string | null; readonly memories: number }[] {
  return allRows(
    db,
    `SELECT CASE WHEN project_scoped = 1 THEN project_slug END AS slug, count(*) AS memories FROM memories
     GROUP BY 1 ORDER BY 1`,
  );
}
