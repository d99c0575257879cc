import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findInstalledPackage } from '../../src/store/installed-package.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const require = createRequire(import.meta.url);

test('a package is found where Node finds it', () => {
  const here = dirname(require.resolve('../../package.json'));
  const asNodeSays = dirname(require.resolve('better-sqlite3/package.json'));
  expect(findInstalledPackage('better-sqlite3', join(here, 'src/store'))).toBe(asNodeSays);
});

test('the nearest one counts, and one that is nowhere is null', () => {
  const root = temporaryDirectory();
  const inner = join(root, 'node_modules/engram/dist');
  mkdirSync(inner, { recursive: true });
  for (const place of ['node_modules/some-addon', 'node_modules/engram/node_modules/some-addon']) {
    expect(findInstalledPackage('some-addon', inner)).not.toBe(join(root, place));
    mkdirSync(join(root, place), { recursive: true });
    writeFileSync(join(root, place, 'package.json'), '{}');
    expect(findInstalledPackage('some-addon', inner)).toBe(join(root, place));
  }
  expect(findInstalledPackage('no-such-addon', inner)).toBeNull();
});
