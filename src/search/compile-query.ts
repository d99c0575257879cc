import { bigrams, cjkRuns } from '../text/cjk.ts';
import { fold } from '../text/fold.ts';
import { type Identifier, takeIdentifiers } from '../text/identifiers.ts';
import { markedToken } from '../text/index-text.ts';
import { cutToBytes, normalise } from '../text/normalise.ts';
import { stem } from '../text/stem.ts';
import { isStopWord } from '../text/stop-words.ts';
import { words } from '../text/words.ts';

export interface WordTerm {
  readonly kind: 'word';
  readonly text: string;
  readonly stem: string;
  /** Equal to `text` where folding changes nothing. */
  readonly folded: string;
  /** Words of the index that stand in for a misspelled one (SE-19); else empty. */
  readonly rescues: readonly string[];
}

/** An identifier with everything it yields is one term (SE-3). */
export interface IdentifierTerm {
  readonly kind: 'identifier';
  readonly text: string;
  readonly identifier: Identifier;
}

export interface GramTerm {
  readonly kind: 'bigram' | 'single';
  readonly text: string;
}

export type QueryTerm = WordTerm | IdentifierTerm | GramTerm;

export interface CompiledQuery {
  /** The query after SE-1, cut by SE-2. */
  readonly text: string;
  readonly truncated: boolean;
  /** Distinct, the heaviest first when there were too many. */
  readonly terms: readonly QueryTerm[];
  /** Stop words that were left out, distinct, in order. */
  readonly stopWords: readonly string[];
  /** The words of a query of stop words only, searched as one phrase (SE-6); else null. */
  readonly phrase: readonly string[] | null;
}

export const MOST_QUERY_BYTES = 32 * 1024;
export const MOST_TERMS = 64;

/**
 * Takes a query apart into terms (SE-2 to SE-6). Total: any text gives a query, at worst one without terms.
 *
 * @param weightOf - how much a term weighs, to choose the heaviest when there are more than `MOST_TERMS`
 */
export function compileQuery(raw: string, weightOf: (term: QueryTerm) => number): CompiledQuery {
  const cut = cutToBytes(raw, MOST_QUERY_BYTES);
  const text = normalise(cut);
  const { found, rest } = takeIdentifiers(text);
  const plain = rest.flatMap(words);
  const stopWords = [...new Set(plain.filter(isStopWord))];
  const terms = distinct([
    ...found.map((identifier): QueryTerm => ({ kind: 'identifier', text: identifier.whole, identifier })),
    ...plain.filter((word) => !isStopWord(word)).map(wordTerm),
    ...cjkRuns(text).flatMap(gramTerms),
  ]);
  // One stop word stands in nearly every text: it is no phrase.
  const phrase = terms.length === 0 && plain.length > 1 ? plain : null;
  return { text, truncated: cut !== raw, terms: heaviest(terms, weightOf), stopWords, phrase };
}

/** `MATCH` for `fts_prose`: stems of words and sub-words. Null when no term has one. The only such producer (SE-10). */
export function proseMatch(terms: readonly QueryTerm[]): string | null {
  return anyOf(terms.flatMap(proseWords));
}

/** How many memories hold a token of `fts_terms`. */
export type TokenCount = (token: string) => number;

/**
 * `MATCH` for `fts_terms`: words as they are, and the marked classes of SE-7. Tokens that no memory holds are left out,
 * and beside others those that more than `most` hold: by such a word alone nobody gets among the best, and `fts_prose`
 * is asked for it too.
 */
export function termsMatch(terms: readonly QueryTerm[], countOf: TokenCount, most: number): string | null {
  const present = [...new Set(terms.flatMap(indexTokens))].filter((token) => countOf(token) > 0);
  const rare = present.filter((token) => countOf(token) <= most);
  return anyOf(rare.length > 0 ? rare : present);
}

/** `MATCH` for a row of `fts_terms` that holds every one of the terms, each in any of its forms. */
export function everyTermMatch(terms: readonly QueryTerm[], countOf: TokenCount): string | null {
  const each = terms.map((term) => anyOf(indexTokens(term).filter((token) => countOf(token) > 0)));
  return each.some((match) => match === null) || each.length === 0
    ? null
    : each.map((match) => `(${match})`).join(' AND ');
}

/** `MATCH` for words that stand in this order, one after the other. */
export function phraseMatch(phrase: readonly string[]): string {
  return inQuotes(phrase.join(' '));
}

function wordTerm(text: string): WordTerm {
  return { kind: 'word', text, stem: stem(text), folded: fold(text), rescues: [] };
}

/** A run of one character is asked for as such, a longer one by its bigrams (SE-5). */
function gramTerms(run: readonly string[]): GramTerm[] {
  if (run.length === 1) return run.map((text) => ({ kind: 'single', text }));
  return bigrams(run).map((text) => ({ kind: 'bigram', text }));
}

/** Words of one stem are one term, asked for as the first of them. */
function distinct(terms: readonly QueryTerm[]): QueryTerm[] {
  const byKey = new Map<string, QueryTerm>();
  for (const term of terms) {
    const key = `${term.kind} ${term.kind === 'word' ? term.stem : term.text}`;
    if (!byKey.has(key)) byKey.set(key, term);
  }
  return [...byKey.values()];
}

function heaviest(terms: readonly QueryTerm[], weightOf: (term: QueryTerm) => number): QueryTerm[] {
  if (terms.length <= MOST_TERMS) return [...terms];
  const weights = new Map(terms.map((term) => [term, weightOf(term)]));
  return [...terms].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)).slice(0, MOST_TERMS);
}

function proseWords(term: QueryTerm): string[] {
  if (term.kind === 'word') return [term.text, ...term.rescues];
  return term.kind === 'identifier' ? [...term.identifier.subWords, ...term.identifier.joined] : [];
}

/** Every token of `fts_terms` by which a memory can hold this term. */
function indexTokens(term: QueryTerm): string[] {
  if (term.kind === 'word') {
    const folded = term.folded === term.text ? [] : [term.folded];
    const marked = [markedToken('joined', term.text), markedToken('folded', term.folded)];
    return [term.text, ...folded, ...marked, ...term.rescues];
  }
  if (term.kind !== 'identifier') return [markedToken(term.kind, term.text)];
  const { whole, parts, joined, subWords } = term.identifier;
  return [
    ...[whole, ...parts].map((name) => markedToken('identifier', name)),
    ...joined.flatMap((form) => [form, markedToken('joined', form)]),
    ...subWords,
  ];
}

function anyOf(tokens: readonly string[]): string | null {
  return tokens.length === 0 ? null : [...new Set(tokens)].map(inQuotes).join(' OR ');
}

/** Inside double quotes FTS5 knows no operator and no column (SE-10). */
function inQuotes(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
