import { bigrams, cjkRuns } from '../text/cjk.ts';
import type { Identifier } from '../text/identifiers.ts';
import { normalise } from '../text/normalise.ts';
import { stem } from '../text/stem.ts';
import { pairedWord } from './opposites.ts';
import { withDates } from './quantities.ts';
import { DIRECTIONS, isContent, isNegation, LABEL_END, statementTokens, type Token } from './statement-tokens.ts';

/** What a short text says, taken apart far enough to tell "the same" from "the same words" (SE-54, AG-45). */
export interface Statement {
  /** Stemmed content words in order, with numbers as digits, identifiers whole; no negations. */
  readonly content: readonly string[];
  readonly clauses: readonly Clause[];
  readonly numbers: readonly string[];
  readonly versions: readonly string[];
  readonly units: readonly string[];
  readonly dates: readonly string[];
  readonly identifiers: readonly Identifier[];
  /** Every word, and every form of an identifier: what an identifier of another text may be written as here. */
  readonly spelled: ReadonlySet<string>;
  /** An odd number of negations: `not`, `never`, `without`, `instead of` ... */
  readonly negated: boolean;
  /** The content of the clauses that are negated. */
  readonly denied: readonly string[];
  /** It says what comes before or goes where: its words cannot change places. */
  readonly isOrdered: boolean;
}

/** A part of a text between commas, with what it demands or forbids. */
export interface Clause {
  /** Stems, each word of an opposite pair as the pair. */
  readonly words: ReadonlySet<string>;
  readonly content: readonly string[];
  readonly negated: boolean;
  /** True where it forbids: by a negation, or by the second side of a pair. */
  readonly negative: boolean;
  /** What it wants first and second, where it says `before` or `after`. */
  readonly order: { readonly first: ReadonlySet<string>; readonly second: ReadonlySet<string> } | null;
}

export function parseStatement(raw: string): Statement {
  const text = withDates(normalise(raw).replaceAll('’', "'"));
  const tokens = statementTokens(text);
  const ofKind = (kind: Token['kind']) => tokens.filter((token) => token.kind === kind).map(({ value }) => value);
  const grams = cjkRuns(text).flatMap(bigrams);
  const clauses = clausesOf(tokens);
  const negated = tokens.filter(isNegation).length % 2 === 1;
  return {
    content: [...tokens.filter(isContent).map(({ value }) => value), ...grams],
    clauses,
    numbers: ofKind('number'),
    versions: ofKind('version'),
    units: ofKind('unit'),
    dates: ofKind('date'),
    identifiers: tokens.flatMap(({ identifier }) => identifier ?? []),
    spelled: new Set(tokens.flatMap(({ spelled }) => spelled)),
    negated,
    denied: clauses.filter((clause) => clause.negated).flatMap(({ content }) => content),
    isOrdered: tokens.some(({ value }) => DIRECTIONS.has(value)),
  };
}

function clausesOf(tokens: readonly Token[]): Clause[] {
  const parts: { tokens: Token[]; rejected: boolean }[] = [];
  let part: { tokens: Token[]; rejected: boolean } = { tokens: [], rejected: false };
  const end = (rejected: boolean) => {
    parts.push(part);
    part = { tokens: [], rejected };
  };
  for (const token of tokens) {
    if (token.kind === 'border') {
      if (token.value !== LABEL_END.value) end(false);
      else part = { tokens: [], rejected: false };
    } else if (token.kind === 'contrast') end(true);
    else part.tokens.push(token);
  }
  end(false);
  return parts.map(clauseOf).filter((clause) => clause.words.size > 0);
}

function clauseOf({ tokens, rejected }: { readonly tokens: readonly Token[]; readonly rejected: boolean }): Clause {
  const content = tokens.filter(isContent);
  const paired = content.map(({ value }) => pairedWord(value));
  const negated = rejected !== (tokens.filter(isNegation).length % 2 === 1);
  const order = orderOf(content);
  // `after` turns the order around, not what is demanded.
  const turns = paired.filter((word, at) => word?.side && !(order !== null && content[at]?.value === AFTER));
  return {
    words: new Set(content.map(({ value }, at) => paired[at]?.pair ?? value)),
    content: content.map(({ value }) => value),
    negated,
    negative: negated !== (turns.length % 2 === 1),
    order,
  };
}

function orderOf(content: readonly Token[]): Clause['order'] {
  const at = content.findIndex(({ value }) => value === BEFORE || value === AFTER);
  if (at === -1) return null;
  const setOf = (part: readonly Token[]) => new Set(part.map(({ value }) => value));
  const [left, right] = [setOf(content.slice(0, at)), setOf(content.slice(at + 1))];
  return content[at]?.value === BEFORE ? { first: left, second: right } : { first: right, second: left };
}

const BEFORE = stem('before');
const AFTER = stem('after');
