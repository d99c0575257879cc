import { type AST, parseTOML } from 'toml-eslint-parser';
import { withShortStrings } from './short-strings.ts';

/** One `key = value` of the file. Offsets are UTF-16 units of the text without byte order mark. */
export interface Token {
  readonly key: string;
  /** Where the key begins and its value ends. */
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
  readonly kind: TokenKind;
  /** Part of an inline table: its value can be replaced, but there is no line to work with. */
  readonly inline: boolean;
}

export type TokenKind =
  | 'basic'
  | 'literal'
  | 'multi-line-basic'
  | 'multi-line-literal'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'offset-date-time'
  | 'local-date-time'
  | 'local-date'
  | 'local-time'
  | 'other';

/** A piece of the file with lines of its own. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the keys of a memory stand (MF-28). */
export interface TokenPlaces {
  readonly top: readonly Token[];
  /** Keys of `[content]`, however that table is written. */
  readonly content: readonly Token[];
  /** Whether `content` has a header, below which a line can be inserted. */
  readonly hasContentHeader: boolean;
  /** Headers and keys of `pending_evaluations` at any level. */
  readonly pending: readonly Span[];
  /** `pending_evaluations` stands inside an inline table, where no line can be taken out. */
  readonly pendingInline: boolean;
}

/** @throws whatever the parser throws when it does not accept the text */
export function tokenPlaces(text: string): TokenPlaces {
  const short = withShortStrings(text);
  const found = {
    top: [] as Token[],
    content: [] as Token[],
    pending: [] as Span[],
    hasContentHeader: false,
    ends: short.ends,
  };
  // The parser finds no end of a lone 0 that is the last character.
  const [program] = parseTOML(`${short.text}\n`, { tomlVersion: '1.1' }).body;
  for (const node of program.body) {
    if (node.type === 'TOMLKeyValue') {
      takeKeyValue(node, [], found);
      continue;
    }
    const path = node.resolvedKey.map(String);
    if (isPending(path)) {
      found.pending.push(headerSpan(node, text));
      for (const member of node.body) found.pending.push(spanOf(member, found));
    } else if (path.length === 1 && path[0] === 'content') {
      found.hasContentHeader = true;
      for (const member of node.body) takeKeyValue(member, path, found);
    }
  }
  const { top, content, pending, hasContentHeader } = found;
  const pendingInline = content.some((token) => token.inline && token.key === PENDING);
  return { top, content, pending, hasContentHeader, pendingInline };
}

const PENDING = 'pending_evaluations';

interface Found {
  readonly top: Token[];
  readonly content: Token[];
  readonly pending: Span[];
  /** The true ends of strings that were too long for the parser. */
  readonly ends: ReadonlyMap<number, number>;
}

function takeKeyValue(node: AST.TOMLKeyValue, table: readonly string[], found: Found, inline = false): void {
  const path = [...table, ...node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))];
  const [first, second] = path;
  if (first === 'content' && path.length === 1 && node.value.type === 'TOMLInlineTable') {
    for (const member of node.value.body) takeKeyValue(member, path, found, true);
  } else if (isPending(path) && !inline) {
    found.pending.push(spanOf(node, found));
  } else if (path.length === 1 && first !== undefined) {
    found.top.push(tokenOf(node, first, inline, found));
  } else if (first === 'content' && second !== undefined && (path.length === 2 || inline)) {
    found.content.push(tokenOf(node, second, inline, found));
  }
}

function isPending(path: readonly string[]): boolean {
  return path[0] === PENDING || (path[0] === 'content' && path[1] === PENDING);
}

function tokenOf(node: AST.TOMLKeyValue, key: string, inline: boolean, found: Found): Token {
  return { key, ...spanOf(node, found), valueStart: node.value.range[0], kind: kindOf(node.value), inline };
}

function kindOf(node: AST.TOMLContentNode): TokenKind {
  if (node.type !== 'TOMLValue') return 'other';
  if (node.kind !== 'string') return node.kind;
  return node.multiline ? `multi-line-${node.style}` : node.style;
}

function spanOf({ range: [start, end] }: AST.TOMLKeyValue, { ends }: Found): Span {
  return { start, end: ends.get(end) ?? end };
}

/** The node of a table reaches over its keys; its header ends with the line of its name. */
function headerSpan(node: AST.TOMLTable, text: string): Span {
  const lineEnd = text.indexOf('\n', node.key.range[1]);
  return { start: node.range[0], end: lineEnd === -1 ? text.length : lineEnd };
}
