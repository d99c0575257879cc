import type { Token, TokenKind } from './token-places.ts';
import { basicString, floatText, multiLineString } from './toml-values.ts';

/** What a key of a record can be set to. */
export type NewValue = string | number | boolean;

/** How a key is written where it was not written before. */
export type ValueShape = 'text' | 'time' | 'count' | 'confidence' | 'flag';

/** The token for a new line. One line: a text with line breaks has them escaped (MF-28). */
export function freshToken(value: NewValue, shape: ValueShape): string {
  if (typeof value === 'string') return basicString(value);
  return shape === 'confidence' && typeof value === 'number' ? floatText(value) : String(value);
}

/**
 * The token that takes the place of an old one, of the same kind where the kind can say the value (MF-29).
 *
 * @param old - the old token as written
 * @param fileLineEnd - for line breaks where the old token has none
 */
export function replacementToken(
  value: NewValue,
  shape: ValueShape,
  { kind }: Pick<Token, 'kind'>,
  old: string,
  fileLineEnd: string,
): string {
  if (shape === 'time' && typeof value === 'string' && !isString(kind)) return dateToken(value, kind, old);
  if (isString(kind)) return stringToken(String(value), kind, old, fileLineEnd);
  if (kind === 'float' && typeof value === 'number') return floatText(value);
  return freshToken(value, shape);
}

function isString(kind: TokenKind): boolean {
  return kind === 'basic' || kind === 'literal' || kind === 'multi-line-basic' || kind === 'multi-line-literal';
}

function stringToken(value: string, kind: TokenKind, old: string, fileLineEnd: string): string {
  if (kind === 'literal' && /^[^'\u0000-\u0008\u000a-\u001f\u007f]*$/.test(value)) return `'${value}'`;
  if (kind === 'basic' || kind === 'literal') return basicString(value);
  const lineEnd = old.includes('\n') ? (old.includes('\r\n') ? '\r\n' : '\n') : fileLineEnd;
  const isLiteral = kind === 'multi-line-literal' && !/'''|'$|[\u0000-\u0008\u000b-\u001f\u007f]/.test(value);
  return isLiteral ? `'''${lineEnd}${value.replaceAll('\n', lineEnd)}'''` : multiLineString(value, lineEnd);
}

/** A date-time stays one; a local one stays local, since no offset means UTC (MF-25). */
function dateToken(normalised: string, kind: TokenKind, old: string): string {
  const separator = old[10] === ' ' || old[10] === 't' ? old[10] : 'T';
  if (kind === 'local-date' && normalised.endsWith('T00:00:00Z')) return normalised.slice(0, 10);
  const token = kind === 'local-date-time' ? normalised.slice(0, -1) : normalised;
  return token.replace('T', separator);
}
