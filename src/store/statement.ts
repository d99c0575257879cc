import type Database from 'better-sqlite3';
import type { SqliteDatabase } from './native.ts';

type Prepared = Database.Statement<unknown[]>;

const prepared = new WeakMap<SqliteDatabase, Map<string, Prepared>>();

/** A prepared statement, kept for the life of the database: preparing costs more than running most of them. */
export function statement(db: SqliteDatabase, sql: string): Prepared {
  return prepared.get(db)?.get(sql) ?? prepare(db, sql);
}

function prepare(db: SqliteDatabase, sql: string): Prepared {
  const made = db.prepare<unknown[]>(sql);
  const statements = prepared.get(db) ?? new Map<string, Prepared>();
  prepared.set(db, statements.set(sql, made));
  return made;
}

/** The rows of a query whose columns the caller names in `Row`. */
export function allRows<Row>(db: SqliteDatabase, sql: string, ...parameters: readonly unknown[]): Row[] {
  return statement(db, sql).all(...parameters) as Row[];
}

export function oneRow<Row>(db: SqliteDatabase, sql: string, ...parameters: readonly unknown[]): Row | null {
  return (statement(db, sql).get(...parameters) as Row | undefined) ?? null;
}

/** Runs a writing statement; returns the number of rows it changed. */
export function run(db: SqliteDatabase, sql: string, ...parameters: readonly unknown[]): number {
  return statement(db, sql).run(...parameters).changes;
}
