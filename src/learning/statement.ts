import { bigrams, cjkRuns } from '../text/cjk.ts';
import { type Identifier, identifiers } from '../text/identifiers.ts';
import { normalise } from '../text/normalise.ts';
import { stem } from '../text/stem.ts';
import { isStopWord } from '../text/stop-words.ts';
import { words } from '../text/words.ts';
import { pairedWord } from './opposites.ts';
import { dateOf, measureOf, numberOf, unitOf, versionOf, withDates } from './quantities.ts';

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
  /** It says what comes before, goes where or is denied: its words cannot change places. */
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
  const tokens = markNegations(tokensOf(text));
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
    isOrdered: tokens.some((token) => isNegation(token) || DIRECTIONS.has(token.value)),
  };
}

/** `contrast` opens a part that is rejected, as in `tabs instead of spaces`. */
type Kind =
  | 'word'
  | 'identifier'
  | 'number'
  | 'version'
  | 'unit'
  | 'date'
  | 'negation'
  | 'contrast'
  | 'empty'
  | 'border';

interface Token {
  readonly kind: Kind;
  /** As it is compared: a stem, digits, an identifier in lower case. */
  readonly value: string;
  readonly spelled: readonly string[];
  readonly identifier?: Identifier;
}

const isContent = ({ kind, value }: Token): boolean =>
  kind === 'identifier' ||
  kind === 'number' ||
  kind === 'version' ||
  kind === 'unit' ||
  kind === 'date' ||
  (kind === 'word' && !LIGHT.has(value));

const isNegation = ({ kind }: Token): boolean => kind === 'negation' || kind === 'contrast';

const BORDER: Token = { kind: 'border', value: '', spelled: [] };

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const run of text.split(/\s+/)) {
    const piece = run.replace(AROUND, '');
    for (const part of piece === '' ? [] : tokensOfPiece(piece)) tokens.push(afterNumber(part, tokens.at(-1)));
    if (ENDS_CLAUSE.test(run)) tokens.push(BORDER);
  }
  return tokens;
}

function tokensOfPiece(piece: string): Token[] {
  const lower = piece.toLowerCase();
  const date = dateOf(lower);
  if (date !== null) return [{ kind: 'date', value: date, spelled: [] }];
  const version = versionOf(lower);
  if (version !== null) return [{ kind: 'version', value: version, spelled: [lower] }];
  const measure = measureOf(lower);
  if (measure !== null) {
    return [
      { kind: 'number', value: measure.number, spelled: [] },
      { kind: 'unit', value: measure.unit, spelled: [] },
    ];
  }
  const number = numberOf(lower);
  if (number !== null) return [{ kind: 'number', value: number, spelled: [lower] }];
  const [id] = HYPHENATED.test(piece) || CONTRACTED.test(lower) ? [] : identifiers(piece);
  if (id !== undefined) {
    const spelled = [id.whole, ...id.parts, ...id.joined];
    return [{ kind: 'identifier', value: id.whole, spelled, identifier: id }];
  }
  if (CONTRACTED.test(lower)) return [{ kind: 'negation', value: 'not', spelled: [] }];
  return words(piece).map(wordToken);
}

function wordToken(word: string): Token {
  const number = numberOf(word);
  if (number !== null) return { kind: 'number', value: number, spelled: [word] };
  if (NEGATIONS.has(word)) return { kind: 'negation', value: word, spelled: [word] };
  if (KEPT.has(word)) return { kind: 'word', value: word, spelled: [word] };
  if (isStopWord(word)) return { kind: 'empty', value: word, spelled: [word] };
  return { kind: 'word', value: stem(word), spelled: [word] };
}

/** `5 seconds`: a unit stands behind its number only; elsewhere `second` and `min` are words. */
function afterNumber(token: Token, before: Token | undefined): Token {
  const [word] = token.spelled;
  const unit = before?.kind === 'number' && token.kind === 'word' && word !== undefined ? unitOf(word) : null;
  return unit === null ? token : { ...token, kind: 'unit', value: unit };
}

/** What several words say together: `instead of X`, `rather than X`, `prefer Y over X` reject X; `stop doing X`; `turn on`. */
function markNegations(tokens: readonly Token[]): Token[] {
  const marked: Token[] = [];
  let prefers = false;
  for (const [at, token] of tokens.entries()) {
    if (PREFER.has(token.value)) prefers = true;
    const next = tokens[at + 1]?.value;
    const last = marked.at(-1);
    const opens =
      (token.value === INSTEAD && next === 'of') ||
      (token.value === 'rather' && next === 'than') ||
      (token.value === 'over' && prefers);
    if (opens) {
      marked.push({ ...token, kind: 'contrast', value: 'instead' });
      prefers = false;
    } else if (token.value === 'sure' && last?.value === 'make') {
      marked.pop();
    } else if (token.value === 'stop' && tokens[at + 1]?.spelled[0]?.endsWith('ing') === true) {
      marked.push({ ...token, kind: 'negation' });
    } else if (token.value === 'on' && !SWITCHES.has(last?.value ?? '') && next !== undefined && next !== '') {
      marked.push({ ...token, kind: 'empty' });
    } else {
      marked.push(token);
    }
  }
  return marked;
}

function clausesOf(tokens: readonly Token[]): Clause[] {
  const parts: { tokens: Token[]; rejected: boolean }[] = [];
  let part: { tokens: Token[]; rejected: boolean } = { tokens: [], rejected: false };
  const end = (rejected: boolean) => {
    parts.push(part);
    part = { tokens: [], rejected };
  };
  for (const token of tokens) {
    if (token.kind === 'border') end(false);
    else if (token.kind === 'contrast') end(true);
    else part.tokens.push(token);
  }
  end(false);
  return parts.map(clauseOf).filter((clause) => clause.words.size > 0);
}

function clauseOf({ tokens, rejected }: { readonly tokens: readonly Token[]; readonly rejected: boolean }): Clause {
  const content = tokens.filter(isContent);
  const paired = content.map(({ value }) => pairedWord(value));
  const negated = rejected !== (tokens.filter(isNegation).length % 2 === 1);
  const turned = paired.filter((word) => word?.side).length % 2 === 1;
  return {
    words: new Set(content.map(({ value }, at) => paired[at]?.pair ?? value)),
    content: content.map(({ value }) => value),
    negated,
    negative: negated !== turned,
    order: orderOf(content),
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
const INSTEAD = stem('instead');
const PREFER = new Set(['prefer', 'choose', 'favor', 'favour', 'pick'].map(stem));
const NEGATIONS: ReadonlySet<string> = new Set(
  'not no never nor without avoid avoids avoiding cannot neither none nothing'.split(' '),
);
const CONTRACTED = /^(?:do|does|did|is|are|was|were|wo|ca|would|could|should|has|have|had|must|need)n't$/;
/** Stop words that change what is said. */
const KEPT: ReadonlySet<string> = new Set(['on', 'off', 'over', 'than']);
const SWITCHES: ReadonlySet<string> = new Set(['turn', 'switch']);
/** Words that demand without saying what. */
const LIGHT: ReadonlySet<string> = new Set(
  ['use', 'using', 'always', 'must', 'sure', 'ensure', 'remember', 'shall', 'prefer', 'rather', 'over', 'than'].map(
    stem,
  ),
);
const DIRECTIONS: ReadonlySet<string> = new Set(
  ['before', 'after', 'to', 'from', 'into', 'over', 'than', 'then', 'until', 'by'].map((word) =>
    isStopWord(word) ? word : stem(word),
  ),
);
const HYPHENATED = /^\p{L}+(?:-\p{L}+)+$/u;
const AROUND = /^[\s"'`‘’“”«»()[\]{}<>,;:!?…*]+|[\s"'`‘’“”«»()[\]{}<>,;:!?….*]+$/gu;
const ENDS_CLAUSE = /[,;:!?…)\]]["'`”]*$|\.["'`”]*$|^[–—-]+$/u;
