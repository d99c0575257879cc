// Usage: node learn-and-count.cjs ROOT WORKER TIMES SHARED - learns TIMES memories of its own and counts SHARED as often.
import { openEngram } from '../../../src/engram.ts';
import { countOutcome } from '../../../src/learning/outcomes.ts';
import type { MemoryName } from '../../../src/memory/slug.ts';
import { learned } from '../drafts.ts';

const [root = '', worker = '', times = '0', shared = ''] = process.argv.slice(2);

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  using engram = await openEngram({ root, origin: `worker ${worker}` });
  for (let at = 0; at < Number(times); at += 1) {
    const { kind } = learned(engram, {
      type: 'feedback',
      // Half of the slugs are wanted by every worker.
      situation: at % 2 === 0 ? `When everybody does ${at}` : `When worker ${worker} does ${at}`,
      behavior: 'it was done',
      impact: 'it broke',
      action: `Do ${at} as worker ${worker}`,
    });
    if (kind !== 'created') throw new Error(`${kind} instead of created`);
    countOutcome(engram.context, shared as MemoryName, { kind: 'missed' });
  }
}
