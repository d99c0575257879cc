import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
}, 120_000);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-library-'));
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(root, join(home, 'node_modules/engram'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('a plain script uses the package: learn, query, edit, count, forget, restore, conflicts, status', () => {
  writeFileSync(
    join(home, 'use.mjs'),
    `import { EngramError, openEngram, rebuildEngram } from 'engram';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';

const root = ${JSON.stringify(join(home, 'store'))};
const engram = await openEngram({ root, project: 'Shop' });
assert.equal(engram.project.name, 'shop');
const draft = { type: 'feedback', situation: 'When regenerating the API client', behavior: 'by hand',
  impact: 'lost', action: 'Change the schema' };
const created = await engram.learn(draft);
assert.deepEqual([created.kind, created.record.project_slug, created.record.project_scoped], ['created', 'shop', true]);
assert.equal((await engram.learn(draft)).kind, 'duplicate');
const { hits, project } = await engram.query('about to regenerate the API client');
assert.deepEqual([hits[0].name, project.found_by], [created.name, 'flag']);
assert.equal((await engram.edit('when-regenerating-the-api-client', { impact: 'It was lost' })).changed, true);
assert.equal((await engram.outcome(created.name, { kind: 'followed', eventKey: 'k' })).counted, true);
assert.equal((await engram.outcome(created.name, { kind: 'followed', eventKey: 'k' })).counted, false);
assert.equal((await engram.pin(created.name, true)).record.core, true);

const file = root + '/memory/' + created.name + '.toml';
appendFileSync(file, '# a comment\\n');
writeFileSync(file, readFileSync(file, 'utf8').replace('It was lost', 'All was lost'));
assert.equal((await engram.get(created.name)).record.impact, 'All was lost');
assert.deepEqual((await engram.context()).map(({ tier }) => tier), ['core']);

const newer = await engram.learn({ ...draft, action: 'Better' }, { everywhere: true, supersedes: [created.name] });
assert.deepEqual([newer.kind, newer.archived], ['superseded', [created.name]]);
await assert.rejects(engram.restore('nothing'), (error) => error instanceof EngramError && error.code === 'memory.not-found');
assert.equal((await engram.restore(created.name)).impact, 'All was lost');
assert.equal(await engram.forget(created.name), created.name);
await assert.rejects(engram.learn({ type: 'fact', situation: 'x' }), /^EngramError: subject is missing/);
await assert.rejects(engram.learn(draft, { supersedes: ['nothing'] }), { code: 'memory.not-found' });

assert.deepEqual((await engram.sync()).steps, []);
assert.deepEqual(await engram.conflicts(), []);
await assert.rejects(engram.resolve(1, { take: 'file' }), { code: 'conflict.not-found' });
assert.equal((await engram.status()).openConflicts, 0);
assert.deepEqual(await engram.check(), []);
assert.deepEqual((await engram.repair()).repaired, []);
assert.equal((await engram.related(newer.name)).hits.length, 0);
engram.close();
assert.equal((await rebuildEngram({ root })).memories, 1);
console.log('done');
`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['use.mjs'], {
    cwd: home,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: home, ENGRAM_PROJECT: 'not read by the library' },
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'done\n', stderr: '' });
});

test('the types compile in a strict program that has nothing but the package', () => {
  expect(readFileSync(join(root, 'dist/index.d.ts'), 'utf8')).not.toMatch(/from ['"]|import\(/);
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
  const settings = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'ES2022',
    module: 'NodeNext',
    noEmit: true,
  };
  const compilerOptions = { ...settings, lib: ['ES2023', 'ESNext.Disposable'], types: [], skipLibCheck: false };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  writeFileSync(
    join(home, 'use.ts'),
    `import { EngramError, openEngram, type LearnOutcome, type QueryAnswer } from 'engram';
using engram = await openEngram({ root: '/tmp/store' });
const answer: QueryAnswer = await engram.query('deploying', { limit: 3, type: 'fact' });
const relevances: number[] = answer.hits.map((hit) => hit.relevance);
const outcome: LearnOutcome = await engram.learn({ type: 'fact', situation: 's', subject: 'a', predicate: 'b', object: 'c' });
const text: string = outcome.kind === 'created' ? outcome.record.situation : outcome.name;
const error = new EngramError('memory.not-found', \`\${text} \${relevances.length}\`);
export const code: 'memory.not-found' | string = error.code;
// @ts-expect-error a name is a text
await engram.forget(7);
// @ts-expect-error there is no such kind
await engram.outcome('a', { kind: 'liked' });
// @ts-expect-error a closed code
new EngramError('no.such-code', 'x');
`,
  );
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler], { cwd: home, encoding: 'utf8' });
  expect(stdout).toBe('');
}, 120_000);

test('every name that the library exports is documented, and so is every method', () => {
  const file = join(home, 'index.ts');
  writeFileSync(file, readFileSync(join(root, 'dist/index.d.ts'), 'utf8').replaceAll('export declare', 'export'));
  const program = ts.createProgram([file], { noEmit: true, target: ts.ScriptTarget.ES2022, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  const named = exportedNames();
  expect(named.length).toBeGreaterThan(20);
  const isDocumented = (symbol: ts.Symbol | undefined) => (symbol?.getDocumentationComment(checker).length ?? 0) > 0;
  const find = (name: string) => exported.find((symbol) => symbol.name === name);
  expect(named.filter((name) => !isDocumented(find(name)))).toEqual([]);
  const methods = [...(find('EngramStore')?.members?.values() ?? [])].filter(({ name }) => !name.startsWith('__@'));
  expect(methods.length).toBeGreaterThan(10);
  expect(methods.filter((symbol) => !isDocumented(symbol)).map((symbol) => symbol.name)).toEqual([]);
});

/** What `src/index.ts` exports, by name. */
function exportedNames(): string[] {
  const path = join(root, 'src/index.ts');
  const { statements } = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      return statement.exportClause.elements.map(({ name }) => name.text);
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    const isNamed = ts.isInterfaceDeclaration(statement) || ts.isFunctionDeclaration(statement);
    return isExported && isNamed && statement.name ? [statement.name.text] : [];
  });
}
