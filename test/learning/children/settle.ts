// Usage: node settle.cjs ROOT ID KEEP - settles a contradiction once a line arrives on stdin; prints what became of it.
import { openEngram } from '../../../src/engram.ts';
import { EngramError } from '../../../src/errors.ts';
import { type Keep, settleContradiction } from '../../../src/learning/settle-contradiction.ts';

const [root = '', id = '', keep = ''] = process.argv.slice(2);

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  using engram = await openEngram({ root, origin: 'settle', embedding: { provider: 'none' } });
  console.log('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
  try {
    settleContradiction(engram.context, Number(id), keep as Keep);
    console.log('settled');
  } catch (error) {
    if (!(error instanceof EngramError)) throw error;
    console.log(error.code);
  }
}
