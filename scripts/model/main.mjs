#!/usr/bin/env node
/**
 * Makes and checks the built-in model: `npm run model -- NAME [ARGUMENTS]`, where scripts/model/NAME.ts is the program.
 * It is bundled first, because Node 20 reads no TypeScript;
 * the bundle lies inside the project, where the sources find the model.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const [name = '', ...args] = process.argv.slice(2);
if (!['convert', 'directions', 'centre', 'compare'].includes(name) || !existsSync(join(here, `${name}.ts`))) {
  console.error(
    'usage: npm run model -- convert|directions|centre|compare [ARGUMENTS]; see models/all-minilm-l6-v2/PROVENANCE.md',
  );
  process.exit(2);
}

const directory = join(here, '../../.engram-bench');
const bundle = join(directory, `model-${name}-${process.pid}.mjs`);
mkdirSync(directory, { recursive: true });
try {
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
  process.exitCode = spawnSync(process.execPath, [bundle, ...args], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(bundle, { force: true });
}
