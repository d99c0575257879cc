import { expect, test } from 'vitest';
import { foldName, nameClashes, selectNames } from '../../src/files/file-names.ts';

const NFC = 'é.toml';
const NFD = 'e\u0301.toml';
const noBase = (): boolean => false;

test('MF-2: names that end in .toml and do not start with a dot are selected, everything else is ignored', () => {
  const ignored = [
    '.foo.toml',
    '.toml',
    '.engram-tmp-1-0123456789abcdef',
    '.tmp-x',
    'a.toml.lock',
    'a.lock',
    'a.toml~',
    'A.TOML',
    'a.toml.bak',
    'notes.md',
    'directory',
  ];
  expect(selectNames(['a.toml', 'B c.toml', NFC, NFD, ...ignored])).toEqual({
    files: ['a.toml', 'B c.toml', NFC, NFD],
    quarantined: [],
  });
});

test.each([
  'm.sync-conflict-20260101.toml',
  'm.sync-conflict-20260101-120000-ABCDEFG.toml',
  'm (conflicted copy 2).toml',
  "m (Dana's conflicted copy 2026-01-01).toml",
])('MF-4: %s is a copy of a file synchroniser', (name) => {
  expect(selectNames([name, 'm.toml'])).toEqual({
    files: ['m.toml'],
    quarantined: [expect.objectContaining({ name, reason: 'conflict-copy' })],
  });
});

test.each([
  ['201 bytes', `${'a'.repeat(201)}.toml`],
  ['201 bytes in UTF-8', `${'é'.repeat(100)}a.toml`],
  ['a backslash', 'a\\b.toml'],
  ['a line break', 'a\nb.toml'],
  ['bytes that are no UTF-8', 'a\ufffd.toml'],
])('SY-25: a name with %s is quarantined', (_, name) => {
  expect(selectNames([name])).toEqual({ files: [], quarantined: [expect.objectContaining({ name, reason: 'name' })] });
});

test('SY-25: 200 bytes are a name', () => {
  const name = `${'é'.repeat(100)}.toml`;
  expect(selectNames([name]).files).toEqual([name]);
});

test.each([
  ['a.toml', 'A.toml', true],
  [NFC, NFD, true],
  ['É.toml', NFD, true],
  ['straße.toml', 'STRASSE.toml', true],
  ['ΟΔΟΣ.toml', 'οδος.toml', true],
  ['a.toml', 'b.toml', false],
  ['e.toml', NFC, false],
])('MF-4: folding %s and %s: equal is %s', (a, b, equal) => {
  expect(foldName(a) === foldName(b)).toBe(equal);
});

test('S35: of two fold-equal names the one without a base clashes', () => {
  expect(nameClashes([NFC, NFD, 'other.toml'], (name) => name === NFC)).toEqual([NFD]);
  expect(nameClashes([NFC, NFD, 'other.toml'], (name) => name === NFD)).toEqual([NFC]);
});

test.each([
  ['neither has a base', noBase],
  ['both have one', () => true],
])('MF-4: %s, the later in byte order clashes', (_, hasBase) => {
  // 65 cc 81 sorts before c3 a9.
  expect(nameClashes([NFC, NFD], hasBase)).toEqual([NFC]);
  expect(nameClashes(['run.toml', 'Run.toml', 'RUN.toml'], hasBase)).toEqual(['Run.toml', 'run.toml']);
});

test('MF-4: byte order is that of UTF-8, not of UTF-16', () => {
  // Both fold to the Deseret letter; in UTF-16 order they would compare by surrogates alike, U+FF21 folds apart.
  expect(nameClashes(['\u{10428}.toml', '\u{10400}.toml'], noBase)).toEqual(['\u{10428}.toml']);
  expect(nameClashes(['\uff21.toml', '\u{10400}.toml'], noBase)).toEqual([]);
});
