import { ADDED_TOKEN_PATTERNS } from './added-token-patterns.ts';
import { longRuns } from './long-runs.ts';
import { entropyOf } from './random-values.ts';
import type { SecretPlace } from './secret-place.ts';
import { TOKEN_PATTERNS } from './token-patterns.ts';

/** Places of tokens whose form alone tells the service they open. */
export function tokenSecrets(text: string): readonly SecretPlace[] {
  // A token is one run without blanks, and most texts have few that are long.
  const runs = longRuns(text, SHORTEST);
  if (runs === '' || !mayHoldToken(runs)) return [];
  const lower = text.toLowerCase();
  return tokenRules().flatMap(({ kind, words, pattern, entropy, allowed }) => {
    if (!words.some((word) => lower.includes(word))) return [];
    return Array.from(text.matchAll(pattern())).flatMap((match) => {
      const value = match[1] ?? match[0];
      const start = match.index + match[0].indexOf(value);
      const isHarmless = entropyOf(value) < entropy || COMMIT.test(value) || allowed.some((each) => each.test(value));
      return isHarmless ? [] : [{ kind, start, end: start + value.length }];
    });
  });
}

/** No token is shorter. */
const SHORTEST = 18;
/** What one rule takes for its token once its service is named anywhere. */
const COMMIT = /^[0-9a-f]{40}$/i;
/** A shorter word is in too many texts. */
const TELLING = 3;

interface TokenRule {
  readonly kind: string;
  readonly words: readonly string[];
  /** Compiled when the first text has one of the words. */
  readonly pattern: () => RegExp;
  readonly entropy: number;
  readonly allowed: readonly RegExp[];
}

const PATTERNS = [...TOKEN_PATTERNS, ...ADDED_TOKEN_PATTERNS];
let rules: readonly TokenRule[] | null = null;
let filter: Filter | null = null;

function tokenRules(): readonly TokenRule[] {
  rules ??= PATTERNS.map(([kind, source, entropy, words, allowed]) => {
    let pattern: RegExp | null = null;
    return {
      kind,
      words,
      pattern: () => {
        pattern ??= new RegExp(source, 'g');
        return pattern;
      },
      entropy,
      allowed: allowed.map((each) => new RegExp(each)),
    };
  });
  return rules;
}

/** False only for the long runs of a text in which no rule finds anything. */
function mayHoldToken(runs: string): boolean {
  filter ??= makeFilter();
  const lower = runs.toLowerCase();
  return (
    filter.telling.test(lower) ||
    filter.short.some(({ word, pattern }) => lower.includes(word) && pattern.test(runs)) ||
    filter.rest.test(runs)
  );
}

interface Filter {
  /** Words that few texts have. */
  readonly telling: RegExp;
  /** Words that many have, each with the pattern that decides. */
  readonly short: readonly { readonly word: string; readonly pattern: RegExp }[];
  /** Patterns whose words stand beside the token. */
  readonly rest: RegExp;
}

function makeFilter(): Filter {
  const [telling, short, rest]: [string[], Filter['short'][number][], string[]] = [[], [], []];
  for (const [, source, , words] of PATTERNS) {
    const plain = source.replace(/\\|\[(.)\1\]/gi, '$1').toLowerCase();
    if (words.every((word) => word.length >= TELLING && plain.includes(word))) telling.push(...words);
    else if (words.some((word) => BESIDE.has(word))) rest.push(source);
    else short.push(...words.map((word) => ({ word, pattern: new RegExp(source) })));
  }
  const literals = [...new Set(telling)].sort().map((word) => word.replace(/[^a-z0-9_]/g, '\\$&'));
  return { telling: new RegExp(literals.join('|')), short, rest: new RegExp(rest.join('|')) };
}

/** The names of services, which stand anywhere in the text. */
const BESIDE = new Set(['airtable', 'cloudflare', 'intra', 'sourcegraph']);
