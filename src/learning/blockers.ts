import { pairedWord } from './opposites.ts';
import type { Statement } from './statement.ts';

/** Why two texts cannot be the same, however near their words are (SE-54). */
export type Blocker =
  | 'numbers'
  | 'versions'
  | 'units'
  | 'dates'
  | 'negation'
  | 'opposites'
  | 'identifiers'
  | 'order'
  | 'scope'
  | 'type';

/** What differs between two texts, in the order of the list above. None of it says that they are near. */
export function blockersBetween(a: Statement, b: Statement): Blocker[] {
  const found: readonly (readonly [Blocker, boolean])[] = [
    ['numbers', !sameItems(a.numbers, b.numbers)],
    ['versions', !sameItems(a.versions, b.versions)],
    ['units', !sameItems(a.units, b.units)],
    ['dates', !sameItems(a.dates, b.dates)],
    ['negation', a.negated !== b.negated || !sameItems(a.denied, b.denied)],
    ['opposites', haveOpposites(a, b)],
    ['identifiers', lacksIdentifier(a, b) || lacksIdentifier(b, a)],
    ['order', (a.isOrdered || b.isOrdered) && sameSet(a, b) && distinct(a).join(' ') !== distinct(b).join(' ')],
  ];
  return found.filter(([, isThere]) => isThere).map(([blocker]) => blocker);
}

/** The same set of stemmed content words; texts without any are never the same by them (AG-45). */
export function sameSet(a: Statement, b: Statement): boolean {
  return a.content.length > 0 && sameItems(a.content, b.content);
}

function sameItems(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [new Set(a), new Set(b)];
  return one.size === other.size && [...one].every((item) => other.has(item));
}

const distinct = ({ content }: Statement): string[] => [...new Set(content)];

/** One has a word of a pair and the other its opposite, and not both both. */
function haveOpposites(a: Statement, b: Statement): boolean {
  const [ofA, ofB] = [sidesOf(a), sidesOf(b)];
  return [...ofA].some((side) => !ofB.has(side) && ofB.has(side.startsWith('!') ? side.slice(1) : `!${side}`));
}

function sidesOf({ content }: Statement): Set<string> {
  const words = content.map(pairedWord).filter((word) => word !== null);
  return new Set(words.map(({ pair, side }) => (side ? `!${pair}` : pair)));
}

/** `user_name` is there where `userName` or the two words are. */
function lacksIdentifier({ identifiers }: Statement, { spelled }: Statement): boolean {
  return identifiers.some(
    ({ whole, joined, subWords }) =>
      !spelled.has(whole) &&
      !joined.some((form) => spelled.has(form)) &&
      !(subWords.length > 0 && subWords.every((word) => spelled.has(word))),
  );
}
