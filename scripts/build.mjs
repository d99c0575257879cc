#!/usr/bin/env node
// Builds dist/: the command line as one CommonJS file, the library as one ES module, and the library's types.
// Running it again changes nothing; files are replaced by rename, so a command that is just starting sees a whole file.
// `--code-only` leaves the types out (the test runner wants the commands only).
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/**
 * Packages that cost more start-up time than a whole query. Each becomes a file of its own, which is read when the first
 * of its exports is touched; a static import of one in our sources is therefore free. Entries of one bundle share code.
 */
const LAZY_BUNDLES = {
  drizzle: ['drizzle-orm/better-sqlite3', 'drizzle-orm/better-sqlite3/migrator'],
  'smol-toml': ['smol-toml'],
  'toml-eslint-parser': ['toml-eslint-parser'],
  zod: ['zod'],
};

/** 6 ms for hashing, 3 ms for commander's support of commands that are programs of their own. */
const LAZY_BUILTINS = ['node:crypto', 'node:child_process'];

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  legalComments: 'none',
  write: false,
};

try {
  const bundles = await Promise.all([commandLine(), library(), ...Object.entries(LAZY_BUNDLES).map(lazyBundle)]);
  for (const { outputFiles } of bundles) for (const file of outputFiles) replace(file.path, file.contents);
  chmodSync(join(root, 'dist/engram.cjs'), 0o755);
  if (!process.argv.includes('--code-only')) types();
} catch (error) {
  // esbuild has printed its own messages already.
  if (!Array.isArray(error?.errors)) console.error(`build: ${error?.message ?? error}`);
  process.exitCode = 1;
}

function commandLine() {
  return build({
    ...common,
    entryPoints: { engram: 'src/cli/main.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    banner: { js: '#!/usr/bin/env node' },
    // `import()` of a module of Node becomes `require`: the loader of ES modules takes 3 ms to start.
    supported: { 'dynamic-import': false },
    // Never reached: the path of the native part is always given (src/store/native.ts).
    external: ['bindings'],
    plugins: [
      lazyPackages(),
      lazyBuiltins(),
      sourceUrls("process.getBuiltinModule('node:url').pathToFileURL(__filename)"),
    ],
  });
}

function library() {
  return build({
    ...common,
    entryPoints: { index: 'src/index.ts' },
    outdir: 'dist',
    format: 'esm',
    packages: 'external',
    plugins: [sourceUrls('import.meta.url')],
  });
}

function lazyBundle([name, packages]) {
  return build({
    ...common,
    stdin: { contents: packages.map((each) => `export * from '${each}';`).join('\n'), resolveDir: root },
    outfile: `dist/lazy/${name}.cjs`,
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    external: ['better-sqlite3'],
  });
}

/** Sends imports of the lazy packages to getters that load the package's own file on first use. */
function lazyPackages() {
  const bundleOf = new Map(Object.entries(LAZY_BUNDLES).flatMap(([name, all]) => all.map((each) => [each, name])));
  return {
    name: 'lazy-packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
        if (bundleOf.has(path)) return { path, namespace: 'lazy' };
        if (kind !== 'entry-point' && path.startsWith('drizzle-orm')) {
          return {
            errors: [{ text: `${path} would be loaded on every start; add it to LAZY_BUNDLES in scripts/build.mjs` }],
          };
        }
        return undefined;
      });
      onResolve({ filter: /^\.\/lazy\//, namespace: 'lazy' }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => {
        const names = Object.keys(require(path)).filter((name) => name !== 'default');
        const getters = names.map(
          (name) => `get ${name}() { return require('./lazy/${bundleOf.get(path)}.cjs').${name}; }`,
        );
        return { contents: `module.exports = { __esModule: true, ${getters.join(', ')} };`, loader: 'js' };
      });
    },
  };
}

/** Sends these modules of Node to getters as well: what does not hash pays nothing for hashing. */
function lazyBuiltins() {
  return {
    name: 'lazy-builtins',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:/ }, ({ path, namespace }) => {
        if (namespace === 'lazy-builtin') return { path, external: true };
        return LAZY_BUILTINS.includes(path) ? { path, namespace: 'lazy-builtin' } : undefined;
      });
      onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => {
        const getters = Object.keys(require(path)).map(
          (name) => `get ${name}() { return require('${path}').${name}; }`,
        );
        return { contents: `module.exports = { ${getters.join(', ')} };`, loader: 'js' };
      });
    },
  };
}

/** Keeps `import.meta.url` what it is in the sources: the place of that source file below the package's root. */
function sourceUrls(bundleUrl) {
  return {
    name: 'source-urls',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (path.includes('node_modules') || !text.includes('import.meta.url')) return undefined;
        const place = JSON.stringify(`../${relative(root, path)}`);
        return { contents: text.replaceAll('import.meta.url', `new URL(${place}, ${bundleUrl}).href`), loader: 'ts' };
      });
    },
  };
}

/** Declarations only, without a type check: `npm run typecheck` is the check. */
function types() {
  const project = join(root, 'dist', `.types-${process.pid}`);
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--noCheck', '--rootDir', 'src'];
  const configuration = join(root, 'dist', `tsconfig-${process.pid}.json`);
  writeFileSync(
    configuration,
    JSON.stringify({ extends: '../tsconfig.json', include: [], files: ['../src/index.ts'] }),
  );
  try {
    const result = spawnSync(process.execPath, [compiler, '-p', configuration, ...options, '--outDir', project], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (result.status !== 0) throw new Error('the compiler could not write the types');
    rmSync(join(root, 'dist/types'), { recursive: true, force: true });
    renameSync(project, join(root, 'dist/types'));
  } finally {
    rmSync(configuration, { force: true });
    rmSync(project, { recursive: true, force: true });
  }
}

function replace(path, contents) {
  if (existsSync(path) && statSync(path).size === contents.length && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, contents);
  if (path.endsWith('engram.cjs')) chmodSync(temporary, 0o755);
  renameSync(temporary, path);
}
