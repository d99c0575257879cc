import { entropyOf } from './random-values.ts';
import type { SecretPlace } from './secret-place.ts';
import { TOKEN_PATTERNS } from './token-patterns.ts';

/** Places of tokens whose form alone tells the service they open. */
export function tokenSecrets(text: string): readonly SecretPlace[] {
  if (!LONG_RUN.test(text) || !needed().test(text)) return [];
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
const LONG_RUN = /[\w.~+/=@:-]{18}/;
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

let rules: readonly TokenRule[] | null = null;
let neededPattern: RegExp | null = null;

function tokenRules(): readonly TokenRule[] {
  rules ??= TOKEN_PATTERNS.map(([kind, source, entropy, words, allowed]) => {
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

/** Matches every text in which a rule finds something: the rule's words, or its pattern where these are too short to tell. */
function needed(): RegExp {
  neededPattern ??= new RegExp(
    TOKEN_PATTERNS.flatMap(([, source, , words]) =>
      words.every((word) => word.length >= TELLING) ? words.map(inAnyCase) : [source],
    ).join('|'),
  );
  return neededPattern;
}

function inAnyCase(word: string): string {
  return word.replace(/[^a-z0-9_]/g, '\\$&').replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
