/** A judge for tests of the port `command`; its first argument says how it behaves. */
import { spawn } from 'node:child_process';

const GOOD = '{"verdict":"applies","score":0.9,"reason":"it is the same."}';
const [how = 'good', file = ''] = process.argv.slice(2);
const later = () => setInterval(() => {}, 1000);

async function document() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const BEHAVIOR = {
  good: async () => {
    await document();
    process.stdout.write(GOOD);
  },
  fenced: () => process.stdout.write(`\`\`\`json\n${GOOD}\n\`\`\`\n`),
  echo: async () => {
    const sent = await document();
    process.stdout.write(JSON.stringify({ verdict: 'applies', score: 1, reason: JSON.stringify(Object.keys(sent)) }));
  },
  environment: () =>
    process.stdout.write(
      JSON.stringify({ verdict: 'follows', score: 0, reason: Object.keys(process.env).sort().join(' ') }),
    ),
  slow: later,
  silent: () => {},
  huge: () => process.stdout.write(`"${'x'.repeat(70_000)}"`, later),
  'wrong-json': () => process.stdout.write('verdict: applies'),
  'wrong-verdict': () => process.stdout.write('{"verdict":"delete everything","score":1}'),
  'wrong-score': () => process.stdout.write('{"verdict":"applies","score":"high"}'),
  crash: () => {
    process.stderr.write('no such model\n');
    process.stdout.write(GOOD, () => process.exit(3));
  },
  'kill-itself': () => process.kill(process.pid, 'SIGKILL'),
  unread: () => process.stdout.write(GOOD, () => process.exit(0)),
  grandchild: () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: ['ignore', 'inherit', 'ignore'],
    });
    process.stdout.write(GOOD.replace('it is the same', `${child.pid}`), () => process.exit(0));
  },
  'slow-family': async () => {
    const { writeFileSync } = await import('node:fs');
    const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
    writeFileSync(file, `${process.pid} ${child.pid}`);
    later();
  },
  stubborn: () => {
    process.on('SIGTERM', () => {});
    later();
  },
  'endless-stderr': () => {
    const more = () => process.stderr.write('x'.repeat(65_536), more);
    more();
    process.stdout.write(GOOD, () => setTimeout(() => process.exit(0), 50));
  },
};

await BEHAVIOR[how]();
