import { brokenSecrets } from './broken-secrets.ts';
import { namedSecrets } from './named-secrets.ts';
import { privateParts } from './private-parts.ts';
import { librarySecrets } from './secret-library.ts';
import { NAME } from './secret-names.ts';
import type { SecretPlace } from './secret-place.ts';
import { plainForm } from './secret-plain-form.ts';
import { tokenSecrets } from './token-secrets.ts';

/** A secret in a text: what it is and where, never the value. */
export interface SecretFinding {
  /** Words joined by hyphens, such as `github-token`, `password` or `private`. */
  readonly kind: string;
  /** From 1. */
  readonly line: number;
}

/**
 * Every secret that `text` holds, in order of place; empty for a text that may be kept (D14).
 *
 * Total and synchronous. A text without anything that looks like one costs microseconds; the library with the patterns is
 * loaded for the first one that may hold a secret.
 */
export function findSecrets(text: string): readonly SecretFinding[] {
  let [line, counted] = [1, 0];
  return placesOf(text).map(({ kind, start }) => {
    for (let at = text.indexOf('\n', counted); at !== -1 && at < start; at = text.indexOf('\n', at + 1)) {
      line += 1;
      counted = at + 1;
    }
    return { kind, line };
  });
}

/** `text` with `[redacted:<kind>]` in place of every secret; `findSecrets` finds none in what is returned. */
export function redact(text: string): string {
  const once = withMarks(text, placesOf(text));
  const left = placesOf(once);
  if (left.length === 0) return once;
  // What is left is held together by what stands around it. No part of such lines is worth the risk.
  const lines = withMarks(
    once,
    left.map((place) => wholeLines(once, place)),
  );
  const [first] = placesOf(lines);
  return first === undefined ? lines : `[redacted:${first.kind}]`;
}

/** False only for a text that names no secret, so that no other text that follows can be one for it. */
export function mayNameSecret(text: string): boolean {
  return NAME.test(plainForm(text).text);
}

/** `text` without its secrets, for whoever needs the rest alone. */
export function cutSecrets(text: string): string {
  return findSecrets(text).length === 0 ? text : redact(text).replace(/\[redacted:[\w-]+\]/g, ' ');
}

const FINDERS = [privateParts, tokenSecrets, librarySecrets, brokenSecrets, namedSecrets];

function placesOf(text: string): readonly SecretPlace[] {
  const plain = plainForm(text);
  const places = FINDERS.flatMap((find) => find(plain.text));
  return merged(places).map(({ kind, start, end }) => ({
    kind,
    start: plain.offsetOf(start),
    end: plain.offsetOf(end),
  }));
}

/** In order of place; of those that overlap one, with the kind of the first that was found. */
function merged(places: readonly SecretPlace[]): readonly SecretPlace[] {
  const result: SecretPlace[] = [];
  for (const next of [...places].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || next.start >= last.end) result.push(next);
    else result[result.length - 1] = { ...last, end: Math.max(last.end, next.end) };
  }
  return result;
}

function withMarks(text: string, places: readonly SecretPlace[]): string {
  let result = '';
  let end = 0;
  for (const { kind, start, end: next } of merged(places)) {
    result += `${text.slice(end, start)}[redacted:${kind}]`;
    end = next;
  }
  return result + text.slice(end);
}

function wholeLines(text: string, { kind, start, end }: SecretPlace): SecretPlace {
  const next = text.indexOf('\n', end);
  return { kind, start: text.lastIndexOf('\n', start - 1) + 1, end: next === -1 ? text.length : next };
}
