// Usage: node learn.cjs ROOT KEY NTH DRAFT - learns DRAFT (JSON) as the agent does, once a line arrives on stdin, and prints what
// became of it. Before its NTH call that changes a file it dies as by kill -9; 0: it lives.
import { writeLearned } from '../../../src/agent/write-learned.ts';
import { openEngram } from '../../../src/engram.ts';
import { dyingFileSystem } from '../../files/children/dying-file-system.ts';
import { project } from '../../support/ask.ts';

const [root = '', idempotencyKey = '', nth = '0', draft = '{}'] = process.argv.slice(2);

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  using engram = await openEngram({ root, origin: 'agent', embedding: { provider: 'none' } });
  console.log('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
  const fs = dyingFileSystem((call) => call === Number(nth));
  const tools = { context: { ...engram.context, fs }, search: engram, refresh: engram.refresh };
  const options = { project: project('shop-api'), everywhere: false, idempotencyKey };
  console.log(JSON.stringify(await writeLearned(tools, JSON.parse(draft), options)));
}
