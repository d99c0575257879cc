import type { MemoryRecord, MemoryType } from '../memory/record.ts';
import { directoryOf, directoryOfType, type MemoryName } from '../memory/slug.ts';
import { inProject, type ProjectScope } from '../project/names.ts';
import { type AdmittedFilter, listScopes } from '../store/admitted.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { ProjectRelation } from './answer.ts';

/** Which memories one search admits (SE-31), for rows in SQL and for records. */
export interface ScopeRule {
  readonly filter: AdmittedFilter;
  /** Whether there are memories that only the project rule keeps out. */
  readonly hidesProjects: boolean;
  admits(name: MemoryName, record: MemoryRecord): boolean;
}

export interface ScopeQuestion {
  readonly project: ProjectScope;
  readonly allProjects: boolean;
  readonly type: MemoryType | null;
  readonly without: readonly MemoryName[];
}

export function scopeRule(db: SqliteDatabase, { project, allProjects, type, without }: ScopeQuestion): ScopeRule {
  const present = allProjects ? [] : listScopes(db);
  const scopes = allProjects ? null : present.filter((slug) => inProject(slug, project));
  return {
    filter: { type, scopes, without },
    hidesProjects: scopes !== null && scopes.length < present.length,
    admits: (name, record) =>
      (type === null ||
        record.type === type ||
        (record.type === undefined && directoryOf(name) === directoryOfType(type))) &&
      (allProjects || !record.project_scoped || inProject(record.project_slug, project)) &&
      !without.includes(name),
  };
}

export function projectRelation(
  { project_scoped, project_slug }: Pick<MemoryRecord, 'project_scoped' | 'project_slug'>,
  project: ProjectScope,
): ProjectRelation {
  const here = inProject(project_slug, project);
  if (project_scoped) return here ? 'scoped' : 'other_project';
  return here || project_slug === '' ? 'unscoped' : 'learned_elsewhere';
}
