import type { Hit, QueryAnswer } from '../../src/search/answer.ts';
import { fixedSource } from '../../src/search/embedder-source.ts';
import { type QueryRequest, runQuery } from '../../src/search/query.ts';
import { search } from '../../src/search/search.ts';
import type { Store } from '../../src/store/open.ts';
import { builtIn, embedAll, NOW_MS } from './built-in-model.ts';

/** A project as the resolver gives it; no aliases, no paths. */
export function project(
  name: string | null,
  scope: { aliases?: string[]; paths?: string[] } = {},
): QueryRequest['project'] {
  return { name, foundBy: name === null ? 'none' : 'flag', aliases: scope.aliases ?? [], paths: scope.paths ?? [] };
}

/** Asks by words alone. */
export function ask(store: Store, text: string, request: Partial<QueryRequest> = {}): QueryAnswer {
  return runQuery(store, { text, project: project(null), ...request });
}

/** Asks by every arm with the built-in model, after each memory has got its vector. */
export async function askEveryArm(
  store: Store,
  text: string,
  request: Partial<QueryRequest> = {},
): Promise<QueryAnswer> {
  await embedAll(store);
  return search(store, { text, project: project(null), ...request }, fixedSource(builtIn), NOW_MS);
}

/** What holds with the built-in model has to hold without it, wherever words can answer. */
export const WAYS_OF_ASKING: readonly { readonly arms: string; readonly ask: typeof askEveryArm }[] = [
  { arms: 'words alone', ask: async (...asked) => ask(...asked) },
  { arms: 'every arm', ask: askEveryArm },
];

/** Slugs of the hits, best first. */
export function slugs(answer: QueryAnswer): string[] {
  return answer.hits.map((hit) => hit.name.slice(hit.name.indexOf('/') + 1));
}

export function hitOf(answer: QueryAnswer, slug: string): Hit | undefined {
  return answer.hits.find((hit) => hit.name.endsWith(`/${slug}`));
}
