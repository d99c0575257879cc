import { normalise } from '../text/normalise.ts';
import { words } from '../text/words.ts';

/** A text is ours from this share of its word triples on (AG-43). */
const OWN_SHARE = 0.6;

/**
 * `text` without the lines and sentences that share 60 % of their word triples with one of `own`: what the agent posted, or
 * a memory it showed (AG-43). Everything else stays as it is; of fewer than three words all of them are the triple. What has a
 * number that the own text lacks is news: `listens on port 9000` is not what `listens on port 8080` said.
 */
export function withoutOwnWords(text: string, own: readonly string[]): string {
  if (own.length === 0) return text;
  const lines = text.split('\n');
  const asked = new Set(lines.flatMap((line) => [line, ...sentencesOf(line)].flatMap(triplesOf)));
  if (asked.size === 0) return text;
  const holders = { byTriple: holdersOf(asked, own), texts: [...new Set(own)] };
  const kept = lines.map((line) => {
    if (isOwn(line, holders)) return null;
    const sentences = sentencesOf(line);
    const rest = sentences.filter((sentence) => !isOwn(sentence, holders));
    return rest.length === sentences.length ? line : rest.join('').trim();
  });
  return kept.every((line, at) => line === lines[at])
    ? text
    : kept
        .filter((line) => line !== null)
        .join('\n')
        .trim();
}

function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?] )/);
}

/** In which of the texts each of these triples stands. A day's texts are many, and many of them the same. */
function holdersOf(asked: ReadonlySet<string>, own: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const holders = new Map<string, number[]>();
  let at = 0;
  for (const each of new Set(own)) {
    for (const triple of keptTriples(each)) {
      if (!asked.has(triple)) continue;
      const known = holders.get(triple);
      if (known === undefined) holders.set(triple, [at]);
      else known.push(at);
    }
    at += 1;
  }
  return holders;
}

/** Own texts are asked about with every message: they are taken apart once. */
function keptTriples(text: string): ReadonlySet<string> {
  const known = taken.get(text);
  if (known !== undefined) return known;
  if (taken.size >= MOST_TAKEN) taken.clear();
  const triples = new Set(triplesOf(text));
  taken.set(text, triples);
  return triples;
}

const MOST_TAKEN = 2000;
const taken = new Map<string, ReadonlySet<string>>();
const numbersTaken = new Map<string, ReadonlySet<string>>();

function keptNumbers(text: string): ReadonlySet<string> {
  const known = numbersTaken.get(text);
  if (known !== undefined) return known;
  if (numbersTaken.size >= MOST_TAKEN) numbersTaken.clear();
  const numbers = new Set(numbersOf(text));
  numbersTaken.set(text, numbers);
  return numbers;
}

interface Holders {
  readonly byTriple: ReadonlyMap<string, readonly number[]>;
  /** Own texts, by the numbers that the triples lead to. */
  readonly texts: readonly string[];
}

function isOwn(part: string, { byTriple, texts }: Holders): boolean {
  const triples = triplesOf(part);
  if (triples.length === 0) return false;
  const shared = new Map<number, number>();
  for (const triple of triples) {
    for (const at of byTriple.get(triple) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1);
  }
  const numbers = numbersOf(part);
  return [...shared].some(([at, count]) => {
    if (count < OWN_SHARE * triples.length) return false;
    if (numbers.length === 0) return true;
    const known = keptNumbers(texts[at] ?? '');
    return numbers.every((number) => known.has(number));
  });
}

function numbersOf(text: string): string[] {
  return words(normalise(text)).filter((word) => /\p{N}/u.test(word));
}

function triplesOf(text: string): string[] {
  const all = words(normalise(text));
  if (all.length < 3) return all.length === 0 ? [] : [all.join(' ')];
  return all.slice(2).map((last, at) => `${all[at]} ${all[at + 1]} ${last}`);
}
