import type { Hit, QueryAnswer } from '../../src/search/answer.ts';
import { type QueryRequest, runQuery } from '../../src/search/query.ts';
import type { Store } from '../../src/store/open.ts';

/** A project as the resolver gives it; no aliases, no paths. */
export function project(
  name: string | null,
  scope: { aliases?: string[]; paths?: string[] } = {},
): QueryRequest['project'] {
  return { name, foundBy: name === null ? 'none' : 'flag', aliases: scope.aliases ?? [], paths: scope.paths ?? [] };
}

export function ask(store: Store, text: string, request: Partial<QueryRequest> = {}): QueryAnswer {
  return runQuery(store, { text, project: project(null), ...request });
}

/** Slugs of the hits, best first. */
export function slugs(answer: QueryAnswer): string[] {
  return answer.hits.map((hit) => hit.name.slice(hit.name.indexOf('/') + 1));
}

export function hitOf(answer: QueryAnswer, slug: string): Hit | undefined {
  return answer.hits.find((hit) => hit.name.endsWith(`/${slug}`));
}
