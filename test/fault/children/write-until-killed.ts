// Usage: node write-until-killed.cjs ROOT KEY COUNT PAUSE_MS NAME... - a process like an agent's that learns, counts and edits COUNT times.
// It says `+ {write}` before each write and `= {write}` once it is done; both lines are out before it goes on.
import { writeSync } from 'node:fs';
import { openEngram } from '../../../src/engram.ts';
import { editMemoryFields } from '../../../src/learning/edit.ts';
import { countOutcome } from '../../../src/learning/outcomes.ts';
import type { MemoryName } from '../../../src/memory/slug.ts';
import { feedbackDraft, learned } from '../../learning/drafts.ts';
import { learntText, type Promised } from '../promises.ts';

const [root = '', key = '', count = '0', pauseMs = '0', ...names] = process.argv.slice(2);
const say = (sign: string, write: Promised) => writeSync(1, `${sign} ${JSON.stringify(write)}\n`);

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  using engram = await openEngram({ root, origin: 'writer', embedding: { provider: 'none' } });
  for (let at = 0; at < Number(count); at += 1) {
    const write = nextWrite(at, names[at % names.length] ?? '');
    say('+', write);
    carryOut(engram, write);
    say('=', write);
    if (pauseMs !== '0') await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
  }
}

function nextWrite(at: number, name: string): Promised {
  const own = `${key}-${at}`;
  if (at % 4 === 1) return { kind: 'edit', name, text: `Edited by ${own}` };
  if (at % 4 === 3) return { kind: 'learn', key: own };
  return { kind: 'count', key: own, name, counter: 'surfaced' };
}

function carryOut(engram: Awaited<ReturnType<typeof openEngram>>, write: Promised): void {
  const { context } = engram;
  if (write.kind === 'count')
    countOutcome(context, write.name as MemoryName, { kind: 'surfaced', eventKey: write.key });
  if (write.kind === 'edit') editMemoryFields(context, write.name as MemoryName, { action: write.text });
  if (write.kind === 'learn') {
    learned(engram, feedbackDraft({ situation: `When ${write.key} comes up`, action: learntText(write.key) }));
  }
}
