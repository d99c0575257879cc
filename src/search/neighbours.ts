import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { admit } from '../store/admitted.ts';
import { findBase } from '../store/bases.ts';
import { listFactNames } from '../store/live-memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { scopeRule } from './project-scope.ts';
import type { QueryRequest } from './query.ts';

/** A fact with what it says. */
export interface FoundFact {
  readonly name: MemoryName;
  readonly record: MemoryRecord;
}

/**
 * Facts that share a subject or an object with given ones, the newest first; without those (AG-19). Only such that apply in
 * the project.
 */
export function factsBeside(
  db: SqliteDatabase,
  known: readonly FoundFact[],
  { project, most }: { readonly project: QueryRequest['project']; readonly most: number },
): FoundFact[] {
  const entities = known.flatMap(({ record: { subject, object } }) =>
    [subject, object].flatMap((text) => (text === null || text.trim() === '' ? [] : [text.trim().toLowerCase()])),
  );
  if (entities.length === 0) return [];
  // As the search that found them asked, so that the set is there already.
  admit(db, scopeRule(db, { project, allProjects: false, type: null, without: [] }).filter);
  const names = listFactNames(db, entities, most + known.length);
  return names
    .filter((name) => !known.some((fact) => fact.name === name))
    .slice(0, most)
    .flatMap((name) => {
      const record = findBase(db, name)?.record;
      return record === undefined ? [] : [{ name, record }];
    });
}
