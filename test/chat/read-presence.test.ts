import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeadReader, createSightingReader } from '../../src/chat/parse.ts';
import type { Skimmer } from '../../src/chat/parse-reading.ts';
import { openSkimmer } from '../../src/chat/plain-blocks.ts';
import { createPresenceBook } from '../../src/chat/presence.ts';
import { readChatPresence } from '../../src/chat/read-presence.ts';
import { renderBlock } from '../../src/chat/render.ts';
import { engramError } from '../support/engram-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { canonicalBlock, FRESH, NOW_MS, QUIET } from './chat-bytes.ts';
import { foreignBlocks, nastyTexts } from './contents.ts';
import { cutAt, damagedBytes, edits } from './edits.ts';

const RUNS = Number(process.env.ENGRAM_PROPERTY_RUNS ?? 300);
const MINUTE_MS = 60_000;

const timestamp = (ms: number) => new Date(ms).toISOString().replace('.000', '');
/** Around the borders of CH-34, often the same, some in the future, some that a calendar has to judge. */
const times = fc.oneof(
  fc.constantFrom(-1000, -16, -15, -14, -1, 0, 1, 2, 3, 60).map((minutes) => timestamp(NOW_MS + minutes * MINUTE_MS)),
  fc.integer({ min: -40, max: 200 }).map((seconds) => timestamp(NOW_MS + seconds * 1000)),
  fc.constantFrom('2026-05-31T23:59:59Z', '2024-02-29T00:00:00Z', '2000-02-29T00:00:00Z'),
);
/** As engram writes them; few names, threads and types, so that messages are much alike. */
const blocks = fc
  .record({
    from: fc.constantFrom('executor', 'Executor', 'executor/sub-1', 'lead', 'x y'),
    thread: fc.constantFrom('lifecycle', 'schema'),
    type: fc.constantFrom('done', 'info'),
    ts: times,
    re: fc.constantFrom(null, '0123456789abcdef'),
    text: fc.oneof(nastyTexts(), fc.constant('a """ b'), fc.constant('\\" \\\\""" "')),
  })
  .map((content) => renderBlock({ ...content, to: 'all' }));
/** One who comes and goes within a second or two. */
const comings = fc
  .tuple(fc.constantFrom('done', 'info'), fc.constantFrom(-2000, -1000, 0))
  .map(([type, ms]) => canonicalBlock({ from: 'lead', thread: 'lifecycle', type, ts: timestamp(NOW_MS + ms) }));
/** Nearly as engram writes them. */
const odd = fc.constantFrom(
  ...['2023-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-06-01T24:00:00Z', '1900-02-29T00:00:00Z'].map((ts) =>
    canonicalBlock({ ts }),
  ),
  canonicalBlock({ from: ' lead ' }),
  canonicalBlock({ from: '' }),
  canonicalBlock({ thread: '', type: '' }),
  canonicalBlock({ from: 'ä' }),
  canonicalBlock({ text: 'a """"' }),
  canonicalBlock({ text: 'a \\\\"""' }),
  canonicalBlock({ text: 'key = """' }),
  canonicalBlock({ text: `"""\n${canonicalBlock({ from: 'lead', type: 'done' })}` }),
  canonicalBlock().replace('[[message]]', '[[entry]]'),
  canonicalBlock().replaceAll('\n', '\r\n'),
  canonicalBlock().replace('"""\n', '"""'),
  canonicalBlock().replaceAll('"""', "'''"),
);

/** Who is there by every message that a reader of every byte returns, and where it ends. */
function presenceByHeads(bytes: Buffer, moment: typeof FRESH) {
  const book = createPresenceBook();
  const reader = createHeadReader();
  const [body, last] = [reader.feed(bytes, moment.nowMs), reader.end(moment)];
  for (const message of [...body.messages, ...last.messages]) book.note(message, message.suspect, moment.nowMs);
  const { border, tail } = reader;
  return {
    agents: book.all(NOW_MS),
    later: book.all(NOW_MS + 5 * MINUTE_MS),
    damaged: [...body.damaged, ...last.damaged],
    border,
    tail,
  };
}

function presenceBySightings(pieces: readonly Buffer[], moment: typeof FRESH, skimmer: Skimmer | null) {
  const book = createPresenceBook();
  const reader = createSightingReader((sighting, suspect) => book.note(sighting, suspect, moment.nowMs), skimmer);
  const readings = pieces.map((piece) => reader.feed(piece, moment.nowMs));
  readings.push(reader.end(moment));
  const { border, tail } = reader;
  return {
    agents: book.all(NOW_MS),
    later: book.all(NOW_MS + 5 * MINUTE_MS),
    damaged: readings.flatMap(({ damaged }) => damaged),
    border,
    tail,
  };
}

test('CH-36: who is there is what every message says, however the file is damaged and wherever it is cut', () => {
  const skimmer = openSkimmer();
  expect(skimmer).not.toBeNull();
  const written = fc.oneof({ arbitrary: blocks, weight: 8 }, { arbitrary: odd, weight: 1 }, foreignBlocks());
  const texts = fc.oneof(fc.array(written, { minLength: 1, maxLength: 14 }), fc.array(comings, { maxLength: 8 }));
  const file = texts.map((all) => Buffer.from(all.join('')));
  const damage = fc.option(edits(), { freq: 2 });
  fc.assert(
    fc.property(file, damage, fc.array(fc.nat(), { maxLength: 4 }), fc.boolean(), (good, damage, places, isFresh) => {
      const bytes = damage === null ? good : damagedBytes(good, 0, good.length, damage).bytes;
      const moment = isFresh ? FRESH : QUIET;
      const wanted = presenceByHeads(bytes, moment);
      expect(presenceBySightings([bytes], moment, skimmer)).toEqual(wanted);
      expect(presenceBySightings(cutAt(bytes, places), moment, skimmer)).toEqual(wanted);
    }),
    { numRuns: RUNS },
  );
});

test('CH-36: the skimmer takes what engram writes: of many messages that are alike three are shown', () => {
  const bytes = Buffer.from(canonicalBlock({ from: 'lead', text: 'a "quoted" \\\\ ""\nlong text' }).repeat(500));
  let shownCount = 0;
  const reader = createSightingReader(() => (shownCount += 1), openSkimmer());
  reader.feed(bytes, NOW_MS);
  reader.end(QUIET);
  // The last message of a file is left to the reader.
  expect(shownCount).toBe(3);
  expect(reader.border).toMatchObject({ offset: bytes.length, cursor: 500 * 11 });
});

test('CH-36: a file of several pieces, with more kinds of messages than are kept at once, is read whole', () => {
  const path = join(temporaryDirectory(), 'chat.toml');
  const bytes = Buffer.from(
    Array.from({ length: 3000 }, (_, at) =>
      canonicalBlock({
        from: `agent-${at % 700}`,
        ts: timestamp(NOW_MS - ((at * 7) % 3000) * 1000),
        text: `${'words '.repeat(20)}\n`.repeat(at % 9),
      }),
    ).join(''),
  );
  writeFileSync(path, bytes);
  utimesSync(path, NOW_MS / 1000 - 60, NOW_MS / 1000 - 60);
  const { book, cursor } = readChatPresence(path, NOW_MS);
  const { agents, border } = presenceByHeads(bytes, QUIET);
  expect({ agents: book.all(NOW_MS), cursor }).toEqual({ agents, cursor: border.cursor });
  expect(agents).toHaveLength(700);
});

test('CH-51: bytes that are no text are refused by presence too', () => {
  const path = join(temporaryDirectory(), 'chat.toml');
  writeFileSync(path, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  expect(() => readChatPresence(path, NOW_MS)).toThrow(engramError('chat.damaged'));
});
