import { openBuiltIn } from '../../src/search/embed/built-in.ts';
import type { Embedder, Embedding } from '../../src/search/embed/embedder.ts';
import { embedMissing } from '../../src/search/embed-missing.ts';
import { openSpace } from '../../src/search/space.ts';
import type { Store } from '../../src/store/open.ts';

/** When tests embed and ask. */
export const NOW_MS = Date.parse('2026-04-02T10:00:00Z');

/** The model that the package ships. A text that many stores of a test file hold is embedded once. */
export const builtIn: Embedder = remembering(openBuiltIn());

/** Gives every memory of the store its vector. */
export async function embedAll(store: Store, embedder: Embedder = builtIn): Promise<void> {
  await embedMissing(store, await openSpace(store, embedder), embedder, NOW_MS);
}

function remembering({ identity, window, embed }: Embedder): Embedder {
  const known = new Map<string, Embedding>();
  return {
    identity,
    window,
    embed: async (texts, kind) => {
      const missing = [...new Set(texts)].filter((text) => !known.has(`${kind} ${text}`));
      for (const [at, embedding] of (await embed(missing, kind)).entries()) {
        known.set(`${kind} ${missing[at]}`, embedding);
      }
      return texts.flatMap((text) => known.get(`${kind} ${text}`) ?? []);
    },
  };
}
