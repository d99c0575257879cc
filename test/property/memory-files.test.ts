import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editMemory } from '../../src/memory/edit-toml.ts';
import { readMemory } from '../../src/memory/read-toml.ts';
import {
  contentKeysOf,
  MEMORY_DIRECTORIES,
  type MemoryRecord,
  type ParsedMemory,
  type RecordChanges,
} from '../../src/memory/record.ts';
import { recordFromJson, recordToJson } from '../../src/memory/record-json.ts';
import { renderMemory } from '../../src/memory/render-toml.ts';
import { M1_NAMES } from '../../src/memory/variants.ts';
import { aFact, aFeedback, bytesOf, memoryOf, recordOf } from '../memory/records.ts';
import { type Chunk, changesOf, confidences, counts, memoryFiles, texts, times } from './memory-files.ts';

const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** The record an edit is meant to give: what follows from the source of an M5 file moves with it. */
function intended({ record, variant }: ParsedMemory, changes: RecordChanges, after: MemoryRecord): MemoryRecord {
  const isImplied =
    variant.startsWith('M5') && changes.source !== undefined && changes.initial_confidence === undefined;
  return { ...record, ...changes, ...(isImplied ? { initial_confidence: after.initial_confidence } : {}) };
}

function fileKeys(changes: RecordChanges, { variant }: ParsedMemory): Set<string> {
  const names: Record<string, string> = variant === 'M1' ? M1_NAMES : {};
  return new Set(Object.keys(changes).map((key) => names[key] ?? key));
}

/** Fails unless `after` is the untouched chunks in their order, with nothing but lines of `keys` between them. */
function expectOnly(keys: ReadonlySet<string>, chunks: readonly Chunk[], after: string, changed: boolean): void {
  let at = after.startsWith('\ufeff') ? 1 : 0;
  const gaps: string[] = [];
  const stays = chunks.filter((chunk) => !(changed && chunk.pending) && !(chunk.key !== null && keys.has(chunk.key)));
  for (const { text } of stays) {
    const found = after.indexOf(text, at);
    expect(found, `lost: ${JSON.stringify(text)}`).toBeGreaterThanOrEqual(0);
    gaps.push(after.slice(at, found));
    at = found + text.length;
  }
  gaps.push(after.slice(at));
  const line = new RegExp(`^\\s*["']?(${[...keys].join('|')})["']?\\s*=`);
  for (const piece of gaps) if (piece.trim() !== '') expect(piece).toMatch(line);
}

test('MF-28, MF-29, MF-30: an edit gives the intended record and leaves everything else as it is', () => {
  const cases = memoryFiles.chain((file) => fc.tuple(fc.constant(file), changesOf(memoryOf(file.text))));
  fc.assert(
    fc.property(cases, ([file, changes]) => {
      const before = memoryOf(file.text);
      const bytes = bytesOf(file.text);
      const edited = editMemory(bytes, changes);
      const after = memoryOf(edited);
      expect(after.record).toEqual(intended(before, changes, after.record));
      expect(decode(edited).startsWith('\ufeff')).toBe(file.bom);
      expectOnly(fileKeys(changes, before), file.chunks, decode(edited), edited !== bytes);
      expect(editMemory(edited, changes)).toBe(edited);
    }),
    { numRuns: 300 },
  );
});

test('MF-33: setting every key to what it is gives the same array, or adds lines only', () => {
  fc.assert(
    fc.property(memoryFiles, (file) => {
      const { record, present, unusable } = memoryOf(file.text);
      const same = Object.fromEntries(
        present.filter((key) => !unusable.includes(key)).map((key) => [key, record[key]]),
      );
      const bytes = bytesOf(file.text);
      const twice = memoryOf(editMemory(bytes, same)).record;
      expect(twice).toEqual(record);
      expect(editMemory(bytes, { situation: record.situation, core_origin: record.core_origin })).toBe(bytes);
    }),
    { numRuns: 150 },
  );
});

const extras = fc.constantFrom(
  null,
  '{"owner":"x"}',
  '{"content":{"a":[1,{"b":{"$date":"2026-04-20"}}]},"links":{"n":{"deep":{}}}}',
);
const records: fc.Arbitrary<MemoryRecord> = fc
  .tuple(
    fc.constantFrom(aFeedback(), aFact()),
    fc.record({
      situation: texts,
      source: texts,
      core: fc.boolean(),
      core_origin: fc.constantFrom(null, 'user' as const, 'auto' as const),
      needs_review: fc.boolean(),
      project_slug: texts,
      surfaced_count: counts,
      missed_count: counts,
      initial_confidence: fc.option(confidences, { nil: null }),
      created_at: fc.option(times, { nil: null }),
      extra: extras,
    }),
    fc.tuple(texts, texts, texts),
  )
  .map(([base, changes, contents]) => {
    const content = Object.fromEntries(contentKeysOf(base.type).map((key, i) => [key, contents[i]]));
    return { ...base, ...changes, ...content };
  });

test('MF-31: reading a rendered file gives the record back', () => {
  fc.assert(
    fc.property(records, (record) => {
      expect(recordOf(renderMemory(record))).toEqual(record);
      expect(recordFromJson(recordToJson(record))).toEqual(record);
    }),
    { numRuns: 300 },
  );
});

test('MF-32: no proper prefix of a canonical file can be read, but the one without its last line end', () => {
  fc.assert(
    fc.property(
      records.map((record) => ({ ...record, extra: null })),
      (record) => {
        const bytes = renderMemory(record);
        for (let length = 0; length < bytes.length - 1; length++) {
          expect(readMemory(bytes.subarray(0, length), 'facts').kind).toBe('quarantined');
        }
        expect(recordOf(bytes.subarray(0, -1))).toEqual(record);
      },
    ),
    { numRuns: 8 },
  );
});

describe('fixtures', () => {
  const root = join(import.meta.dirname, '../fixtures/memories');
  const files = MEMORY_DIRECTORIES.flatMap((directory) =>
    readdirSync(join(root, directory))
      .filter((name) => name.endsWith('.toml'))
      .map((name) => ({
        directory,
        path: `${directory}/${name}`,
        bytes: new Uint8Array(readFileSync(join(root, directory, name))),
      })),
  );
  const editable = files.flatMap((file) => {
    const result = readMemory(file.bytes, file.directory);
    return result.kind === 'ok' && !result.memory.newerVersion ? [{ ...file, memory: result.memory }] : [];
  });

  test('MF-13: the examples are among them', () => expect(editable.length).toBeGreaterThanOrEqual(5));

  test.each(editable)('MF-28: $path is edited in place', ({ bytes, memory }) => {
    const { record, unusable } = memory;
    const wanted: RecordChanges = {
      source: 'edited, 2026-05-01',
      core: !record.core,
      core_origin: record.core ? null : 'user',
      surfaced_count: record.surfaced_count + 1,
      missed_count: record.missed_count + 1,
      initial_confidence: 0.55,
      updated_at: '2026-05-01T00:00:00Z',
    };
    const usable = Object.entries(wanted).filter(([key]) => !unusable.some((other) => other === key));
    const changes: RecordChanges = Object.fromEntries(usable);
    const edited = editMemory(bytes, changes);
    expect(memoryOf(edited).record).toEqual({ ...record, ...changes });
    const others = (file: Uint8Array) =>
      withoutPending(decode(file).replace(/^\ufeff/, '')).filter((line) => !isLineOf(line, changes));
    expect(others(edited)).toEqual(others(bytes));
  });

  test.each(editable)('MF-31: $path survives a full rendering', ({ memory: { record } }) => {
    expect(recordOf(renderMemory(record))).toEqual(record);
  });
});

function isLineOf(line: string, changes: RecordChanges): boolean {
  const key = /^\ufeff?\s*(?:content\s*\.\s*)?["']?([a-z_]+)["']?\s*=/.exec(line)?.[1];
  return key !== undefined && Object.hasOwn(changes, key);
}

function withoutPending(text: string): string[] {
  let inside = false;
  return text.split('\n').filter((line) => {
    if (/^\s*\[/.test(line)) inside = /pending_evaluations/.test(line);
    return !inside || /^\s*(#.*)?$/.test(line);
  });
}
