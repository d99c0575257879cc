const TASK = 'Given a situation, find the notes that apply';
const SEARCHING = 'Represent this sentence for searching relevant passages: ';

/** What well-known models were trained to see before a text, as their model cards say; without it they find less. */
const KNOWN: readonly { readonly model: RegExp; readonly query: string; readonly document: string }[] = [
  { model: /nomic-embed/, query: 'search_query: ', document: 'search_document: ' },
  { model: /\be5-.*instruct/, query: `Instruct: ${TASK}\nQuery: `, document: '' },
  { model: /\be5-/, query: 'query: ', document: 'passage: ' },
  { model: /arctic-embed(2|.*v2)/, query: 'query: ', document: '' },
  { model: /mxbai-embed-large|arctic-embed|bge-(small|base|large)-en/, query: SEARCHING, document: '' },
  { model: /embeddinggemma/, query: 'task: search result | query: ', document: 'title: none | text: ' },
  { model: /qwen3-embedding/, query: `Instruct: ${TASK}\nQuery:`, document: '' },
];

/** The prefixes of a model by its name; none where it is not known to want any. */
export function knownPrefixes(model: string): { readonly query: string; readonly document: string } {
  const name = model.toLowerCase();
  const known = KNOWN.find((each) => each.model.test(name));
  return { query: known?.query ?? '', document: known?.document ?? '' };
}
