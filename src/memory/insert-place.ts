import { CONTENT_KEYS, RECORD_KEYS, TRACKING_KEYS } from './record.ts';
import type { Token, TokenPlaces } from './token-places.ts';
import { M1_KEYS } from './variants.ts';

/** Where a new line goes: below the line of a token, or above it. */
export interface InsertPlace {
  readonly where: 'below' | 'above';
  readonly token: Token;
}

const isTracking: (key: string) => boolean = (key) => TRACKING_KEYS.some((candidate) => candidate === key);
const CONTENT_FIELDS: ReadonlySet<string> = new Set([...CONTENT_KEYS, ...M1_KEYS.slice(0, 5)]);

/** The place of a key that the file does not have yet (MF-28); null when there is no line to put it at. */
export function insertPlace(key: string, places: TokenPlaces): InsertPlace | null {
  if (isTracking(key)) return trackingPlace(places);
  if (CONTENT_FIELDS.has(key)) return below(lastOf(contentTokens(places), (token) => CONTENT_FIELDS.has(token.key)));
  return topPlace(key, places.top);
}

/** The level that holds most of the tracking keys; none or a tie: top level. */
function trackingPlace({ top, content, hasContentHeader }: TokenPlaces): InsertPlace | null {
  const inContent = content.filter((token) => isTracking(token.key));
  const atTop = top.filter((token) => isTracking(token.key));
  if (inContent.length > atTop.length) return hasContentHeader ? below(inContent.at(-1)) : null;
  return below(atTop.at(-1) ?? top.at(-1));
}

function contentTokens({ top, content, hasContentHeader }: TokenPlaces): readonly Token[] {
  if (content.length === 0) return top;
  return hasContentHeader ? content : [];
}

/** After the nearest predecessor in the order of a rendered file, else before the first key. */
function topPlace(key: string, top: readonly Token[]): InsertPlace | null {
  const order: readonly string[] = RECORD_KEYS;
  const predecessors = order.slice(0, order.indexOf(key));
  for (const candidate of predecessors.reverse()) {
    const token = top.find((entry) => entry.key === candidate);
    if (token !== undefined) return below(token);
  }
  const [first] = top;
  return first === undefined ? null : { where: 'above', token: first };
}

function below(token: Token | undefined): InsertPlace | null {
  return token === undefined || token.inline ? null : { where: 'below', token };
}

function lastOf(tokens: readonly Token[], test: (token: Token) => boolean): Token | undefined {
  return tokens.filter(test).at(-1);
}
