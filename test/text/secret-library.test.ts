import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { mayHoldLibrarySecret, unfilteredLibrarySecrets } from '../../src/text/secret-library.ts';

/** The library's bundle begins with packages that its rules use; the rules come after the first of their names. */
const source = readFileSync(
  createRequire(import.meta.url).resolve('@secretlint/secretlint-rule-preset-recommend'),
  'utf8',
);
const rulesStart = source.indexOf('AWSAccountID');

/**
 * The patterns of the library's rules, as written in it, without what only looks around: texts that match are made of
 * them. Those that are put together from parts are added by hand.
 */
const patterns = [
  ...regularExpressions(ts.createSourceFile('rules.js', source, ts.ScriptTarget.Latest)),
  /aws_secret_access_key = [A-Za-z0-9+/]{40}/,
  /"SecretAccessKey": "[A-Za-z0-9+/]{40}"/,
  /(AKIA|ASIA)[A-Z0-9]{16}/,
  // Of these the library's patterns match more than the library finds.
  /SG\.\w{22}\.\w{43}/,
  /-----BEGIN (?:RSA |EC )?PRIVATE KEY-----\nMI[A-Za-z0-9+/]{200}\n-----END (?:RSA |EC )?PRIVATE KEY-----/,
];

function regularExpressions(node: ts.Node): RegExp[] {
  if (ts.isRegularExpressionLiteral(node) && node.pos >= rulesStart) {
    const [, body = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
    const plain = body.replace(/\(\?<?[!=](?:\[[^\]]*\]|\\.\{?[A-Z]?\}?|[^)])*\)|\\b/g, '');
    // What is looked for in a whole text is global.
    return flags.includes('g') && plain.length > 8 ? [new RegExp(plain, flags.replace(/[gim]/g, ''))] : [];
  }
  const found: RegExp[] = [];
  ts.forEachChild(node, (child) => {
    found.push(...regularExpressions(child));
  });
  return found;
}

/** What switches rules off, which is left out; and patterns of which the library finds too few to meet one by chance. */
const FIND_NOTHING = /secretlint-|KEY\/$|END\[ \]|\(\[-_\]\?\)|ops_/;

describe('the filter before the library', () => {
  test('knows the patterns of every rule', () => {
    expect(patterns.length).toBeGreaterThan(30);
  });

  test.each(patterns)('MF-12: lets pass whatever %s finds', (pattern) => {
    const texts = fc
      .sample(fc.stringMatching(pattern, { maxLength: 400 }), { numRuns: 60, seed: 1 })
      .flatMap((value) => [`Before it ${value} and after`, `${value}`, `"${value.toUpperCase()}"`]);
    const found = texts.filter((text) => unfilteredLibrarySecrets(text).length > 0);
    expect(found.filter((text) => !mayHoldLibrarySecret(text))).toEqual([]);
    if (!FIND_NOTHING.test(String(pattern))) expect(found.length).toBeGreaterThan(0);
  });
});
