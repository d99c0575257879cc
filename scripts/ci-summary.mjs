#!/usr/bin/env node
// Prints the plain total of a vitest JSON report as the last line of a CI run: `N passed, N failed`.
// Usage: ci-summary.mjs REPORT [FAILED_STEP ...]; each step that failed outside vitest counts as one failure.
import { existsSync, readFileSync } from 'node:fs';

const [path, ...failedSteps] = process.argv.slice(2);
const report = path !== undefined && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
for (const step of failedSteps) console.log(`failed: ${step}`);

const tests = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
const failedTests = tests.filter(({ status }) => status === 'failed').length;
// A file that cannot even be loaded has no tests to count.
const failedFiles =
  report?.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length ?? 0;
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
const passed = tests.filter(({ status }) => status === 'passed').length;
const failed = failedTests + failedFiles + failedSteps.length + (report === null && failedSteps.length === 0 ? 1 : 0);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
