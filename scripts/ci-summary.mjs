#!/usr/bin/env node
// Prints the plain total of a vitest JSON report as the last line of a CI run: `N passed, N failed`.
// Usage: ci-summary.mjs REPORT [FAILED_STEP ...]; each step that failed outside vitest counts as one failure.
import { existsSync, readFileSync } from 'node:fs';

const [path, ...steps] = process.argv.slice(2);
const report = path !== undefined && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
for (const step of steps) console.log(`failed: ${step}`);

const tests = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
const failedTests = tests.filter(({ status }) => status === 'failed').length;
// A file that cannot even be loaded has no tests to count.
const failedFiles =
  report?.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length ?? 0;
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
const passed = tests.filter(({ status }) => status === 'passed').length;
// The step that ran the tests is counted by its tests.
const failedSteps = steps.filter((step) => step !== 'npm test' || failedTests + failedFiles === 0).length;
const failed = failedTests + failedFiles + failedSteps + (report === null && failedSteps === 0 ? 1 : 0);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
