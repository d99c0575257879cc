import type { MemoryType } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { INDEX_RECIPE } from '../text/index-text.ts';
import { changeStamp, withoutStamp } from './change-stamp.ts';
import { LAST_GOOD } from './last-good.ts';
import type { SqliteDatabase } from './native.ts';
import { QUARANTINED_ROWS } from './quarantine.ts';
import { allRows, oneRow, run, statement } from './statement.ts';

/** Which live memories a search may return (SE-31). */
export interface AdmittedFilter {
  /** Null: both. */
  readonly type: MemoryType | null;
  /** The values of `project_slug` that scoped memories may have; null: any, the project rule is lifted. */
  readonly scopes: readonly string[] | null;
  readonly without: readonly MemoryName[];
}

/** The set that searches look in; full-text statements say `+rowid IN (SELECT pk FROM temp.admitted)` (SE-30). */
export const ADMITTED = 'SELECT pk FROM temp.admitted';

/**
 * Fills `temp.admitted` with the pk of every memory that `filter` admits, whose index is current (SE-9). A
 * quarantined row is judged by its last good record (SY-42), and left out without one (SY-24). The set is kept while database and filter stay the same. Returns its size.
 */
export function admit(db: SqliteDatabase, filter: AdmittedFilter): number {
  const key = `${changeStamp(db)} ${JSON.stringify(filter)}`;
  const kept = present.get(db);
  if (kept?.key === key) return kept.count;
  if (kept === undefined) db.exec('CREATE TEMP TABLE IF NOT EXISTS admitted(pk INTEGER PRIMARY KEY)');
  const count = withoutStamp(db, () => {
    run(db, 'DELETE FROM temp.admitted');
    const parameters = [filter.type, filter.type, ...scopeParameters(filter), withoutParameter(filter)];
    return run(db, FILL, INDEX_RECIPE, ...parameters) + run(db, FILL_LAST_GOOD, INDEX_RECIPE, ...parameters);
  });
  present.set(db, { key, count });
  return count;
}

/** The set that `admit` filled last. */
export function listAdmitted(db: SqliteDatabase): number[] {
  return statement(db, ADMITTED).pluck().all() as number[];
}

/** Each value of `project_slug` of the scoped memories, for the project rule to judge; kept until the database changes. */
export function listScopes(db: SqliteDatabase): readonly string[] {
  const stamp = changeStamp(db);
  const kept = scopesAt.get(db);
  if (kept?.stamp === stamp) return kept.scopes;
  const scopes = allRows<{ slug: string }>(
    db,
    'SELECT DISTINCT project_slug AS slug FROM memories WHERE project_scoped = 1 AND project_slug IS NOT NULL',
  ).map((row) => row.slug);
  scopesAt.set(db, { stamp, scopes });
  return scopes;
}

const scopesAt = new WeakMap<SqliteDatabase, { readonly stamp: string; readonly scopes: readonly string[] }>();

/** How many memories each part of a filter keeps out, for `--explain` (SE-48). A memory may count in several. */
export interface Excluded {
  readonly type: number;
  readonly project: number;
  readonly name: number;
  readonly notIndexed: number;
}

export function countExcluded(db: SqliteDatabase, filter: AdmittedFilter): Excluded {
  const counts = oneRow<Excluded>(
    db,
    `SELECT coalesce(sum(NOT (${OF_TYPE})), 0) AS type, coalesce(sum(NOT (${IN_SCOPE})), 0) AS project,
       coalesce(sum(NOT (${NOT_LEFT_OUT})), 0) AS name, coalesce(sum(NOT (${CURRENT}) AND m.name NOT IN (SELECT name FROM ${LAST_GOOD})), 0) AS notIndexed
     FROM memories m LEFT JOIN index_state s ON s.pk = m.pk`,
    filter.type,
    filter.type,
    ...scopeParameters(filter),
    withoutParameter(filter),
    INDEX_RECIPE,
  );
  return counts ?? { type: 0, project: 0, name: 0, notIndexed: 0 };
}

/** A quarantined row has a text, and maybe an index, that nobody may be shown (SY-24). */
const CURRENT = `s.text_hash IS NOT NULL AND s.recipe = ?
  AND m.name NOT IN (${QUARANTINED_ROWS})`;
/** A row that a shell made without a type has the one of its directory (MF-15). */
const OF_TYPE = `(? IS NULL OR coalesce(m.type, CASE WHEN m.name LIKE 'facts/%' THEN 'fact' ELSE 'feedback' END) = ?)`;
const IN_SCOPE = '(? OR coalesce(m.project_scoped, 0) = 0 OR m.project_slug IN (SELECT value FROM json_each(?)))';
const NOT_LEFT_OUT = 'm.name NOT IN (SELECT value FROM json_each(?))';
/** CROSS keeps `memories` outside, where the index `memories_admission` answers for its wide rows. */
const FILL = `INSERT INTO temp.admitted(pk) SELECT m.pk FROM memories m CROSS JOIN index_state s ON s.pk = m.pk
  WHERE ${CURRENT} AND ${OF_TYPE} AND ${IN_SCOPE} AND ${NOT_LEFT_OUT}`;

const FILL_LAST_GOOD = `INSERT INTO temp.admitted(pk) SELECT m.pk FROM ${LAST_GOOD} m JOIN index_state s ON s.pk = m.pk
  WHERE s.text_hash IS NOT NULL AND s.recipe = ? AND ${OF_TYPE} AND ${IN_SCOPE} AND ${NOT_LEFT_OUT}`;

const present = new WeakMap<SqliteDatabase, { readonly key: string; readonly count: number }>();

function scopeParameters({ scopes }: AdmittedFilter): [number, string] {
  return [scopes === null ? 1 : 0, JSON.stringify(scopes ?? [])];
}

function withoutParameter({ without }: AdmittedFilter): string {
  return JSON.stringify(without);
}
