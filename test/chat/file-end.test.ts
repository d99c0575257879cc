import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEndReader } from '../../src/chat/file-end.ts';
import { createHeadReader } from '../../src/chat/parse.ts';
import { renderBlock } from '../../src/chat/render.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { canonicalBlock, NOW_MS } from './chat-bytes.ts';
import { contents, foreignBlocks } from './contents.ts';
import { damagedBytes, edits } from './edits.ts';

const RUNS = Number(process.env.ENGRAM_PROPERTY_RUNS ?? 60);

/** More than one message may be long, so that what is close to its end is read by itself. */
const LONG_PAST = Buffer.from(
  Array.from({ length: 300 }, (_, at) =>
    canonicalBlock({
      ts: `2026-04-02T10:${String(at % 60).padStart(2, '0')}:00Z`,
      text: `${at} of a few words\n`.repeat(230),
    }),
  ).join(''),
);

/** Without one block a file may be no chat (CH-51). */
const SHORT_PAST = Buffer.from(canonicalBlock());

/** What a reader of every byte finds. */
function wholeEnd(bytes: Buffer) {
  const reader = createHeadReader();
  reader.feed(bytes, 0);
  reader.end({ nowMs: 0, unchangedMs: 0 });
  const { lineEnds, tail } = reader;
  return { sizeBytes: bytes.length, lineEnds, endsWithLineEnd: bytes.length === 0 || bytes.at(-1) === 0x0a, tail };
}

test('CH-13: the end of a long file is found as by a reader of every byte, however it is damaged, also when it grows', () => {
  const file = join(temporaryDirectory(), 'chat.toml');
  const blocks = fc
    .array(fc.oneof(contents().map(renderBlock), foreignBlocks()), { minLength: 1, maxLength: 5 })
    .map((all) => Buffer.from(all.join('')));
  fc.assert(
    fc.property(fc.boolean(), blocks, edits(), fc.nat(), (isLong, end, damage, cut) => {
      const part = damagedBytes(end, 0, end.length, damage).bytes;
      const bytes = Buffer.concat([isLong ? LONG_PAST : SHORT_PAST, part]);
      const from = bytes.length - (cut % (part.length + 1));
      writeFileSync(file, bytes.subarray(0, from));
      const reader = createEndReader(file);
      for (const known of [bytes.subarray(0, from), bytes]) {
        const { unchangedMs: _, ...found } = reader.read(NOW_MS);
        expect(found).toEqual(wholeEnd(known));
        appendFileSync(file, bytes.subarray(from));
      }
    }),
    { numRuns: RUNS },
  );
});
