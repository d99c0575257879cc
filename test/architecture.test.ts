import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/**
 * The folders of `src` in their order of use: each may import those before it, never those after. Folders of one line
 * do not import each other.
 */
const ORDER: readonly (readonly string[])[] = [
  [
    'errors',
    'log',
    'clock',
    'suggest',
    'config-keys',
    'config-values',
    'config-environment',
    'config-edit',
    'config-agent',
    'config',
  ],
  ['text'],
  ['memory'],
  ['files', 'store'],
  ['project'],
  ['sync'],
  ['search'],
  ['learning'],
  ['chat'],
  ['agent'],
  ['exchange'],
  ['long-running'],
  ['engram', 'library-options'],
  ['index', 'cli'],
];

/** Files that decide: values in, a value out. Besides these all of `memory/`. */
const PURE = /^(plan|merge|parse|render.*|relevance|words|index-text|compile-query)(-.*)?$/;

/** The agent's readings of texts, pure like the above. */
const PURE_READINGS =
  /^agent\/(user-words|assertions|speech|clauses|verbs|demands|lasting|standing-marks|rejection|wishes|correction-fields|failures|fact-sentences|replies|own-words|intent-text)$/;

/** Who may touch the file system: bytes on disk, the database's opening, git's files, the command line's streams and the
 * copy that an editor opens. */
const FILE_SYSTEM = [
  /^config$/,
  /^files\//,
  /^store\/(open|installed-package|process-locks|migrate|backup|set-aside|transaction)$/,
  /^project\/git$/,
  /^search\/embed\/(model-files|encoder)$/,
  /^chat\/(chat-file|append|append-bytes|follow)$/,
  /^exchange\//,
  /^cli\/(output|chat-text|edit-in-editor|commands\/|doctor\/trial$)/,
];

/** A hash is a function of its bytes, though node has it. */
const PURE_HASH = 'text/content-hash';

const FORBIDDEN_NAMES = /(^|-)(utils?|helpers?|common|services?|managers?|types|misc)$/;
const LONGEST_FILE = 250;

const root = fileURLToPath(new URL('../src', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => read(path));

interface Source {
  /** Path below `src` without `.ts`. */
  readonly name: string;
  readonly text: string;
  readonly lineCount: number;
  readonly imports: readonly { readonly from: string; readonly typeOnly: boolean; readonly dynamic: boolean }[];
}

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = importsOf(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return { name: path.replace(/\.ts$/, ''), text, lineCount: text.split('\n').length - 1, imports };
}

function importsOf(file: ts.SourceFile): Source['imports'][number][] {
  const found: Source['imports'][number][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      found.push({ from: node.moduleSpecifier.text, typeOnly, dynamic: false });
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      found.push({ from: node.moduleSpecifier.text, typeOnly: node.isTypeOnly, dynamic: false });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [from] = node.arguments;
      if (from && ts.isStringLiteral(from)) found.push({ from: from.text, typeOnly: false, dynamic: true });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Path below `src` of what a source imports from our own code, else null. */
function target(source: Source, from: string): string | null {
  return from.startsWith('.') ? relative(root, resolve(root, dirname(source.name), from)).replace(/\.ts$/, '') : null;
}

function folder(name: string): string {
  return name.split('/')[0] ?? name;
}

function rank(name: string): number {
  return ORDER.findIndex((entry) => entry.includes(folder(name)));
}

/** Commands have the names of commands, `merge-file` for one. */
function isPure({ name }: Source): boolean {
  return (
    name.startsWith('memory/') ||
    PURE_READINGS.test(name) ||
    (PURE.test(basename(name)) && !name.startsWith('cli/commands/'))
  );
}

describe('the folders form a line', () => {
  test('every folder and file of src has its place in the line', () => {
    expect(sources.filter(({ name }) => rank(name) === -1).map(({ name }) => name)).toEqual([]);
  });

  test('nobody imports what comes after', () => {
    const wrong = sources.flatMap((source) =>
      source.imports.flatMap(({ from }) => {
        const to = target(source, from);
        if (to === null || to.startsWith('..')) return [];
        const beside = folder(to) !== folder(source.name) && rank(to) === rank(source.name) && to.includes('/');
        return rank(to) > rank(source.name) || beside ? [`${source.name} -> ${to}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('outside src only package.json, migrations and the schema are read', () => {
    const outside = sources.flatMap((source) => source.imports.map(({ from }) => target(source, from) ?? ''));
    const allowed = ['../package.json', '../migrations/meta/_journal.json', '../drizzle/schema'];
    expect(outside.filter((to) => to.startsWith('..') && !allowed.includes(to))).toEqual([]);
  });
});

describe('decisions are pure', () => {
  test('they import no node: module, also not through another file of ours', () => {
    const byName = new Map(sources.map((source) => [source.name, source]));
    const reach = (source: Source, seen: Set<string>): string[] =>
      source.imports.flatMap(({ from, typeOnly }) => {
        if (typeOnly) return [];
        const to = target(source, from);
        if (to === null) return from.startsWith('node:') ? [`${source.name} -> ${from}`] : [];
        const next = byName.get(to);
        if (next === undefined || seen.has(to) || to === PURE_HASH) return [];
        seen.add(to);
        return reach(next, seen);
      });
    expect(sources.filter(isPure).flatMap((source) => reach(source, new Set()))).toEqual([]);
  });

  test('they read no clock and have no randomness', () => {
    const impure = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.|\brandomUUID\b|\bprocess\./;
    expect(sources.filter((source) => isPure(source) && impure.test(source.text)).map(({ name }) => name)).toEqual([]);
  });
});

describe('each vendor has one owner', () => {
  const users = (vendor: RegExp) =>
    sources.filter(({ imports }) => imports.some(({ from }) => vendor.test(from))).map(({ name }) => name);

  test('only store/ sees better-sqlite3 and drizzle', () => {
    const names = users(/^(better-sqlite3|drizzle-orm)|drizzle\/schema/);
    expect(names.filter((name) => !name.startsWith('store/'))).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });

  test('node:fs is for the files at the edges', () => {
    const names = users(/^node:fs/);
    expect(names.filter((name) => !FILE_SYSTEM.some((place) => place.test(name)))).toEqual([]);
  });

  test('only cli/ sees commander, and only memory/ and config the TOML parsers', () => {
    expect(users(/^commander$/).filter((name) => !name.startsWith('cli/'))).toEqual([]);
    expect(
      users(/toml/).filter(
        (name) => users(/^(smol-toml|toml-eslint-parser)$/).includes(name) && !/^(memory\/|config(-edit)?$)/.test(name),
      ),
    ).toEqual([]);
  });

  test('SY-46: only exchange/ runs git; sync and watch look at its files', () => {
    const users = sources.filter(({ text }) => /\b(?:spawn|exec)\w*\(\s*['"]git\b/.test(text)).map(({ name }) => name);
    expect(users).toEqual(['exchange/git']);
  });

  test('zod and drizzle are loaded when they are needed, never with a file', () => {
    const early = sources.flatMap(({ name, imports }) =>
      imports
        .filter(({ from, typeOnly, dynamic }) => /^(zod|drizzle-orm)/.test(from) && !typeOnly && !dynamic)
        .map(() => name),
    );
    expect(early).toEqual([]);
  });
});

describe('files', () => {
  test(`have at most ${LONGEST_FILE} lines`, () => {
    const long = sources.filter(({ lineCount }) => lineCount > LONGEST_FILE);
    expect(long.map(({ name, lineCount }) => `${name}: ${lineCount}`)).toEqual([]);
  });

  test('are named by what they know', () => {
    expect(sources.map(({ name }) => basename(name)).filter((name) => FORBIDDEN_NAMES.test(name))).toEqual([]);
  });

  test('throw EngramError, never a bare Error', () => {
    expect(
      sources.filter(({ text }) => /throw new (Error|TypeError|RangeError)\(/.test(text)).map(({ name }) => name),
    ).toEqual([]);
  });
});
