/**
 * What reading a long chat file costs, in processor time over that of reading its bytes.
 *
 *   npm run bench -- chat [--json]
 *
 * The file is made up: 20 MB of messages of a few lines each, with a long one now and then, some of shells that escape
 * nothing. `presence` sees who wrote what when, `messages` adds lines, texts and ids, and `the last message` goes on from a
 * border near the end, as a watcher does.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createChatReader, type Moment, parseChat, parseHeads } from '../../src/chat/parse.ts';
import { readChatPresence } from '../../src/chat/read-presence.ts';
import { renderBlock } from '../../src/chat/render.ts';
import { measureCommands } from './bars/chat-commands.ts';
import { cleanEnvironment } from './bars/cold-query.ts';
import { type Measurement, report } from './bars/table.ts';
import { median } from './bars/timing.ts';
import { createSource } from './synthetic.mjs';

const SIZE_BYTES = 20_000_000;
const ROUNDS = 15;
const PRESENCE_BAR = 3;
/** No promise: it shows when reading texts becomes a different matter. */
const MESSAGES_BAR = 80;
const LAST_BAR = 0.1;
const AGENTS = ['engram-agent', 'executor', 'lead', 'reviewer', 'researcher', 'shell-1', 'shell-2'];

function madeFile(): string {
  const source = createSource({ seed: 5, zipf: true });
  const blocks: string[] = [];
  for (let sizeBytes = 0, i = 0; sizeBytes < SIZE_BYTES; i += 1) {
    const from = AGENTS[i % AGENTS.length] ?? '';
    const lines = Array.from({ length: i % 200 === 0 ? 200 : 1 + (i % 9) }, () => source.situation(12));
    const ts = new Date(Date.UTC(2026, 3, 1) + i * 20_000).toISOString().replace('.000', '');
    const block = renderBlock({ from, to: 'all', thread: 'task', type: 'info', ts, re: null, text: lines.join('\n') });
    blocks.push(from.startsWith('shell') ? block.replace('"""\n', '"""\\d ') : block);
    sizeBytes += block.length;
  }
  return blocks.join('');
}

/** Processor milliseconds, of all threads. */
function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The bundle runs from a directory directly below the project. */
const PROJECT = fileURLToPath(new URL('..', import.meta.url));

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  const directory = mkdtempSync(join(tmpdir(), 'engram-bench-chat-'));
  try {
    const file = join(directory, 'chat.toml');
    writeFileSync(file, madeFile());
    const commands = await measureCommands(file, PROJECT, cleanEnvironment(directory));
    report('chat', [...measure(file), ...commands], values);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measure(file: string): Measurement[] {
  const bytes = readFileSync(file);
  const moment: Moment = { nowMs: Date.UTC(2027, 0), unchangedMs: 60_000 };
  const messages = parseChat(bytes, moment).messages;
  const { border } = parseHeads(bytes.subarray(0, messages.at(-2)?.end ?? 0), moment);
  const works: readonly (readonly [string, number, () => unknown])[] = [
    ['presence', PRESENCE_BAR, () => readChatPresence(file, moment.nowMs)],
    ['messages', MESSAGES_BAR, () => parseChat(bytes, moment)],
    [
      'the last message',
      LAST_BAR,
      () =>
        [createChatReader({ from: border })].map((reader) => [
          reader.feed(bytes.subarray(border.offset), moment.nowMs),
          reader.end(moment),
        ]),
    ],
  ];
  const rounds = Array.from({ length: ROUNDS }, () => ({
    floor: processorMs(() => readFileSync(file)),
    figures: works.map(([, , work]) => processorMs(work)),
  })).slice(3);
  return works.map(([name, bar], i) => ({
    what: `${name}, ${(bytes.length / 1e6).toFixed(0)} MB, ${messages.length} messages`,
    figure: median(rounds.map(({ figures }) => figures[i] ?? 0)),
    floorName: 'reading the file',
    floor: median(rounds.map(({ floor }) => floor)),
    ratio: median(rounds.map(({ floor, figures }) => (figures[i] ?? 0) / floor)),
    unit: 'ms',
    bar,
  }));
}

await main();
