import { cjkRuns, grams, withoutCjk } from './cjk.ts';
import { type Identifier, identifiers } from './identifiers.ts';
import { matchedSituation, normalise } from './normalise.ts';
import { foldedWords, words } from './words.ts';

/** The fields that are searched, as one row of each full-text table has them (search.md section 3). */
export interface FieldTexts {
  readonly situation: string;
  readonly entity: string;
  readonly content: string;
}

export const FIELDS = ['situation', 'entity', 'content'] as const satisfies readonly (keyof FieldTexts)[];
export type Field = (typeof FIELDS)[number];

/** The texts of a memory, as a record or a row has them. Null or missing is no text. */
export interface MemoryTexts {
  readonly situation: string | null;
  readonly behavior: string | null;
  readonly impact: string | null;
  readonly action: string | null;
  readonly subject: string | null;
  readonly predicate: string | null;
  readonly object: string | null;
}

/**
 * Version of everything from here down to `words`: whoever changes what an index row holds changes it, and every row is
 * indexed again (SE-8).
 */
export const INDEX_RECIPE = '1';

/** The normalised texts of the three fields. `content` is behavior, impact and action, or the predicate. */
export function fieldTexts(memory: MemoryTexts): FieldTexts {
  return {
    situation: normalise(matchedSituation(memory.situation ?? '')),
    entity: normalise(joined([memory.subject, memory.object])),
    content: normalise(joined([memory.behavior, memory.impact, memory.action, memory.predicate])),
  };
}

/**
 * What a row of `fts_terms` holds for one normalised text: the text itself, which its tokenizer splits into our words,
 * then sub-words and the marked classes (SE-7).
 */
export function termsText(text: string): string {
  const ascii = ASCII.test(text);
  const tokens = [ascii ? text : withoutCjk(text)];
  for (const id of identifiers(text)) tokens.push(identifierTokens(id));
  if (!ascii) tokens.push(...otherTokens(text));
  return tokens.length === 1 ? text : tokens.join(' ');
}

/** Characters that mark the class of a token; plain words and sub-words have none (SE-7). */
const CLASS_MARK = {
  identifier: '\uE001',
  joined: '\uE002',
  folded: '\uE003',
  bigram: '\uE004',
  single: '\uE005',
} as const;
export type MarkedClass = keyof typeof CLASS_MARK;

/** A token as `fts_terms` has it: its class mark, and punctuation mapped to private-use characters. */
export function markedToken(kind: MarkedClass, text: string): string {
  return CLASS_MARK[kind] + (kind === 'identifier' ? text.replace(otherThanWord(text), privateUse) : text);
}

/** Identifiers repeat across memories, and making their tokens is most of the work. */
function identifierTokens(id: Identifier): string {
  const known = tokensOfIdentifier.get(id);
  if (known !== undefined) return known;
  const names = [id.whole, ...id.parts].map((name) => markedToken('identifier', name));
  const made = [...id.hiddenSubWords, ...names, ...id.joined.map((form) => markedToken('joined', form))].join(' ');
  tokensOfIdentifier.set(id, made);
  return made;
}

const tokensOfIdentifier = new WeakMap<Identifier, string>();

function otherTokens(text: string): string[] {
  const { bigrams, singles } = grams(cjkRuns(text));
  return [
    ...foldedWords(words(text)).map((word) => markedToken('folded', word)),
    ...bigrams.map((pair) => markedToken('bigram', pair)),
    ...singles.map((character) => markedToken('single', character)),
  ];
}

const joined = (texts: readonly (string | null)[]): string => texts.filter((text) => text !== null).join(' ');

const ASCII = /^[\x00-\x7f]*$/;

function otherThanWord(text: string): RegExp {
  // Classes of Unicode take half a millisecond to compile, and most identifiers need none.
  return ASCII.test(text) ? /[^A-Za-z0-9]/g : /[^\p{L}\p{M}\p{N}]/gu;
}

/** ASCII has a block of its own; anything else is spelled out between two marks. */
function privateUse(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? String.fromCharCode(0xe100 + code) : `\uE0FE${code.toString(16)}\uE0FE`;
}
