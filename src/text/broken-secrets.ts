import { librarySecrets } from './secret-library.ts';
import type { SecretPlace } from './secret-place.ts';
import { tokenSecrets } from './token-secrets.ts';

/** Tokens that one line end breaks in two, as mail programs and narrow terminals do. */
export function brokenSecrets(text: string): readonly SecretPlace[] {
  if (!text.includes('\n')) return [];
  return Array.from(text.matchAll(BROKEN)).flatMap(({ 0: all, 1: left = '', 2: right = '', index }) => {
    if (left.length + right.length < SHORTEST) return [];
    const whole = left + right;
    const gap = all.length - left.length;
    return [...tokenSecrets(whole), ...librarySecrets(whole)]
      .filter(({ start, end }) => start < left.length && end > left.length)
      .map(({ kind, start, end }) => ({ kind, start: index + start, end: index + end + gap }));
  });
}

/** No token is shorter. */
const SHORTEST = 18;
/** What a token is made of, a line end with what a quote, a comment or a shell puts around it, and the rest of the token. */
const BROKEN =
  /(?<![\w.~+/=:-])([\w.~+/=:-]{3,400})\\?[ \t]{0,8}\r?\n(?:[ \t]{0,16}[>#*|/]{0,3}[ \t]{1,8})?[ \t]{0,16}(?=([\w.~+/=:-]{1,400}))/g;
