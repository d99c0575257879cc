#!/usr/bin/env node
/**
 * The long forms of the fault tests: `npm run test:kill -- --rounds 1000 [--seed 7]`, `npm run test:soak -- --minutes 10`.
 * Each option `--x N` of test NAME becomes ENGRAM_NAME_X, which the test reads.
 */
import { spawnSync } from 'node:child_process';

const TESTS = { kill: 'test/fault/kill-rounds.test.ts', soak: 'test/fault/soak.test.ts' };
const OPTIONS = { kill: ['rounds', 'seed'], soak: ['minutes', 'seed'] };

const [name, ...words] = process.argv.slice(2);
if (!Object.hasOwn(TESTS, name ?? '')) fail(`name a test: ${Object.keys(TESTS).join(', ')}`);
const env = { ...process.env };
for (let at = 0; at < words.length; at += 2) {
  const option = words[at]?.replace(/^--/, '') ?? '';
  const value = words[at + 1];
  if (!OPTIONS[name].includes(option) || !(Number(value) >= 0)) {
    fail(`${words[at]} ${value ?? ''}: expected ${OPTIONS[name].map((known) => `--${known} N`).join(' ')}`);
  }
  env[`ENGRAM_${name.toUpperCase()}_${option.toUpperCase()}`] = value;
}
process.exit(spawnSync('npx', ['vitest', 'run', TESTS[name]], { stdio: 'inherit', env }).status ?? 1);

function fail(message) {
  console.error(message);
  process.exit(2);
}
