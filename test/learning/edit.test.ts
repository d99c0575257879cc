import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { EngramError } from '../../src/errors.ts';
import { editMemoryFields, saveEditedCopy, setPinned } from '../../src/learning/edit.ts';
import { readMemory } from '../../src/memory/read-toml.ts';
import { directoryOf, type MemoryName } from '../../src/memory/slug.ts';
import { checkStore } from '../../src/sync/check.ts';
import { engramError } from '../support/engram-error.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const NAME = 'feedback/a' as MemoryName;
const PATH = 'feedback/a.toml';

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

const edit = (fields: Parameters<typeof editMemoryFields>[2], name = NAME) =>
  editMemoryFields(store.context, name, fields);
const history = () => store.sql('SELECT reason, bytes, record FROM history ORDER BY id');
const linesThatDiffer = (before: string, after: string) => {
  const old = before.split('\n');
  return after.split('\n').filter((line) => !old.includes(line));
};
async function nothingLeftToDo() {
  expect(await store.sync()).toMatchObject({ steps: [], openConflicts: 0 });
}

/** E4 of memory-format.md, a title/content record. */
const M1 = `title = "Request bodies stay out of the log"
content = "Debug logging printed whole payment requests."
principle = "Log the request id and the status only" # keep
anti_pattern = "Logging the request body while debugging"
rationale = "Card numbers reached the log store"
confidence = "B"
keywords = ["logging", "payments"]
surfaced_count = 4
followed_count = 2
contradicted_count = 1
ignored_count = 0
created_at = "2026-03-09T12:00:00Z"
`;

describe('MF-28: an edit of fields', () => {
  test('changes these lines and updated_at in place, and the old text is in history', async () => {
    const text = `# mine\n${feedbackText().replace('core = false', 'core = false # not yet\nowner = "platform"')}`;
    store.write(PATH, text);
    await store.sync();
    expect(edit({ action: 'Add it nullable', initial_confidence: 0.5 })).toMatchObject({ name: NAME, changed: true });
    expect(linesThatDiffer(text, store.read(PATH))).toEqual([
      expect.stringMatching(/^updated_at = "/),
      'initial_confidence = 0.5',
      'action = "Add it nullable"',
    ]);
    expect(history()).toEqual([{ reason: 'edit', bytes: Buffer.from(text), record: expect.any(String) }]);
    expect(store.row(NAME)).toMatchObject({ action: 'Add it nullable', initial_confidence: 0.5 });
    await nothingLeftToDo();
  });

  test('that says what is there already writes nothing (MF-33)', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    expect(edit({ source: 'user correction, 2026-04-02' })).toMatchObject({ changed: false });
    expect(store.read(PATH)).toBe(feedbackText());
    expect(history()).toEqual([]);
  });

  test('moves the scope', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    edit({ scope: 'shop' });
    expect(store.row(NAME)).toMatchObject({ project_scoped: 1, project_slug: 'shop' });
    edit({ scope: null });
    expect(store.row(NAME)).toMatchObject({ project_scoped: 0, project_slug: 'shop' });
    await nothingLeftToDo();
  });

  test('is trimmed as a new memory is', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    expect(edit({ action: '  Add it nullable\n' }).record.action).toBe('Add it nullable');
  });

  it.each([
    ['action', { action: '' }],
    ['situation', { situation: 'x'.repeat(2001) }],
    ['subject', { subject: 'a table' }],
    ['initial_confidence', { initial_confidence: 2 }],
  ])('MF-12: with a bad %s writes nothing and names the key', async (key, fields) => {
    store.write(PATH, feedbackText());
    await store.sync();
    expect(() => edit(fields)).toThrow(
      expect.objectContaining({ code: 'memory.invalid', message: expect.stringContaining(key) }),
    );
    expect(store.read(PATH)).toBe(feedbackText());
    expect(store.row(NAME)).toMatchObject({ surfaced_count: 6 });
  });

  test('clears needs_review', async () => {
    store.write(PATH, feedbackText({ core: 'false\nneeds_review = true' }));
    await store.sync();
    edit({ source: 'looked at' });
    expect(store.read(PATH)).toContain('needs_review = false\n');
    expect(store.row(NAME)).toMatchObject({ needs_review: 0 });
    await nothingLeftToDo();
  });

  test('SY-49: takes in first what the file and the row say by now', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    store.write(PATH, feedbackText({ impact: '"It was locked"' }));
    store.sql(`UPDATE memories SET source = 'by SQL' WHERE name = ?`, NAME);
    edit({ action: 'Add it nullable' });
    const said = { impact: 'It was locked', source: 'by SQL', action: 'Add it nullable' };
    expect(store.row(NAME)).toMatchObject(said);
    expect(parsed(store.read(PATH)).record).toMatchObject(said);
    await nothingLeftToDo();
  });

  test('X10: works on a file that was never synced', () => {
    store.write(PATH, feedbackText());
    edit({ action: 'Add it nullable' });
    expect(store.row(NAME)).toMatchObject({ action: 'Add it nullable', surfaced_count: 6 });
  });
});

describe('MF-14: a title/content memory that a person saves', () => {
  test('becomes canonical, its values and unknown keys kept, its bytes in history', async () => {
    store.write(PATH, M1);
    await store.sync();
    expect(store.row(NAME)).toMatchObject({ needs_review: 1 });
    edit({ source: 'reviewed' });
    const memory = parsed(store.read(PATH));
    expect(memory).toMatchObject({
      variant: 'M4-top',
      record: {
        needs_review: false,
        action: 'Log the request id and the status only',
        source: 'reviewed',
        surfaced_count: 4,
        followed_count: 2,
        not_followed_count: 1,
        initial_confidence: 0.7,
      },
    });
    expect(store.read(PATH)).toContain('keywords = ');
    expect(history()).toEqual([{ reason: 'edit', bytes: Buffer.from(M1), record: expect.any(String) }]);
    expect(store.row(NAME)).toMatchObject({ needs_review: 0, surfaced_count: 4 });
    await nothingLeftToDo();
  });

  test('becomes canonical also when nothing else changes', async () => {
    store.write(PATH, M1);
    await store.sync();
    expect(edit({})).toMatchObject({ changed: true });
    expect(parsed(store.read(PATH)).variant).toBe('M4-top');
    await nothingLeftToDo();
  });

  test('is not converted by pinning, which is refused until then', async () => {
    store.write(PATH, M1);
    await store.sync();
    expect(() => setPinned(store.context, NAME, true)).toThrow(engramError('memory.invalid'));
    expect(store.read(PATH)).toBe(M1);
  });
});

describe('what cannot be written is refused and stays as it is', () => {
  test('MF-17: a newer version, with version and path', async () => {
    store.write(PATH, feedbackText({ schema_version: '3' }));
    await store.sync();
    expect(() => edit({ action: 'x' })).toThrow(
      expect.objectContaining({
        code: 'memory.read-only',
        message: expect.stringMatching(/schema_version.*3|3.*schema_version/),
      }),
    );
    expect(() => edit({ action: 'x' })).toThrow(PATH);
    expect(store.read(PATH)).toBe(feedbackText({ schema_version: '3' }));
    expect(store.row(NAME)?.action).toContain('nullable');
  });

  test('MF-3: a link', async () => {
    const target = join(store.root, 'target.toml');
    writeFileSync(target, feedbackText());
    mkdirSync(join(store.root, 'memory/feedback'), { recursive: true });
    symlinkSync(target, join(store.root, 'memory', PATH));
    await store.sync();
    expect(() => edit({ action: 'x' })).toThrow(engramError('memory.read-only'));
    expect(() => setPinned(store.context, NAME, true)).toThrow(engramError('memory.read-only'));
    expect(lstatSync(join(store.root, 'memory', PATH)).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe(feedbackText());
  });

  test('MF-23: a quarantined file', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    store.write(PATH, 'action = "broken\n');
    expect(() => edit({ action: 'x' })).toThrow(
      expect.objectContaining({ code: 'memory.quarantined', exitCode: 6, message: expect.stringContaining(PATH) }),
    );
    expect(store.read(PATH)).toBe('action = "broken\n');
  });

  test('a memory whose file is gone', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    const { rmSync } = await import('node:fs');
    rmSync(join(store.root, 'memory', PATH));
    expect(() => edit({ action: 'x' })).toThrow(engramError('memory.not-found'));
  });
});

describe('MF-43: pinning', () => {
  test.each([
    ['pin', true, ['core = true', 'core_origin = "user"'], { core: 1, core_origin: 'user' }],
    ['unpin', false, ['core_origin = "user"'], { core: 0, core_origin: 'user' }],
  ] as const)('%s decides for good', async (_, pin, lines, row) => {
    store.write(PATH, feedbackText());
    await store.sync();
    expect(setPinned(store.context, NAME, pin)).toMatchObject({ changed: true });
    const changed = linesThatDiffer(feedbackText(), store.read(PATH));
    expect(changed.filter((line) => !line.startsWith('updated_at'))).toEqual(lines);
    expect(store.row(NAME)).toMatchObject(row);
    expect(setPinned(store.context, NAME, pin)).toMatchObject({ changed: false });
    await nothingLeftToDo();
  });

  test('works on a memory whose text is longer than engram would write', async () => {
    store.write(PATH, feedbackText({ situation: `"When ${'x'.repeat(3000)}"` }));
    await store.sync();
    expect(setPinned(store.context, NAME, true)).toMatchObject({ changed: true });
  });
});

describe('a copy that was edited without a lock', () => {
  const parsedBytes = (text: string) => new TextEncoder().encode(text);
  function save(before: string, after: string) {
    const bytes = parsedBytes(after);
    return saveEditedCopy(store.context, NAME, {
      before: { bytes: parsedBytes(before), parsed: parsed(before) },
      bytes,
      parsed: parsed(after),
    });
  }

  test('is taken as it is, comments and order included', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    const after = `# looked at\n${feedbackText({ action: '"Add it nullable" # short' })}\n[links]\nwiki = "x"\n`;
    expect(save(feedbackText(), after)).toMatchObject({ changed: true, textKept: true });
    expect(linesThatDiffer(after, store.read(PATH))).toEqual([expect.stringMatching(/^updated_at/)]);
    expect(store.row(NAME)).toMatchObject({ action: 'Add it nullable' });
    expect(history()).toEqual([expect.objectContaining({ reason: 'edit', bytes: Buffer.from(feedbackText()) })]);
    await nothingLeftToDo();
  });

  test('with comments alone changed is taken too', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    expect(save(feedbackText(), `# looked at\n${feedbackText()}`)).toMatchObject({ changed: true });
    expect(store.read(PATH)).toBe(`# looked at\n${feedbackText()}`);
    await nothingLeftToDo();
  });

  test('saved without a change writes nothing', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    expect(save(feedbackText(), feedbackText())).toMatchObject({ changed: false });
    expect(store.read(PATH)).toBe(feedbackText());
  });

  test('meets counts and other fields that were written meanwhile: nothing is lost', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    store.write(PATH, feedbackText({ surfaced_count: '9', impact: '"It was locked"' }));
    const after = `# looked at\n${feedbackText({ action: '"Add it nullable"' })}`;
    expect(save(feedbackText(), after)).toMatchObject({ changed: true, textKept: true });
    expect(parsed(store.read(PATH)).record).toMatchObject({
      surfaced_count: 9,
      impact: 'It was locked',
      action: 'Add it nullable',
    });
    expect(store.read(PATH)).toMatch(/^# looked at\n/);
    expect(store.row(NAME)).toMatchObject({ surfaced_count: 9, impact: 'It was locked', action: 'Add it nullable' });
    await nothingLeftToDo();
  });

  test('meets another layout: the fields are merged, the copy goes to history', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    const meanwhile = `# theirs\n${feedbackText({ impact: '"It was locked"' })}`;
    store.write(PATH, meanwhile);
    const after = `# mine\n${feedbackText({ action: '"Add it nullable"' })}\n[links]\nwiki = "x"\n`;
    expect(save(feedbackText(), after)).toMatchObject({ changed: true, textKept: false });
    expect(store.read(PATH)).toMatch(/^# theirs\n/);
    expect(parsed(store.read(PATH)).record).toMatchObject({ impact: 'It was locked', action: 'Add it nullable' });
    expect(history().map(({ bytes }) => String(bytes))).toEqual(expect.arrayContaining([meanwhile, after]));
    await nothingLeftToDo();
  });

  test('clashes in one text: the copy wins, the other text is a conflict row (D5)', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    store.write(PATH, feedbackText({ action: '"theirs"' }));
    await store.sync();
    expect(save(feedbackText(), feedbackText({ action: '"mine"' }))).toMatchObject({ clashes: ['action'] });
    expect(store.row(NAME)).toMatchObject({ action: 'mine' });
    expect(history().some(({ record }) => String(record).includes('theirs'))).toBe(true);
    expect(store.sql('SELECT field, file_value, row_value, reason, resolution FROM conflicts')).toEqual([
      { field: 'action', file_value: 'mine', row_value: 'theirs', reason: 'edit', resolution: null },
    ]);
    expect(await store.sync()).toMatchObject({ steps: [], openConflicts: 1 });
  });

  test('that lost a tracking line or changed a count keeps counters and events equal (SY-7, MF-22)', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    save(feedbackText(), feedbackText({ followed_count: '5' }).replace('surfaced_count = 6\n', ''));
    expect(store.row(NAME)).toMatchObject({ surfaced_count: 6, followed_count: 5 });
    expect(store.read(PATH)).toContain('surfaced_count = 6\n');
    expect(store.sql(`SELECT kind, sum(delta) AS n FROM outcome_events GROUP BY kind ORDER BY kind`)).toEqual([
      { kind: 'followed', n: 5 },
      { kind: 'not-followed', n: 1 },
      { kind: 'surfaced', n: 6 },
    ]);
    await nothingLeftToDo();
  });

  test('in which a title/content memory was made canonical by hand stays as it was typed', async () => {
    store.write(PATH, M1);
    await store.sync();
    const typed = `# by hand\n${feedbackText({ surfaced_count: '4', followed_count: '2' })}`;
    save(M1, typed);
    expect(store.read(PATH)).toMatch(/^# by hand\n/);
    expect(parsed(store.read(PATH)).variant).toBe('M4-top');
    await nothingLeftToDo();
  });

  test('of a title/content memory is made canonical', async () => {
    store.write(PATH, M1);
    await store.sync();
    save(M1, M1.replace('status only', 'status'));
    expect(parsed(store.read(PATH))).toMatchObject({
      variant: 'M4-top',
      record: { action: 'Log the request id and the status', needs_review: false },
    });
    await nothingLeftToDo();
  });

  test('that is not complete is refused and changes nothing', async () => {
    store.write(PATH, feedbackText());
    await store.sync();
    expect(() => save(feedbackText(), feedbackText({ action: `"${'x'.repeat(8001)}"` }))).toThrow(
      engramError('memory.invalid'),
    );
    expect(store.read(PATH)).toBe(feedbackText());
  });
});

function parsed(text: string) {
  const read = readMemory(new TextEncoder().encode(text), directoryOf(NAME));
  if (read.kind !== 'ok') throw new Error(read.message);
  return read.memory;
}

function refusalOf(act: () => unknown): EngramError {
  try {
    act();
  } catch (error) {
    if (error instanceof EngramError) return error;
    throw error;
  }
  throw new Error('was done');
}

describe('MF-24: a value that cannot be used', () => {
  const hint = (key: string) => `Repair the value of ${key} in ${PATH}, then try again.`;
  async function expectRefusal(key: string, text: string, act: () => unknown) {
    store.write(PATH, text);
    await store.sync();
    const row = store.row(NAME);
    const line = text.split('\n').findIndex((entry) => entry.startsWith(`${key} =`)) + 1;
    const error = refusalOf(act);
    expect([error.code, error.message, error.hint]).toEqual([
      'memory.layout',
      `${NAME}: the value of ${key} at ${PATH}:${line} cannot be used and is not overwritten`,
      hint(key),
    ]);
    expect([store.read(PATH), store.row(NAME)]).toEqual([text, row]);
    expect(checkStore(store.context)).toEqual([]);
    await nothingLeftToDo();
  }

  it.each([
    ['1', true],
    ['"yes"', true],
    ['1', false],
    ['"yes"', false],
  ])('core = %s: pin (%s) refuses', async (core, pin) => {
    await expectRefusal('core', feedbackText({ core }), () => setPinned(store.context, NAME, pin));
  });

  it('core_origin and the fields of an edit likewise', async () => {
    await expectRefusal('core_origin', `core_origin = "robot"\n${feedbackText()}`, () =>
      setPinned(store.context, NAME, true),
    );
    await expectRefusal('source', feedbackText({ source: '5' }), () => edit({ source: 'me' }));
    await expectRefusal('initial_confidence', feedbackText({ initial_confidence: '1.7' }), () =>
      edit({ initial_confidence: 0.5, action: 'Something else' }),
    );
    await expectRefusal('project_slug', feedbackText({ project_slug: '5' }), () => edit({ scope: 'shop' }));
  });

  it('does not keep other keys from being edited', async () => {
    store.write(PATH, feedbackText({ core: '1', source: '5', updated_at: '""', needs_review: '"maybe"' }));
    await store.sync();
    expect(edit({ action: 'Something else' })).toMatchObject({ changed: true });
    expect(store.read(PATH)).toContain('action = "Something else"');
    expect(store.read(PATH)).toContain('core = 1\n');
  });
});

test('MF-30: a file that cannot be edited in place is named', async () => {
  const inline = 'situation = "When a"\ncontent = { behavior = "b", impact = "i", action = "a", surfaced_count = 1 }\n';
  store.write(PATH, `${inline}pending_evaluations = 1\n`.replace('surfaced_count', 'pending_evaluations'));
  await store.sync();
  const error = refusalOf(() => edit({ action: 'c' }));
  expect(error.code).toBe('memory.layout');
  expect(error.message).toMatch(/^feedback\/a: feedback\/a.toml cannot be edited in place: /);
});
