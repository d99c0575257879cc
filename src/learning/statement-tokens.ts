import { type Identifier, takeIdentifiers } from '../text/identifiers.ts';
import { stem } from '../text/stem.ts';
import { isStopWord } from '../text/stop-words.ts';
import { words } from '../text/words.ts';
import { dateOf, measureOf, numberOf, unitOf, versionOf } from './quantities.ts';

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

export interface Token {
  readonly kind: Kind;
  /** As it is compared: a stem, digits, an identifier in lower case. */
  readonly value: string;
  readonly spelled: readonly string[];
  readonly identifier?: Identifier;
}

export const isContent = ({ kind, value }: Token): boolean =>
  kind === 'identifier' ||
  kind === 'number' ||
  kind === 'version' ||
  kind === 'unit' ||
  kind === 'date' ||
  (kind === 'word' && !LIGHT.has(value));

export const isNegation = ({ kind }: Token): boolean => kind === 'negation' || kind === 'contrast';

const BORDER: Token = { kind: 'border', value: '', spelled: [] };
/** What stands before is a heading, no demand. */
export const LABEL_END: Token = { kind: 'border', value: ':', spelled: [] };

/** The tokens of a normalised text whose dates are marked, with what several words say together. */
export function statementTokens(text: string): Token[] {
  return markNegations(tokensOf(text));
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const run of text.split(/\s+/)) {
    const piece = run.replace(AROUND, '');
    for (const part of piece === '' ? [] : tokensOfPiece(piece)) tokens.push(afterNumber(part, tokens.at(-1)));
    if (LABEL.test(run)) tokens.push(LABEL_END);
    else if (ENDS_CLAUSE.test(run) && !CALL.test(run)) tokens.push(BORDER);
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
  if (CONTRACTED.test(lower)) return [{ kind: 'negation', value: 'not', spelled: [] }];
  if (HYPHENATED.test(piece)) return words(piece).map(wordToken);
  const { found, rest } = takeIdentifiers(piece);
  return [...found.map(identifierToken), ...rest.flatMap(words).map(wordToken)];
}

function identifierToken(identifier: Identifier): Token {
  const { whole, parts, joined } = identifier;
  return { kind: 'identifier', value: whole, spelled: [whole, ...parts, ...joined], identifier };
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
  [
    'use',
    'using',
    'run',
    'always',
    'must',
    'sure',
    'ensure',
    'remember',
    'shall',
    'prefer',
    'rather',
    'over',
    'than',
  ].map(stem),
);
/** Words beside which others cannot change places. */
export const DIRECTIONS: ReadonlySet<string> = new Set(
  ['before', 'after', 'to', 'from', 'into', 'over', 'than', 'then', 'until', 'by'].map((word) =>
    isStopWord(word) ? word : stem(word),
  ),
);
const HYPHENATED = /^\p{L}+(?:-\p{L}+)+$/u;
const AROUND = /^[\s"'`‘’“”«»()[\]{}<>,;:!?…*]+|[\s"'`‘’“”«»()[\]{}<>,;:!?….*]+$/gu;
const LABEL = /:["'`*”]*$/;
/** `run()` is a name, no end of a clause in brackets. */
const CALL = /\w\([^()]*\)$/;
const ENDS_CLAUSE = /[,;:!?…)\]]["'`”]*$|\.["'`”]*$|^[–—-]+$/u;
