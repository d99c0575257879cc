#!/usr/bin/env node
// Builds dist/: the command line as one CommonJS bundle with its code cache, the library as one ES module, and the library's types.
// Running it again changes nothing; files are replaced by rename, so a command that is just starting sees a whole file.
// `--code-only` leaves the types out (the test runner wants the commands only).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

/**
 * Packages that cost more start-up time than a whole query. Each becomes a file of its own, which is read when the first
 * of its exports is touched; a static import of one in our sources is therefore free. Entries of one bundle share code.
 */
const LAZY_BUNDLES = {
  drizzle: ['drizzle-orm/better-sqlite3', 'drizzle-orm/better-sqlite3/migrator'],
  secretlint: ['@secretlint/secretlint-rule-preset-recommend'],
  'smol-toml': ['smol-toml'],
  'toml-eslint-parser': ['toml-eslint-parser'],
  zod: ['zod'],
};

/** Programs for WebAssembly, from kernel/NAME.ts. */
const KERNELS = ['chat-blocks', 'encoder', 'late-interaction', 'line-ends', 'nearest'];

/** So old are files whose times prove that nobody has changed them since (SY-53). */
const TIMES_PROVE_MS = 2100;

/** A long chat, of which only the end is taken apart: 1.4 MB. */
const CHAT_MESSAGES = 12_000;

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
  const [main, ...bundles] = await Promise.all([
    commandLine(),
    library(),
    embeddingWorker(),
    ...KERNELS.map(kernel),
    ...Object.entries(LAZY_BUNDLES).map(lazyBundle),
  ]);
  for (const { outputFiles } of bundles) for (const file of outputFiles) replace(file.path, file.contents);
  installCommand(main.outputFiles[0].contents);
  if (!process.argv.includes('--code-only')) types();
} catch (error) {
  // esbuild has printed its own messages already.
  if (!Array.isArray(error?.errors)) console.error(`build: ${error?.message ?? error}`);
  process.exitCode = 1;
}

function commandLine() {
  return build({
    ...common,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: 'dist',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
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

function embeddingWorker() {
  return build({
    ...common,
    entryPoints: { 'embed-worker': 'src/search/embed/worker.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    plugins: [sourceUrls("require('node:url').pathToFileURL(__filename)")],
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

/**
 * Compiles AssemblyScript to `dist/NAME.wasm`. The compiler takes seconds, so its result is kept under the hash of all that
 * goes into it.
 */
async function kernel(name) {
  const sources = readdirSync(join(root, 'kernel')).filter((file) => file.endsWith('.ts'));
  const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--importMemory'];
  const hash = createHash('sha256').update(JSON.stringify([flags, require('assemblyscript/package.json').version]));
  for (const file of sources.sort()) hash.update(readFileSync(join(root, 'kernel', file)));
  const kept = join(root, 'node_modules/.cache/engram', `${name}-${hash.digest('hex').slice(0, 16)}.wasm`);
  if (!existsSync(kept)) {
    const { default: asc } = await import('assemblyscript/asc');
    const made = `${kept}.${process.pid}`;
    mkdirSync(dirname(kept), { recursive: true });
    const { error, stderr } = await asc.main([`kernel/${name}.ts`, '--outFile', relative(root, made), ...flags], {
      readFile: (file, base) => {
        const path = join(base, file);
        return existsSync(path) ? readFileSync(path, 'utf8') : null;
      },
      writeFile: (file, contents, base) => writeFileSync(join(base, file), contents),
    });
    if (error) throw new Error(`kernel/${name}.ts: ${error.message}\n${stderr.toString()}`);
    renameSync(made, kept);
  }
  return { outputFiles: [{ path: join(dist, `${name}.wasm`), contents: readFileSync(kept) }] };
}

/** Sends imports of the lazy packages to getters that load the package's own file on first use. */
function lazyPackages() {
  const bundleOf = new Map(Object.entries(LAZY_BUNDLES).flatMap(([name, all]) => all.map((each) => [each, name])));
  return {
    name: 'lazy-packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) => {
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
        const names = Object.keys(require(path)).filter((name) => name !== 'default' && name !== '__esModule');
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

/**
 * Writes the bundle, its code cache, and at last the command's first file, which names the two. Their names hold the
 * bundle's hash: V8 compares no more than lengths, so a cache must never meet another bundle.
 */
function installCommand(bundle) {
  const name = `cli-${createHash('sha256').update(bundle).digest('hex').slice(0, 12)}`;
  replace(join(dist, `${name}.cjs`), bundle);
  const start = readFileSync(join(root, 'src/cli/start.cjs'), 'utf8').replaceAll('BUNDLE', name);
  if (!existsSync(join(dist, `${name}.cache`))) makeCodeCache(start, join(dist, `${name}.cache`));
  replace(join(dist, 'engram.cjs'), Buffer.from(`#!/usr/bin/env node\n${start}`));
  chmodSync(join(dist, 'engram.cjs'), 0o755);
  for (const old of readdirSync(dist).filter((file) => /^cli-/.test(file) && !file.startsWith(name))) {
    // A command that started a moment ago, or another build, may still need it.
    if (Date.now() - statSync(join(dist, old)).mtimeMs > 600_000) rmSync(join(dist, old));
  }
}

/**
 * Runs a query, then a look into a chat, in one process, and keeps what V8 compiled for them. Without the native part of
 * SQLite there is no query, and no cache.
 */
function makeCodeCache(start, cache) {
  const directory = mkdtempSync(join(tmpdir(), 'engram-build-'));
  const program = join(dist, `.start-${process.pid}.cjs`);
  const keep = `process.on('exit', () => require('node:fs').writeFileSync(process.env.CODE_CACHE, script.createCachedData()));`;
  // The bundle ends its process when its command is done; here the second command follows then.
  const again = `
const exit = process.exit;
process.exit = () => {
  process.exit = exit;
  process.argv.splice(2, Infinity, ...JSON.parse(process.env.SECOND_COMMAND));
  script.runInThisContext()(exports, require, module, filename, __dirname);
};`;
  const code = start
    .replace('new Script(', 'const script = new Script(')
    .replace('.runInThisContext()', `;\n${keep}\n${again}\nscript.runInThisContext()`);
  const chat = join(directory, 'chat.toml');
  const message =
    '\n[[message]]\nfrom = "a"\nto = "b"\nthread = "t"\ntype = "info"\nts = "2026-04-03T14:30:00Z"\ntext = """\nx\n"""\n';
  try {
    writeFileSync(program, code);
    if (existsSync(join(root, 'examples/store'))) cpSync(join(root, 'examples/store'), directory, { recursive: true });
    writeFileSync(chat, message.repeat(CHAT_MESSAGES));
    const environment = { PATH: process.env.PATH, HOME: directory, CODE_CACHE: `${cache}.${process.pid}` };
    environment.SECOND_COMMAND = JSON.stringify([
      'chat',
      'watch',
      '--cursor',
      String(10 * (CHAT_MESSAGES - 2) + 1),
      '--agent',
      'b',
      '--chat-file',
      chat,
    ]);
    const run = (...words) =>
      spawnSync(process.execPath, [program, ...words, '--data-dir', directory], {
        cwd: directory,
        env: environment,
        stdio: 'ignore',
      });
    // Makes the database and its vectors, so that what a later query compiles is kept and no more: of files that have just
    // been written a query would not believe the times, and sync. The question is new to that database: loading the model
    // and embedding belong to it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TIMES_PROVE_MS);
    run('db', 'sync');
    run('query', 'about to regenerate the API client');
    if (existsSync(environment.CODE_CACHE)) renameSync(environment.CODE_CACHE, cache);
  } finally {
    rmSync(program, { force: true });
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * One file of declarations with what the library's own types need: those of the packages underneath stay out of it, so
 * that a strict program needs none of them. Without a type check: `npm run typecheck` is the check.
 */
function types() {
  const emitted = join(dist, `.types-${process.pid}`);
  const configuration = join(dist, `tsconfig-${process.pid}.json`);
  const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--noCheck', '--rootDir', '.'];
  writeFileSync(
    configuration,
    JSON.stringify({ extends: '../tsconfig.json', include: [], files: ['../src/index.ts'] }),
  );
  try {
    run('typescript', 'bin/tsc', ['-p', configuration, ...options, '--outDir', emitted]);
    const bundle = join(emitted, 'bundle.d.ts');
    const entry = join(emitted, 'src/index.d.ts');
    const settings = ['--project', 'tsconfig.json', '--silent', '--no-check', '--no-banner'];
    run('dts-bundle-generator', 'dist/bin/dts-bundle-generator.js', [...settings, '-o', bundle, entry]);
    replace(join(dist, 'index.d.ts'), readFileSync(bundle));
    rmSync(join(dist, 'types'), { recursive: true, force: true });
  } finally {
    rmSync(configuration, { force: true });
    rmSync(emitted, { recursive: true, force: true });
  }
}

function run(name, script, words) {
  const file = join(dirname(require.resolve(`${name}/package.json`)), script);
  const { status } = spawnSync(process.execPath, [file, ...words], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`${name} could not write the types`);
}

function replace(path, contents) {
  if (existsSync(path) && statSync(path).size === contents.length && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, contents);
  // Executable from its first moment on.
  if (path.endsWith('engram.cjs')) chmodSync(temporary, 0o755);
  renameSync(temporary, path);
}
