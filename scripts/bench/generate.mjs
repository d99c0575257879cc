#!/usr/bin/env node
/**
 * Writes a store of made-up memories for benchmarks and trials:
 *
 *   node scripts/bench/generate.mjs 10000 /tmp/store [--seed 7] [--zipf]
 *
 * N canonical files of about 700 bytes go below DIR/memory, two thirds of them feedback. The same N, seed and mode give the same
 * bytes. `--zipf` leaves out real phrases and identifiers: words by Zipf's law alone.
 */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSource } from './synthetic.mjs';

const PROGRESS_EVERY = 10_000;

function main() {
  const { count, root, seed, zipf } = parseCommandLine();
  const memory = join(root, 'memory');
  for (const directory of ['feedback', 'facts']) {
    const path = join(memory, directory);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // Older files would stay among the new ones, and the store would not be what its seed says.
    if (readdirSync(path).length > 0) fail(1, `${path} is not empty; name a new directory`);
  }

  const startedMs = performance.now();
  const elapsed = () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
  const source = createSource({ seed, zipf });
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const { directory, fileName, text } = source.memory(index);
    writeFileSync(join(memory, directory, fileName), text, { mode: 0o600, flag: 'wx' });
    bytes += text.length;
    if ((index + 1) % PROGRESS_EVERY === 0) process.stderr.write(`${index + 1} of ${count} files, ${elapsed()}\n`);
  }
  const average = count === 0 ? 0 : Math.round(bytes / count);
  process.stdout.write(`${count} files below ${memory}, ${average} bytes on average, seed ${seed}, ${elapsed()}\n`);
}

function parseCommandLine() {
  const options = { seed: { type: 'string', default: '1' }, zipf: { type: 'boolean', default: false } };
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    fail(2, error.message);
  }
  const [count, root, ...rest] = parsed.positionals;
  const wholeNumber = (text) => /^\d{1,8}$/.test(text ?? '');
  if (!wholeNumber(count) || root === undefined || rest.length > 0 || !wholeNumber(parsed.values.seed)) {
    fail(2, 'usage: generate.mjs N DIR [--seed S] [--zipf]');
  }
  return { count: Number(count), root, seed: Number(parsed.values.seed), zipf: parsed.values.zipf };
}

function fail(status, message) {
  process.stderr.write(`generate: ${message}\n`);
  process.exit(status);
}

main();
