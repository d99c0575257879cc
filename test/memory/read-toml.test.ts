import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { effectiveness, unresolved } from '../../src/memory/effectiveness.ts';
import { MAX_FILE_BYTES, readMemory } from '../../src/memory/read-toml.ts';
import type { MemoryDirectory, ReadResult } from '../../src/memory/record.ts';
import { coreState } from '../../src/memory/tiers.ts';
import { bytesOf, memoryOf, recordOf } from './records.ts';

const fixtures = join(import.meta.dirname, '../fixtures/memories');
const fixture = (path: string) => readFileSync(join(fixtures, path), 'utf8');
const E1 = fixture('feedback/e1-canonical-feedback.toml');
const E2 = fixture('feedback/e2-flat-pending-evaluations.toml');
const E3 = fixture('feedback/e3-nested-counters.toml');
const E4 = fixture('feedback/e4-title-content.toml');
const E5 = fixture('facts/e5-date-time-tokens.toml');

const read = (text: string, directory: MemoryDirectory = 'feedback'): ReadResult =>
  readMemory(bytesOf(text), directory);
const counters = (text: string) => {
  const record = recordOf(text);
  return [
    record.surfaced_count,
    record.followed_count,
    record.not_followed_count,
    record.irrelevant_count,
    record.missed_count,
  ];
};
const quarantined = (text: string) => {
  const result = read(text);
  if (result.kind === 'ok') throw new Error('was read');
  return [result.reason, result.line, result.column, result.message];
};

describe('MF-13: the examples of the format page', () => {
  test('E1, canonical feedback', () => {
    const { record, variant, notes, unusable, newerVersion } = memoryOf(E1);
    expect([variant, notes, unusable, newerVersion]).toEqual(['M4-top', [], [], false]);
    expect(coreState(record)).toBe('pinned');
    expect(counters(E1)).toEqual([6, 4, 1, 0, 0]);
    expect([record.initial_confidence, effectiveness(record), unresolved(record)]).toEqual([1, 0.8, 1]);
    expect([record.type, record.project_scoped, record.project_slug]).toEqual(['feedback', true, 'shop-api']);
    expect([record.created_at, record.updated_at]).toEqual(['2026-04-02T10:00:00Z', '2026-04-20T08:15:30Z']);
    expect([record.subject, record.predicate, record.object, record.extra]).toEqual([null, null, null, null]);
    expect(record.action).toBe('Add it nullable, backfill in batches of 5,000, then set NOT NULL');
  });

  test('E2, flat with pending evaluations', () => {
    const { record, variant, notes } = memoryOf(E2);
    expect([variant, record.type, notes]).toEqual(['M3', 'feedback', []]);
    expect(counters(E2)).toEqual([3, 1, 1, 0, 2]);
    expect([record.project_scoped, record.project_slug, record.extra]).toEqual([true, '-home-dana-src-shop-api', null]);
    expect(record.behavior).toBe('Sleeping a fixed two seconds before asserting');
  });

  test('E3, counters below [content]', () => {
    const { record, variant, present } = memoryOf(E3);
    expect([variant, record.extra, present.length]).toEqual(['M4-nested', '{"owner":"platform"}', 8]);
    expect(counters(E3)).toEqual([9, 7, 1, 1, 0]);
    expect(record.updated_at).toBe('2026-04-15T11:22:33Z');
  });

  test('MF-14: E4, a title/content record', () => {
    const { record, variant, present } = memoryOf(E4);
    expect([variant, record.needs_review, record.type]).toEqual(['M1', true, 'feedback']);
    expect(record.situation).toBe('Request bodies stay out of the log\nDebug logging printed whole payment requests.');
    expect([record.action, record.behavior, record.impact]).toEqual([
      'Log the request id and the status only',
      'Logging the request body while debugging',
      'Card numbers reached the log store',
    ]);
    expect(counters(E4)).toEqual([4, 2, 1, 0, 0]);
    expect([record.initial_confidence, record.extra]).toEqual([0.7, '{"keywords":["logging","payments"]}']);
    expect(present).toEqual([
      'surfaced_count',
      'followed_count',
      'not_followed_count',
      'initial_confidence',
      'created_at',
    ]);
  });

  test('MF-16: E5, date-time tokens and a foreign table', () => {
    const { record, variant, notes } = memoryOf(E5, 'facts');
    expect([variant, record.type, record.schema_version, notes]).toEqual(['M5-nested', 'fact', 2, []]);
    expect([record.initial_confidence, record.source]).toEqual([1, 'human']);
    expect([record.created_at, record.updated_at]).toEqual(['2026-04-20T06:30:00Z', '2026-04-21T06:00:00.123456789Z']);
    expect(counters(E5)).toEqual([0, 0, 0, 0, 0]);
    expect(record.extra).toBe('{"links":{"runbook":"ops/invoices"}}');
    expect(recordOf(E5.replace('"human"', '"agent"')).initial_confidence).toBe(0.7);
    expect(recordOf(E5.replace('"human"', '"dana"')).initial_confidence).toBeNull();
  });

  test('M2 has no version, M5-top its times at top level', () => {
    expect(memoryOf(E2.replace('schema_version = 1\n', '')).variant).toBe('M2');
    const top = E5.replace(/created_at.*\nupdated_at.*\n/, '').replace(
      '[content]',
      'created_at = 2026-04-20\n\n[content]',
    );
    expect(memoryOf(top).variant).toBe('M5-top');
    expect(recordOf(top).created_at).toBe('2026-04-20T00:00:00Z');
  });
});

describe('MF-14: M1', () => {
  const without = (key: string) => E4.replace(new RegExp(`^${key} = .*\\n`, 'm'), '');
  test('the action is the principle, else the content', () => {
    expect(recordOf(without('principle')).action).toBe('Debug logging printed whole payment requests.');
  });
  test('what is missing is empty', () => {
    const record = recordOf(without('rationale').replace(/^anti_pattern.*\n/m, ''));
    expect([record.behavior, record.impact]).toEqual(['', '']);
    expect(recordOf(without('title')).situation).toBe('Debug logging printed whole payment requests.');
  });
  test('not followed is contradicted and ignored, until a not_followed_count exists', () => {
    expect(recordOf(E4.replace('ignored_count = 0', 'ignored_count = 3')).not_followed_count).toBe(4);
    expect(recordOf(`${E4}not_followed_count = 2\n`).not_followed_count).toBe(2);
    expect(memoryOf(without('contradicted_count').replace(/^ignored_count.*\n/m, '')).present).not.toContain(
      'not_followed_count',
    );
  });
  test.each([
    ['A', 1],
    ['B', 0.7],
    ['C', 0.4],
    ['D', null],
  ])('confidence %s is %s', (letter, value) => {
    expect(recordOf(E4.replace('"B"', `"${letter}"`)).initial_confidence).toBe(value);
  });
  test('a written confidence wins over the letter', () => {
    expect(recordOf(`${E4}initial_confidence = 0.0\n`).initial_confidence).toBe(0);
  });
});

describe('MF-15: a missing type', () => {
  const untyped = (text: string) => text.replace(/^type = .*\n/m, '');
  test('is that of the content', () => {
    expect(recordOf(untyped(E1)).type).toBe('feedback');
    expect(memoryOf(untyped(E1), 'facts').record.type).toBe('feedback');
    expect(recordOf(untyped(E5)).type).toBe('fact');
    expect(recordOf(E2).type).toBe('feedback');
  });
  test('with the fields of both: quarantined', () => {
    const both = `${untyped(E1)}subject = "a"\npredicate = "b"\nobject = "c"\n`;
    expect(quarantined(both)[0]).toBe('invalid');
    expect(recordOf(E1 + both.slice(untyped(E1).length)).type).toBe('feedback');
  });
});

test('MF-5: the type wins over the directory, with a note', () => {
  const { record, notes } = memoryOf(E5, 'feedback');
  expect(record.type).toBe('fact');
  expect(notes.map((note) => note.key)).toEqual(['type']);
});

test('MF-17: a newer version is read from the keys it knows, and flagged', () => {
  for (const version of ['3', '99', '"3"', '3.0', '2.5', '9223372036854775807']) {
    const { record, newerVersion } = memoryOf(E1.replace('schema_version = 1', `schema_version = ${version}`));
    expect([newerVersion, record.surfaced_count]).toEqual([true, 6]);
  }
});

test('MF-18: unknown keys and tables at any level are kept', () => {
  const file = `${E3.replace('[content]', '[content]\nteam = "web"')}
[content.deep]
n = 1
[links]
b = 1
a = 2026-04-20
`;
  expect(recordOf(file).extra).toBe(
    '{"content":{"deep":{"n":1},"team":"web"},"links":{"a":{"$date":"2026-04-20"},"b":1},"owner":"platform"}',
  );
  expect(recordOf(`"__proto__" = 1\nconstructor = 2\n${E1}`).extra).toBe('{"__proto__":1,"constructor":2}');
});

describe('MF-21: a tracking key at both levels', () => {
  const both = (line: string) => E3.replace('[content]', `${line}\n\n[content]`);
  test('E3 plus surfaced_count = 2 at the top: the larger', () => {
    expect(recordOf(both('surfaced_count = 2')).surfaced_count).toBe(9);
    expect(recordOf(both('surfaced_count = 12')).surfaced_count).toBe(12);
    expect(recordOf(both('initial_confidence = 0.3')).initial_confidence).toBe(1);
  });
  test('the earlier created_at, the later updated_at', () => {
    const early = '"2026-01-01T00:00:00Z"';
    const late = '"2026-12-01T00:00:00Z"';
    expect(recordOf(both(`created_at = ${early}`)).created_at).toBe('2026-01-01T00:00:00Z');
    expect(recordOf(both(`created_at = ${late}`)).created_at).toBe('2026-03-28T09:00:00Z');
    expect(recordOf(both(`updated_at = ${early}`)).updated_at).toBe('2026-04-15T11:22:33Z');
    expect(recordOf(both(`updated_at = ${late}`)).updated_at).toBe('2026-12-01T00:00:00Z');
  });
});

test('MF-22: a tracking key that is absent is reported as absent', () => {
  const { record, present } = memoryOf(E3.replace(/^missed_count.*\n/m, ''));
  expect(record.missed_count).toBe(0);
  expect(present).not.toContain('missed_count');
  expect(memoryOf(E3).present).toContain('missed_count');
});

describe('MF-23: unusable files', () => {
  test.each([
    ['a missing quote', E1.replace('"shop-api"', '"shop-api'), ['syntax', 8, 25]],
    ['a duplicate key', E1.replace('core = true', 'type = "fact"'), ['syntax', 4, 1]],
    ['a bad escape', E1.replace('shop-api', 'shop\\qapi'), ['syntax', 8]],
    ['NUL in a text', E1.replace('shop-api', 'shop\0api'), ['syntax', 8]],
    ['NUL in a comment', `# \0\n${E1}`, ['syntax', 1]],
    ['NUL at the end', `${E1}\0`, ['syntax', 22]],
  ])('%s: syntax with line and column', (_, text, place) => {
    expect(quarantined(text).slice(0, place.length)).toEqual(place);
    expect(quarantined(text)[2]).toBeGreaterThan(0);
  });

  test('bytes that are not UTF-8, with line and column', () => {
    const bytes = bytesOf(E1.replace('shop-api', 'sh\u00f6p-api'));
    const at = bytes.indexOf(0xc3);
    bytes[at + 1] = 0x20;
    expect(readMemory(bytes, 'feedback')).toMatchObject({ reason: 'not-utf8', line: 8, column: 19 });
    expect(readMemory(Uint8Array.of(0x61, 0xff), 'feedback')).toMatchObject({ line: 1, column: 2 });
    expect(readMemory(Uint8Array.of(0x23, 0x0a, 0xc3), 'feedback')).toMatchObject({ line: 2, column: 1 });
  });

  test.each([
    ['ours', E1.replace('core = true', '<<<<<<< HEAD\ncore = true\n=======\ncore = false\n>>>>>>> theirs'), 4],
    ['the separator alone', E1.replace('core = true', '=======\ncore = true'), 4],
    ['the base of diff3', E1.replace('core = true', 'core = true\n||||||| base'), 5],
    ['in an array', E1.replace('core = true', 'core = true\nkeywords = [\n<<<<<<< HEAD\n"a",'), 6],
  ])('merge markers: %s', (_, text, line) => {
    expect(quarantined(text).slice(0, 3)).toEqual(['merge-markers', line, 1]);
    expect(quarantined(text.replaceAll('\n', '\r\n')).slice(0, 3)).toEqual(['merge-markers', line, 1]);
  });

  test('merge markers inside a text are text', () => {
    const text = '"""\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"""';
    expect(recordOf(E1.replace(/^action = .*$/m, `action = ${text}`)).action).toContain('<<<<<<< HEAD');
  });

  test('above 1 MiB', () => {
    const big = E1 + '#'.repeat(MAX_FILE_BYTES);
    expect(quarantined(big)[0]).toBe('too-large');
    expect(read(E1 + '#'.repeat(MAX_FILE_BYTES - E1.length)).kind).toBe('ok');
  });

  test.each([
    ['impact in M4', E1.replace(/^impact.*\n/m, ''), 'content.impact missing', null],
    ['impact in M2', E2.replace(/^impact.*\n/m, ''), 'content.impact missing', null],
    ['object in M5', E5.replace(/^object.*\n/m, ''), 'content.object missing', null],
    ['situation', E1.replace(/^situation.*\n/m, ''), 'situation missing', null],
    ['an empty situation', E1.replace(/^situation.*$/m, 'situation = " "'), 'situation is empty', 6],
    ['an action that is no text', E1.replace(/^action.*$/m, 'action = 5'), 'content.action is no text', 21],
    [
      'content that is a list',
      `content = []\n${E1.replace('[content]', '')}`,
      'content is neither a table nor a text',
      1,
    ],
  ])('%s: invalid, and the message names the key', (_, text, message, line) => {
    expect(quarantined(text)).toEqual(['invalid', line, line === null ? null : 1, message]);
  });

  describe('nested too deeply: invalid, whatever nests', () => {
    const deep = (depth: number) => [
      ['dotted header', `[${Array(depth).fill('a').join('.')}]\nx = 1\n`],
      ['dotted key', `${Array(depth).fill('a').join('.')} = 1\n`],
      ['arrays', `x = ${'['.repeat(depth)}${']'.repeat(depth)}\n`],
      ['inline tables', `x = ${'{ a = '.repeat(depth)}1${' }'.repeat(depth)}\n`],
      ['arrays of tables', `[[${Array(depth).fill('a').join('.')}]]\nx = 1\n`],
    ];
    test.each([...deep(102), ...deep(900)])('%s', (_, text) => {
      expect(quarantined(`${E1}\n[other]\n${text}`).slice(0, 1)).toEqual(['invalid']);
      expect(quarantined(`${E1}\n[other]\n${text}`)[3]).toBe('nested deeper than 100 levels');
    });
    test.each([...deep(2_000), ...deep(100_000)])('%s, out of all proportion', (_, text) => {
      expect(['invalid', 'syntax']).toContain(quarantined(`${E1}\n[other]\n${text}`)[0]);
    });
    test.each(deep(90))('%s: 90 levels are read', (_, text) => {
      expect(read(`${E1}\n[other]\n${text}`).kind).toBe('ok');
    });
  });

  test('a project scope without a project: invalid at the line of project_scoped', () => {
    const problem = 'project_slug missing: project_scoped is true';
    for (const slug of ['', 'project_slug = ""\n', 'project_slug = " "\n', 'project_slug = 5\n']) {
      const text = E1.replace(/^project_slug = .*\n/m, slug);
      expect(quarantined(text)).toEqual(['invalid', 7, 1, problem]);
      expect(read(text.replace('project_scoped = true', 'project_scoped = false')).kind).toBe('ok');
    }
  });

  test('an empty file is truncated, one without keys invalid', () => {
    expect(quarantined('')[0]).toBe('truncated');
    expect(quarantined('\n# nothing\n')[0]).toBe('invalid');
  });

  test('BOM and CRLF are layout: the record is the same', () => {
    const wide = E3.replace(/^impact = .*$/m, 'impact = """\none\ntwo"""');
    expect(recordOf(`\ufeff${wide.replaceAll('\n', '\r\n')}`)).toEqual(recordOf(wide));
    expect(recordOf(wide).impact).toBe('one\ntwo');
    expect(recordOf(wide.replace('two', 'two\\r\\n')).impact).toBe('one\ntwo\r\n');
  });
});

describe('MF-24: lenient values', () => {
  const e1 = (key: string, value: string) =>
    memoryOf(E1.replace(new RegExp(`^${key} = .*$`, 'm'), `${key} = ${value}`));
  test.each([
    ['initial_confidence', '1', 1],
    ['initial_confidence', '0.0', 0],
    ['surfaced_count', '"6"', 6],
    ['surfaced_count', '6.0', 6],
    ['surfaced_count', '0x06', 6],
    ['surfaced_count', '9007199254740991', 2 ** 53 - 1],
    ['core', '"true"', true],
    ['project_scoped', '"false"', false],
    ['schema_version', '"1"', 1],
    ['schema_version', '2.0', 2],
  ] as const)('E1 with %s = %s is read', (key, value, expected) => {
    const { record, unusable, notes } = e1(key, value);
    expect(record[key]).toBe(expected);
    expect([unusable, notes]).toEqual([[], []]);
  });

  test.each([
    ['initial_confidence', '1.7', null],
    ['initial_confidence', 'nan', null],
    ['initial_confidence', '"1"', null],
    ['surfaced_count', '-3', 0],
    ['surfaced_count', '6.5', 0],
    ['surfaced_count', '"six"', 0],
    ['surfaced_count', '9007199254740992', 0],
    ['surfaced_count', '{ n = 1 }', 0],
    ['core', '1', false],
    ['core_origin', '"robot"', null],
    ['source', '5', ''],
    ['schema_version', '0', 1],
    ['schema_version', '"one"', 1],
    ['schema_version', '1.5', 1],
  ] as const)('E1 with %s = %s has its default, a note, and the token stays', (key, value, expected) => {
    const { record, unusable, notes } = e1(key, value);
    expect(record[key]).toBe(expected);
    expect(unusable).toEqual([key]);
    expect(notes.map((note) => note.key)).toEqual([key]);
  });

  test('an unusable token at one level does not hide the other', () => {
    const { record, unusable } = memoryOf(E3.replace('[content]', 'surfaced_count = -1\n\n[content]'));
    expect(record.surfaced_count).toBe(9);
    expect(unusable).toEqual(['surfaced_count']);
  });
});

describe('MF-25: timestamps', () => {
  const updated = (value: string) => memoryOf(E1.replace(/^updated_at = .*$/m, `updated_at = ${value}`));
  test.each([['""'], ['"last week"'], ['"2026-02-30"'], ['2026-02-30'], ['07:30:00'], ['5']])(
    'updated_at = %s is unknown with one note',
    (value) => {
      const { record, unusable, notes } = updated(value);
      expect(record.updated_at).toBeNull();
      expect([unusable, notes.length]).toEqual([['updated_at'], 1]);
    },
  );
  test.each([
    ['2026-04-21T06:00:00.123456789Z', '2026-04-21T06:00:00.123456789Z'],
    ['2026-04-21 06:00:00', '2026-04-21T06:00:00Z'],
    ['2026-04-21', '2026-04-21T00:00:00Z'],
    ['"2026-04-21T08:00:00+02:00"', '2026-04-21T06:00:00Z'],
  ])('updated_at = %s', (value, expected) => {
    expect(updated(value).record.updated_at).toBe(expected);
  });
  test('a longer key that ends alike is another key', () => {
    const file = E5.replace('[content]', 'first_updated_at = 2026-04-21T06:00:00.123456788Z\n[content]');
    expect(recordOf(file).updated_at).toBe('2026-04-21T06:00:00.123456789Z');
  });
  test('all digits of a token are kept where the key stands twice', () => {
    const file = E5.replace('[content]', 'updated_at = 2026-04-21T06:00:00.123456788Z\n[content]');
    expect(recordOf(file).updated_at).toMatch(/^2026-04-21T06:00:00\.12345678/);
  });
});

test('MF-26: the file keeps its keywords', () => {
  const record = recordOf(E1.replace('many rows"', 'many rows\\nKeywords: sql, lock"'));
  expect(record.situation).toBe('When adding a column to a table that holds many rows\nKeywords: sql, lock');
});

test('MF-32: E3 cut after its action line was never seen before: ok with zero counters', () => {
  const cut = E3.slice(0, E3.indexOf('\n', E3.indexOf('action =')) + 1);
  expect(counters(cut)).toEqual([0, 0, 0, 0, 0]);
  expect(memoryOf(cut).present).toEqual([]);
});

test('MF-32: E1 cut anywhere is quarantined syntax or invalid, the loss of the last line end is ok', () => {
  for (let length = 1; length < E1.length - 1; length++) {
    expect(['syntax', 'invalid']).toContain(quarantined(E1.slice(0, length))[0]);
  }
  expect(recordOf(E1.slice(0, -1))).toEqual(recordOf(E1));
});

test('MF-27: any bytes give a result, never an exception', () => {
  const mutations = ['[', ']', '"', "'", '\n', '=', '{', '\u00e9', '0', '#', '.', '\\'];
  for (const text of [E1, E2, E3, E4, E5]) {
    for (let at = 0; at < text.length; at += 9) {
      for (const piece of mutations) {
        expect(['ok', 'quarantined']).toContain(read(text.slice(0, at) + piece + text.slice(at)).kind);
      }
    }
  }
});

test('reading does not load the parser that only editing needs', () => {
  const source = join(import.meta.dirname, '../../src');
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export|\}) (?!type ).*from '(.+)';$/gm,
    )) {
      expect(name).not.toBe('toml-eslint-parser');
      if (name.startsWith('.')) visit(join(file, '..', name));
    }
  };
  visit(join(source, 'memory/read-toml.ts'));
  expect(seen.size).toBeGreaterThan(5);
});
