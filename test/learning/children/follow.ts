// Usage: node follow.cjs ROOT NAME... - counts one `followed` for each name, once a line arrives on stdin.
import { openEngram } from '../../../src/engram.ts';
import { countOutcome } from '../../../src/learning/outcomes.ts';
import type { MemoryName } from '../../../src/memory/slug.ts';

const [root = '', ...names] = process.argv.slice(2);

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  using engram = await openEngram({ root, origin: 'follow' });
  console.log('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
  for (const name of names) countOutcome(engram.context, name as MemoryName, { kind: 'followed' });
}
