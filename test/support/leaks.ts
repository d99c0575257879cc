import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Files below `directory` in whose bytes or name something of `secret` is found: itself in any case, a part of 12 characters
 * of it, or the base64 of either. Empty for a secret that did not come in.
 */
export function leaksBelow(directory: string, secret: string): string[] {
  const traces = [secret, ...Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12))];
  const forms = new Set(traces.flatMap((trace) => [trace, trace.toLowerCase(), ...base64Forms(trace)]));
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((path) => join(directory, path))
    .filter((path) => {
      const text = statSync(path).isFile() ? readFileSync(path, 'latin1') : '';
      return [...forms].some((form) => text.includes(form) || path.includes(form));
    })
    .map((path) => relative(directory, path))
    .sort();
}

/** How a text looks inside longer base64, at each of the three places it can begin at. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(' '.repeat(shift) + text).toString('base64');
    return encoded.slice(shift === 0 ? 0 : 4, -4).replace(/=+$/, '');
  });
}
