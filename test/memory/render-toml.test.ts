import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMemory } from '../../src/memory/read-toml.ts';
import type { MemoryRecord } from '../../src/memory/record.ts';
import { renderMemory } from '../../src/memory/render-toml.ts';
import { aFact, aFeedback, recordOf } from './records.ts';

const fixtures = join(import.meta.dirname, '../fixtures/memories');
const rendered = (record: MemoryRecord) => new TextDecoder().decode(renderMemory(record));
const readBack = (record: MemoryRecord) => recordOf(renderMemory(record));

test('MF-31: E1 is rendered as it stands in the format page, byte for byte', () => {
  const bytes = readFileSync(join(fixtures, 'feedback/e1-canonical-feedback.toml'));
  expect(rendered(recordOf(bytes))).toBe(bytes.toString());
});

test('MF-31: every key is explicit, but absent origin, no review and unknown confidence', () => {
  const text = rendered(aFact({ initial_confidence: null }));
  expect(text).toBe(`schema_version = 1
type = "fact"
source = "user correction, 2026-04-02"
core = false
situation = "When scheduling the nightly invoice run"
project_scoped = false
project_slug = ""
created_at = "2026-04-02T10:00:00Z"
updated_at = "2026-04-02T10:00:00Z"
surfaced_count = 0
followed_count = 0
not_followed_count = 0
irrelevant_count = 0
missed_count = 0

[content]
subject = "invoice-worker"
predicate = "reads-time-from"
object = "the database server"
`);
});

test.each([
  [0, '0.0'],
  [1, '1.0'],
  [0.7, '0.7'],
  [1e-7, '1.0e-7'],
  [1.5e-7, '1.5e-7'],
])('MF-31: confidence %d is written %s', (initial_confidence, token) => {
  const record = aFeedback({ initial_confidence });
  expect(rendered(record)).toContain(`\ninitial_confidence = ${token}\n`);
  expect(readBack(record)).toEqual(record);
});

test.each([
  ['quotes and backslashes', 'say "C:\\temp" \'x\''],
  ['control characters', 'a\tb\u0001\u007f\f\b'],
  ['a carriage return', 'a\r\nb\rc'],
  ['two lines', 'one\ntwo'],
  ['an empty first line', '\none'],
  ['runs of quotes over lines', 'a """ b\n""""" c "'],
  ['seven quotes at the end', `a\n${'"'.repeat(7)}`],
  ['a trailing backslash', 'a\\\nb\\'],
  ['a byte order mark and emoji', '\ufeffx 🐘 \u2028'],
  ['what looks like a file', 'x"\n[content]\nsurfaced_count = 9\n# no'],
])('MF-31: %s survive', (_, value) => {
  const record = aFeedback({ situation: `${value}.`, action: value });
  expect(readBack(record)).toEqual(record);
});

describe('MF-31: unknown keys', () => {
  const file = `situation = "s"
owner = "platform"
due = 2026-04-20T08:30:00.500+02:00
on = 2026-04-20
at = 07:30:00
ratio = 0.25
far = inf
lost = [nan, -inf]
big = 9223372036854775807
mixed = [1, "two", { three = 3, "four five" = [] }]
"odd key" = true
fake = { "$date" = "no date" }
faker = { "$$date" = 1 }

[content]
subject = "a"
predicate = "b"
object = "c"
seen = ["x"]

[content.deep]
n = 1

[links]
runbook = "ops"
[links.more]
"a.b" = ''
[[reviews]]
by = "dana"
[[reviews]]
by = "lee"
[reviews.notes]
n = 1
[empty]
`;
  const record = recordOf(file);

  test('survive a rendering, dates and special numbers included', () => {
    expect(readBack(record)).toEqual({ ...record, schema_version: 1 });
    const text = rendered(record);
    expect(text).toContain('\ndue = 2026-04-20T08:30:00.5+02:00\n');
    expect(text).toContain('\non = 2026-04-20\n');
    expect(text).toContain('\nat = 07:30:00\n');
    expect(text).toContain('\nfar = inf\n');
    expect(text).toContain('\nbig = 9223372036854775807\n');
    expect(text).toContain('\n[[reviews]]\nby = "lee"\n\n[reviews.notes]\nn = 1\n');
  });

  test('stand after the known ones, tables last', () => {
    const text = rendered(record);
    const order = [
      'missed_count',
      'owner = ',
      '[content]',
      'object = ',
      'seen = ',
      '[empty]',
      '[links]',
      '[content.deep]',
    ];
    const places = order.map((part) => text.indexOf(`\n${part}`));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
});

test('MF-32: every proper prefix of a canonical file is refused, but the loss of the last line end', () => {
  const records = [
    recordOf(readFileSync(join(fixtures, 'feedback/e1-canonical-feedback.toml'))),
    aFact({ extra: '{"owner":"x"}' }),
    aFeedback({ behavior: 'a\nb', action: 'one "\ntwo', needs_review: true, core: true, core_origin: 'auto' }),
  ];
  for (const record of records) {
    const bytes = renderMemory(record);
    for (let length = 0; length < bytes.length - 1; length++) {
      const result = readMemory(bytes.subarray(0, length), 'feedback');
      expect(result.kind, new TextDecoder().decode(bytes.subarray(0, length))).toBe('quarantined');
      if (length > 0 && result.kind === 'quarantined')
        expect(['syntax', 'invalid', 'not-utf8']).toContain(result.reason);
    }
    expect(recordOf(bytes.subarray(0, bytes.length - 1))).toEqual(record);
  }
});
