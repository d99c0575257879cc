import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EngramError } from '../../src/errors.ts';
import { editMemory } from '../../src/memory/edit-toml.ts';
import type { RecordChanges } from '../../src/memory/record.ts';
import { bytesOf, memoryOf, recordOf } from './records.ts';

const fixtures = join(import.meta.dirname, '../fixtures/memories');
const fixture = (path: string) => readFileSync(join(fixtures, path), 'utf8');
const E1 = fixture('feedback/e1-canonical-feedback.toml');
const E2 = fixture('feedback/e2-flat-pending-evaluations.toml');
const E3 = fixture('feedback/e3-nested-counters.toml');
const E4 = fixture('feedback/e4-title-content.toml');
const E5 = fixture('facts/e5-date-time-tokens.toml');
const NOW = '2026-05-01T00:00:00Z';

const edited = (text: string, changes: RecordChanges): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(editMemory(bytesOf(text), changes));

/** The text with each `from` replaced once, for saying what an edit should have done. */
function withLines(text: string, ...replacements: [from: string, to: string][]): string {
  return replacements.reduce((result, [from, to]) => {
    expect(result.split(from)).toHaveLength(2);
    return result.replace(from, () => to);
  }, text);
}

function refusal(text: string, changes: RecordChanges): EngramError {
  try {
    editMemory(bytesOf(text), changes);
  } catch (error) {
    if (error instanceof EngramError) return error;
    throw error;
  }
  throw new Error('was edited');
}

describe('MF-28: in place', () => {
  test('E3, one more surfaced: exactly two lines', () => {
    expect(edited(E3, { surfaced_count: 10, updated_at: NOW })).toBe(
      withLines(E3, ['surfaced_count = 9', 'surfaced_count = 10'], ['"2026-04-15T11:22:33Z"', `"${NOW}"`]),
    );
  });

  test('E3, followed and promoted: core changes where it is, core_origin follows it', () => {
    expect(edited(E3, { followed_count: 8, updated_at: NOW, core: true, core_origin: 'auto' })).toBe(
      withLines(
        E3,
        ['followed_count = 7', 'followed_count = 8'],
        ['"2026-04-15T11:22:33Z"', `"${NOW}"`],
        ['core = false\n', 'core = true\ncore_origin = "auto"\n'],
      ),
    );
  });

  test('MF-21: E3 plus surfaced_count = 2 at the top: both levels become 10', () => {
    const both = E3.replace('owner =', 'surfaced_count = 2\nowner =');
    expect(edited(both, { surfaced_count: 10 })).toBe(
      withLines(both, ['surfaced_count = 2', 'surfaced_count = 10'], ['surfaced_count = 9', 'surfaced_count = 10']),
    );
  });

  test('MF-22: a lost counter returns after the last tracking key of its level', () => {
    const lost = E3.replace('missed_count = 0\n', '');
    expect(edited(lost, { surfaced_count: 10, missed_count: 0 })).toBe(
      `${lost.replace('surfaced_count = 9', 'surfaced_count = 10')}missed_count = 0\n`,
    );
  });

  test('MF-16: counters added to E5 go below [content], where its times are', () => {
    expect(edited(E5, { surfaced_count: 1, missed_count: 2, updated_at: NOW })).toBe(
      withLines(E5, ['2026-04-21T06:00:00.123456789Z\n', `${NOW}\nsurfaced_count = 1\nmissed_count = 2\n`]),
    );
  });

  test('MF-16: the confidence that the source implies is not written', () => {
    const bytes = bytesOf(E5);
    expect(editMemory(bytes, { initial_confidence: 1 })).toBe(bytes);
    expect(edited(E5, { initial_confidence: 0.5 })).toContain('Z\ninitial_confidence = 0.5\n\n[links]');
    expect(recordOf(edited(E5, { source: 'dana' })).initial_confidence).toBeNull();
    expect(recordOf(edited(E5, { source: 'dana', initial_confidence: 1 })).initial_confidence).toBe(1);
  });

  const bare = `situation = "s"\n# about content\n\n[content]\nbehavior = "b"\nimpact = "i"\n  action = "a" # yes\n`;
  test('without tracking keys, or with as many at both levels, the top level gets them', () => {
    expect(edited(bare, { surfaced_count: 1 })).toBe(bare.replace('"s"\n', '"s"\nsurfaced_count = 1\n'));
    const tie = `missed_count = 1\n${bare}followed_count = 1\n`;
    expect(edited(tie, { surfaced_count: 1 })).toBe(tie.replace('= 1\n', '= 1\nsurfaced_count = 1\n'));
  });

  test('other top-level keys go after their nearest predecessor, else before the first key', () => {
    expect(edited(bare, { project_scoped: true, project_slug: 'web' })).toBe(
      bare.replace('"s"\n', '"s"\nproject_scoped = true\nproject_slug = "web"\n'),
    );
    expect(edited(bare, { core: true, source: 'x' })).toBe(`source = "x"\ncore = true\n${bare}`);
    expect(edited(`# note\n${bare}`, { core: true })).toBe(`# note\ncore = true\n${bare}`);
    expect(edited(E1.replace('core_origin = "user"\n', ''), { needs_review: true })).toContain(
      'core = true\nneeds_review = true\nsituation',
    );
  });

  test('an inserted line takes the indentation and the line end of its neighbour', () => {
    const indented = E3.replaceAll(/^(?=[a-z_]+_(?:count|at|confidence) =)/gm, '\t').replace(
      '\tmissed_count = 0\n',
      '',
    );
    expect(edited(indented, { missed_count: 1 })).toBe(`${indented}\tmissed_count = 1\n`);
    expect(
      edited(indented.replaceAll('\n', '\r\n'), { missed_count: 1 }).endsWith('Z"\r\n\tmissed_count = 1\r\n'),
    ).toBe(true);
  });

  test('a file without a last line end stays without one', () => {
    const cut = E3.replace('missed_count = 0\n', '').slice(0, -1);
    expect(edited(cut, { missed_count: 1 })).toBe(`${cut}\nmissed_count = 1`);
  });

  test('BOM and CRLF are kept: exactly two lines differ', () => {
    const wide = `\ufeff${E1.replaceAll('\n', '\r\n')}`;
    expect(edited(wide, { followed_count: 5, updated_at: NOW })).toBe(
      withLines(wide, ['followed_count = 4\r\n', 'followed_count = 5\r\n'], ['"2026-04-20T08:15:30Z"', `"${NOW}"`]),
    );
  });

  test('odd but legal layouts', () => {
    const inline =
      'situation = "s"\ncontent = { behavior = "b", impact = "i", action = "a", surfaced_count = 1 } # x\n';
    expect(edited(inline, { action: 'new', surfaced_count: 2 })).toBe(
      withLines(inline, ['"a"', '"new"'], ['surfaced_count = 1', 'surfaced_count = 2']),
    );
    const dotted = '"situation" = "s"\ncontent.behavior = "b"\ncontent . \'impact\' = "i"\ncontent.action = "a"\n';
    expect(edited(dotted, { impact: 'new', core: true })).toBe(`core = true\n${withLines(dotted, ['"i"', '"new"'])}`);
    expect(
      refusal(inline.replace(', surfaced_count = 1', ', created_at = "2026-01-01"'), { surfaced_count: 2 }).code,
    ).toBe('memory.layout');
  });

  test('keys of other tables with the same names are not touched', () => {
    const file = `${E1}\n[notes]\naction = "x"\nsurfaced_count = 6\n[content.old]\naction = "y"\n`;
    expect(edited(file, { action: 'new', surfaced_count: 7 })).toBe(
      file.replace(/action = "Add[^\n]*/, 'action = "new"').replace('surfaced_count = 6', 'surfaced_count = 7'),
    );
  });
});

describe('MF-29: a value keeps its kind', () => {
  const e1 = (key: string, token: string) => E1.replace(new RegExp(`^${key} = .*$`, 'm'), () => `${key} = ${token}`);
  test.each([
    ['surfaced_count', '6.0', 7, '7.0'],
    ['surfaced_count', '"6"', 7, '"7"'],
    ['surfaced_count', '0x06', 7, '7'],
    ['core', '"true"', false, '"false"'],
    ['initial_confidence', '1', 0, '0.0'],
    ['initial_confidence', '0.25', 0.5, '0.5'],
    ['action', "'a'", 'C:\\b', "'C:\\b'"],
    ['action', "'a'", "it's", '"it\'s"'],
    ['action', '"a"', 'x\n"y"', '"x\\n\\"y\\""'],
    ['action', '"""a"""', 'x\ny', '"""\nx\ny"""'],
    ['action', "'''\na'''", 'x\n\\y', "'''\nx\n\\y'''"],
    ['action', "'''\na'''", "x\ny'", '"""\nx\ny\'"""'],
    ['action', '"""\na"""', 'three """ and"', '"""\nthree \\"\\"\\" and\\""""'],
    ['updated_at', '2026-04-20T08:30:00+02:00', NOW, NOW],
    ['updated_at', '2026-04-20 08:30:00', NOW, '2026-05-01 00:00:00'],
    ['updated_at', '2026-04-20', NOW, '2026-05-01'],
    ['updated_at', '2026-04-20', '2026-05-01T01:00:00Z', '2026-05-01T01:00:00Z'],
    ['updated_at', "'2026-04-20T08:30:00+02:00'", NOW, `'${NOW}'`],
  ] as const)('%s = %s set to %j', (key, token, value, expected) => {
    expect(edited(e1(key, token), { [key]: value })).toBe(e1(key, expected));
  });

  test('line breaks inside a multi-line string end like those of the file', () => {
    const wide = E1.replace(/^action = .*$/m, 'action = """one"""').replaceAll('\n', '\r\n');
    const text = edited(wide, { action: 'x\ny' });
    expect(text).toContain('action = """\r\nx\r\ny"""\r\n');
    expect(recordOf(text).action).toBe('x\ny');
    expect(recordOf(edited(wide, { action: 'x\r\ny' })).action).toBe('x\r\ny');
  });

  test('E2: the next write removes pending_evaluations and nothing else', () => {
    const start = E2.indexOf('[[pending');
    expect(edited(E2, { surfaced_count: 4 })).toBe(
      E2.slice(0, start).replace('surfaced_count = 3', 'surfaced_count = 4'),
    );
  });

  test('comments and tables between pending evaluations stay', () => {
    const tail = `# before
[[pending_evaluations]] # gone
# inside
id = """
x"""

[links] # kept
a = 1

[[pending_evaluations]]
id = 2
[pending_evaluations.more]
n = 1
# last`;
    const file = `pending_evaluations_note = 1\n${E2.slice(0, E2.indexOf('[[pending'))}${tail}`;
    expect(edited(file, { surfaced_count: 4 })).toBe(
      `${file.slice(0, -tail.length).replace('surfaced_count = 3', 'surfaced_count = 4')}# before
# inside

[links] # kept
a = 1

# last`,
    );
  });

  test('pending evaluations go wherever they stand', () => {
    const top = E1.replace('core = true', 'pending_evaluations = [\n  { id = 1 },\n] # x\ncore = true');
    expect(edited(top, { missed_count: 1 })).toBe(E1.replace('missed_count = 0', 'missed_count = 1'));
    const inside = `${E3}[[content.pending_evaluations]]\nid = 1\n`;
    expect(edited(inside, { missed_count: 1 })).toBe(E3.replace('missed_count = 0', 'missed_count = 1'));
  });

  test('MF-43: demotion takes the line of core_origin out', () => {
    expect(edited(E1, { core: false, core_origin: null })).toBe(
      withLines(E1, ['core = true\ncore_origin = "user"\n', 'core = false\n']),
    );
  });
});

describe('MF-24: tokens that cannot be used', () => {
  test.each([
    ['surfaced_count', '-3', 7],
    ['initial_confidence', '1.7', 0.5],
    ['updated_at', '"last week"', NOW],
    ['updated_at', '""', NOW],
    ['core_origin', '"robot"', 'auto'],
  ] as const)('%s = %s is never overwritten', (key, token, value) => {
    const file = E1.replace(new RegExp(`^${key} = .*$`, 'm'), `${key} = ${token}`);
    const error = refusal(file, { [key]: value });
    expect(error.code).toBe('memory.layout');
    expect(error.message).toContain(key);
    expect(edited(file, { missed_count: 1 })).toBe(file.replace('missed_count = 0', 'missed_count = 1'));
  });
});

describe('MF-30: what cannot be done in place is refused', () => {
  test.each([
    ['a file that cannot be read', '[content', { missed_count: 1 }],
    ['removing what may not go', E1, { initial_confidence: null }],
    ['a text of the other type', E1, { subject: 'x' }],
    ['the situation of an M1 file', E4, { situation: 'x' }],
    ['the review of an M1 file', E4, { needs_review: false }],
    ['half a surrogate pair', E1, { action: '\ud83d' }],
    ['a text that would not be read', E1, { action: ' ' }],
    ['an impossible date', `${E1.replace('core =', 'on = 2026-02-30\ncore =')}`, { missed_count: 1 }],
    [
      'pending evaluations in an inline table',
      'situation = "s"\ncontent = { behavior = "b", impact = "i", action = "a", pending_evaluations = [] }',
      { action: 'x' },
    ],
  ] as [string, string, RecordChanges][])('%s', (_, file, changes) => {
    expect(refusal(file, changes).code).toBe('memory.layout');
  });

  test('MF-17: a newer version is never written, and the message says which', () => {
    const error = refusal(E1.replace('schema_version = 1', 'schema_version = 3'), { missed_count: 1 });
    expect([error.code, error.exitCode]).toEqual(['memory.read-only', 1]);
    expect(error.message).toContain('schema_version 3');
  });
});

test.each([
  ['nothing named', E2, {}],
  ['values it has', E2, { surfaced_count: 3, core_origin: null }],
  ['the same instant', E5, { created_at: '2026-04-20T06:30:00Z' }],
  [
    'what M1 implies',
    E4,
    { situation: recordOf(E4).situation, not_followed_count: 1, initial_confidence: 0.7, needs_review: true },
  ],
  ['a nothing that is nothing', E1, { subject: null }],
] as [string, string, RecordChanges][])('MF-33: %s gives the same array', (_, text, changes) => {
  const bytes = bytesOf(text);
  expect(editMemory(bytes, changes)).toBe(bytes);
});

test('an absent key is inserted also with its default value', () => {
  expect(edited(E2, { core: false })).toContain('schema_version = 1\ncore = false\n');
});

describe('MF-14: M1 is edited under its own names', () => {
  test('action, behavior and impact', () => {
    expect(edited(E4, { action: 'A', behavior: 'B', impact: 'C' })).toBe(
      E4.replace(/(principle = ).*/, '$1"A"')
        .replace(/(anti_pattern = ).*/, '$1"B"')
        .replace(/(rationale = ).*/, '$1"C"'),
    );
  });
  test('a missing one is inserted after the last text', () => {
    const file = E4.replace(/^principle.*\n/m, '').replace(/^rationale.*\n/m, '');
    expect(edited(file, { action: 'A' })).toBe(file.replace('debugging"\n', 'debugging"\nprinciple = "A"\n'));
  });
  test('counts and times are added, old counts stay', () => {
    expect(edited(E4, { not_followed_count: 2, updated_at: NOW })).toBe(
      `${E4}updated_at = "${NOW}"\nnot_followed_count = 2\n`,
    );
    expect(memoryOf(edited(E4, { not_followed_count: 2 })).record.not_followed_count).toBe(2);
  });
});

describe('MF-28: files up to 1 MiB', () => {
  const size = 1_000_000;
  const long = [
    ['a basic string', `notes = "${'x'.repeat(size)}"`],
    ['escapes', `notes = "${'\\\\\\"'.repeat(size / 4)}"`],
    ['a literal string', `notes = '${'"#'.repeat(size / 2)}'`],
    ['a string of many lines', `notes = """\n${'one "line"\n'.repeat(size / 11)}"""""`],
    ['a literal of many lines', `notes = '''\n${"it's\n".repeat(size / 5)}'''''`],
    ['a text inside a list', `notes = ["a", "${'x'.repeat(size)}"]`],
    ['a comment with quotes', `# "${"'".repeat(size)}`],
  ] as const;
  test.each(long)('%s above and below what changes', (_, line) => {
    for (const at of ['core = true', '[content]'] as const) {
      const text = E1.replace(at, `${line.replaceAll('$', '$$$$')}\n${at}`);
      const after = withLines(text, ['surfaced_count = 6', 'surfaced_count = 7']);
      expect(edited(text, { surfaced_count: 7 }) === after).toBe(true);
    }
  });

  test('the long text itself is replaced, and an inserted line goes below it', () => {
    const text = E1.replace(/^action = .*$/m, () => `action = """\n${'long\n'.repeat(size / 5)}"""  # why`);
    expect(edited(text, { action: 'short' })).toBe(E1.replace(/^action = .*$/m, 'action = """\nshort"""  # why'));
    const source = `source = '${'s'.repeat(size)}'`;
    const withSource = E1.replace(/^source = .*$/m, source).replace(/^core = .*\n/m, '');
    expect(edited(withSource, { core: true }) === withSource.replace(source, `${source}\ncore = true`)).toBe(true);
  });

  test('pending evaluations without number are removed', () => {
    const keys = Array.from({ length: 130_000 }, (_, at) => `${at.toString(36)}=1\n`);
    const pending = `[pending_evaluations]\n${keys.join('')}`;
    expect(edited(E1 + pending, { surfaced_count: 7 })).toBe(E1.replace('surfaced_count = 6', 'surfaced_count = 7'));
  });
});

test('MF-28: a last line without line end, whose value is 0', () => {
  const text = 'situation = "When a"\nbehavior = "b"\nimpact = "i"\naction = "a"\nsurfaced_count = 0';
  expect(edited(text, { surfaced_count: 12 })).toBe(text.replace(/0$/, '12'));
});
