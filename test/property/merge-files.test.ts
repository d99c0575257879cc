import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeByLines } from '../../src/exchange/line-merge.ts';
import { editMemory } from '../../src/memory/edit-toml.ts';
import { readMemory } from '../../src/memory/read-toml.ts';
import { COUNTER_KEYS, RECORD_KEYS, type RecordChanges } from '../../src/memory/record.ts';
import { settleFields } from '../../src/sync/merge-files.ts';
import { bytesOf, memoryOf } from '../memory/records.ts';
import { changesOf, memoryFiles } from './memory-files.ts';

/** A file, and what two sides made of it. It is whole: in a cut file no counter goes down (SY-17). */
const threeFiles = memoryFiles
  .map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`))
  .chain((text) => {
    const changes = changesOf(memoryOf(text));
    return fc.tuple(fc.constant(bytesOf(text)), changes, changes);
  })
  .map(([base, ours, theirs]) => ({ base, ours: editMemory(base, ours), theirs: editMemory(base, theirs) }));

const CLAMPED = Number.MAX_SAFE_INTEGER;

test('SY-15, SY-46: three files say the same afterwards, but for what clashes; no count and no text is lost', {
  timeout: 120_000,
}, () => {
  fc.assert(
    fc.property(threeFiles, (files) => {
      const settled = settleFields(files, 'feedback');
      if (settled.kind !== 'settled') throw new Error(settled.reason);
      const read = (bytes: Uint8Array) => memoryOf(settled.toFile(bytes)).record;
      const [base, ours, theirs] = [files.base, files.ours, files.theirs].map((bytes) => memoryOf(bytes).record);
      const after = [settled.files.base, settled.files.ours, settled.files.theirs].map(read);
      const [, ourAfter, theirAfter] = after;
      if (!base || !ours || !theirs || !ourAfter || !theirAfter) throw new Error('three files');
      const open = new Set([...settled.clashes, ...memoryOf(files.base).unusable]);
      if (open.has('project_slug')) open.add('project_scoped');
      for (const key of RECORD_KEYS) {
        if (key === 'extra') continue;
        if (open.has(key)) expect([ourAfter[key], theirAfter[key]], key).toEqual([ours[key], theirs[key]]);
        else expect(new Set(after.map((record) => record[key])).size, key).toBe(1);
      }
      for (const key of COUNTER_KEYS.filter((each) => !open.has(each))) {
        const sum = ours[key] - base[key] + theirs[key];
        expect(ourAfter[key]).toBe(Math.min(Math.max(sum, 0), CLAMPED));
      }
      expect(settled.isTrueTo(settled.toFile(settled.files.ours))).toBe(settled.clashes.length === 0);
    }),
    { numRuns: Number(process.env.ENGRAM_PROPERTY_RUNS ?? 80) },
  );
});

test('SY-46: with one side unchanged the other is the result, byte for byte', () => {
  fc.assert(
    fc.property(threeFiles, ({ base, ours }) => {
      const settled = settleFields({ base, ours, theirs: base }, 'feedback');
      if (settled.kind !== 'settled') throw new Error(settled.reason);
      // Everything that was merged is in all three, so lines have nothing left to take but from our side.
      expect(settled.files.theirs).toEqual(settled.files.base);
      expect(readMemory(settled.toFile(settled.files.ours), 'feedback')).toEqual(readMemory(ours, 'feedback'));
      expect(settled.toFile(settled.files.ours)).toEqual(ours);
    }),
    { numRuns: 40 },
  );
});

function countsAlone(changes: RecordChanges): RecordChanges {
  return Object.fromEntries(Object.entries(changes).filter(([key]) => COUNTER_KEYS.some((counter) => counter === key)));
}

/** The same with a comment of each side's own, at places where one can stand. */
const commentedFiles = memoryFiles.chain((file) => {
  const changes = changesOf(memoryOf(file.text));
  const place = fc.nat({ max: file.chunks.length - 1 });
  const end = file.text.endsWith('\n') ? '' : '\n';
  const text = (comment: string, at: number) =>
    (file.bom ? '\ufeff' : '') +
    file.chunks.map((chunk, index) => (index === at ? `${comment}${chunk.text}` : chunk.text)).join('') +
    end;
  return fc
    .tuple(changes, changes, fc.boolean(), place, place)
    .map(([ours, theirs, mayClash, ourPlace, theirPlace]) => ({
      base: bytesOf(text('', 0)),
      ours: editMemory(bytesOf(text('# by us\n', ourPlace)), ours),
      theirs: editMemory(bytesOf(text('# by them\n', theirPlace)), mayClash ? theirs : countsAlone(theirs)),
    }));
});

test('SY-46: the comments of both sides are in the result, marked or not, and clean ones without a clash say what was merged', {
  timeout: 300_000,
}, () => {
  let [trueCount, cleanCount] = [0, 0];
  fc.assert(
    fc.property(commentedFiles, (files) => {
      const settled = settleFields(files, 'feedback');
      if (settled.kind !== 'settled') throw new Error(settled.reason);
      const lines = mergeByLines(settled.files, 7);
      const merged = new TextDecoder().decode(settled.toFile(lines.file));
      expect(merged).toContain('# by us\n');
      expect(merged).toContain('# by them\n');
      expect(merged).not.toContain('engram-value-');
      if (!lines.isClean) return;
      const isTrue = settled.isTrueTo(settled.toFile(lines.file));
      // A clash without marks: both sides added the key, at different places.
      if (settled.clashes.length > 0) {
        expect(isTrue).toBe(false);
        return;
      }
      cleanCount += 1;
      if (isTrue) trueCount += 1;
    }),
    { numRuns: Number(process.env.ENGRAM_PROPERTY_RUNS ?? 40) },
  );
  // The few others added the same key at different places.
  expect(trueCount).toBeGreaterThan(cleanCount / 2);
});
