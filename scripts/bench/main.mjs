#!/usr/bin/env node
/**
 * Runs benchmarks: `npm run bench -- NAME... [ARGUMENTS]`, where scripts/bench/NAME.ts is one. The leading names are run
 * one after the other, each with the same arguments. They are bundled first, so that they measure what users run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const project = join(here, '../..');
const words = process.argv.slice(2);
const isBenchmark = (word) => /^[a-z]+$/.test(word) && existsSync(join(here, `${word}.ts`));
const firstArgument = words.findIndex((word) => !isBenchmark(word));
const names = firstArgument === -1 ? words : words.slice(0, firstArgument);

if (names.length === 0) {
  const known = readdirSync(here).filter((file) => file.endsWith('.ts'));
  console.error(`name a benchmark: ${known.map((file) => file.slice(0, -3)).join(', ')}`);
  process.exit(2);
}

let status = 0;
for (const name of names) status = (await run(name, words.slice(names.length))) || status;
process.exit(status);

/** The bundle lies inside the project, where its native module is found; `process.pid` keeps runs apart. */
async function run(name, args) {
  const directory = join(project, '.engram-bench');
  const bundle = join(directory, `${name}-${process.pid}.mjs`);
  mkdirSync(directory, { recursive: true });
  await build({
    entryPoints: [join(here, `${name}.ts`)],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  try {
    return spawnSync(process.execPath, [bundle, ...args], { stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(bundle, { force: true });
  }
}
