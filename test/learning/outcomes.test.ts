import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { setPinned } from '../../src/learning/edit.ts';
import { countOutcome, OUTCOME_KINDS, type OutcomeKind } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { immediately } from '../../src/store/transaction.ts';
import { checkStore } from '../../src/sync/check.ts';
import { storeStatus } from '../../src/sync/status.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

const NAME = 'feedback/a' as MemoryName;
const PATH = 'feedback/a.toml';

let store: TestStore;
beforeEach(async () => {
  store = await temporaryStore();
});
afterEach(() => store[Symbol.dispose]());

const count = (kind: OutcomeKind, name: MemoryName = NAME) => countOutcome(store.context, name, { kind });
const eventSum = (kind: string, name = NAME) =>
  store.sql('SELECT coalesce(sum(delta), 0) AS n FROM outcome_events WHERE kind = ? AND name = ?', kind, name)[0]?.n;
const promotedNames = () =>
  store.sql(`SELECT name FROM memories WHERE core = 1 AND core_origin = 'auto' ORDER BY name`).map(({ name }) => name);

/** The lines of `before` that `after` has not, each with what stands in its place. */
function replacedLines(before: string, after: string): [string | undefined, string | undefined][] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  expect(now).toHaveLength(old.length);
  return old.flatMap((line, at) => (line === now[at] ? [] : [[line, now[at]] as [string, string | undefined]]));
}

async function synced(text: string, path = PATH) {
  store.write(path, text);
  await store.sync();
}

/** E3 of memory-format.md. */
const E3 = `schema_version = 1
type = "feedback"  # the other kind is fact
situation = "When regenerating the API client after a schema change"
source = "user correction, 2026-03-28"
core = false
project_scoped = false
project_slug = ""
owner = "platform"      # not ours: stays

[content]
behavior = "Editing the generated client by hand"
impact = "The next generation run removed the fix"
action = "Change the schema or the template, then run make client"

# counters and times, kept by the agents
surfaced_count = 9
followed_count = 7
not_followed_count = 1
irrelevant_count = 1
missed_count = 0
initial_confidence = 1.0
created_at = "2026-03-28T09:00:00Z"
updated_at = "2026-04-15T11:22:33Z"
`;

describe('D3: an outcome', () => {
  it.each(OUTCOME_KINDS)('%s counts in file, row and events; two lines differ (MF-11)', async (kind) => {
    const text = feedbackText({ surfaced_count: '20' });
    await synced(text);
    const key = `${kind.replace('-', '_')}_count`;
    const before = Number(store.row(NAME)?.[key]);
    expect(count(kind)).toEqual({ name: NAME, kind, counted: true, pending: false, promoted: false, demoted: [] });
    expect(replacedLines(text, store.read(PATH))).toEqual([
      [expect.stringMatching(/^updated_at/), expect.stringMatching(/^updated_at = "20\d\d-.*Z"$/)],
      [`${key} = ${before}`, `${key} = ${before + 1}`],
    ]);
    expect([store.row(NAME)?.[key], eventSum(kind)]).toEqual([before + 1, before + 1]);
    expect(store.sql('SELECT * FROM history')).toEqual([]);
    expect(await store.sync()).toMatchObject({ steps: [] });
  });

  test('moves last_surfaced_at only when the memory is shown, text_updated_at never (MF-11)', async () => {
    await synced(feedbackText());
    const { text_updated_at } = store.row(NAME) ?? {};
    count('irrelevant');
    expect(store.row(NAME)).toMatchObject({ last_surfaced_at: null, text_updated_at });
    count('surfaced');
    expect(store.row(NAME)).toMatchObject({ last_surfaced_at: expect.stringMatching(/Z$/), text_updated_at });
  });

  test('SY-7: with a key counts once', async () => {
    await synced(feedbackText());
    const outcome = {
      kind: 'missed',
      eventKey: 'turn 7',
      project: 'shop',
      situation: 'about to deploy',
      thread: 't1',
    } as const;
    expect(countOutcome(store.context, NAME, outcome)).toMatchObject({ counted: true });
    const text = store.read(PATH);
    expect(countOutcome(store.context, NAME, outcome)).toMatchObject({ counted: false, pending: false });
    expect(store.read(PATH)).toBe(text);
    expect(
      store.sql('SELECT delta, origin, project, situation, thread FROM outcome_events WHERE event_key IS NOT NULL'),
    ).toEqual([{ delta: 1, origin: 'test', project: 'shop', situation: 'about to deploy', thread: 't1' }]);
  });

  test('S21: keeps BOM and CRLF', async () => {
    const text = `\uFEFF${feedbackText().replaceAll('\n', '\r\n')}`;
    await synced(text);
    count('surfaced');
    expect(store.read(PATH).startsWith('\uFEFF')).toBe(true);
    expect(replacedLines(text, store.read(PATH)).map(([, now]) => now)).toEqual([
      expect.stringMatching(/^updated_at.*\r$/),
      'surfaced_count = 7\r',
    ]);
  });

  test('S22: keeps comments, unknown keys and placement', async () => {
    const text = `# top\n${E3.replaceAll(/^\w.*$/gm, (line) => (line.includes('#') ? line : `${line} # c`))}
[links] # l
note = """
two
lines""" # n
`;
    await synced(text);
    count('surfaced');
    expect(replacedLines(text, store.read(PATH)).map(([, now]) => now)).toEqual([
      'surfaced_count = 10 # c',
      expect.stringMatching(/^updated_at = ".*Z" # c$/),
    ]);
  });

  test('at the largest number is refused', async () => {
    await synced(feedbackText({ missed_count: String(Number.MAX_SAFE_INTEGER) }));
    expect(() => count('missed')).toThrow(/missed_count/);
  });
});

describe('E3 of memory-format.md', () => {
  test('one more surfaced changes two lines', async () => {
    await synced(E3);
    expect(count('surfaced')).toMatchObject({ promoted: false });
    expect(replacedLines(E3, store.read(PATH))).toEqual([
      ['surfaced_count = 9', 'surfaced_count = 10'],
      ['updated_at = "2026-04-15T11:22:33Z"', expect.stringMatching(/^updated_at = "/)],
    ]);
  });

  test('MF-44: one more followed promotes it: core changes, a core_origin line follows', async () => {
    await synced(E3);
    expect(count('followed')).toMatchObject({ promoted: true, demoted: [] });
    const withoutOrigin = store.read(PATH).replace('core = true\ncore_origin = "auto"\n', 'core = true\n');
    expect(replacedLines(E3, withoutOrigin)).toEqual([
      ['core = false', 'core = true'],
      ['followed_count = 7', 'followed_count = 8'],
      ['updated_at = "2026-04-15T11:22:33Z"', expect.stringMatching(/^updated_at = "/)],
    ]);
    expect(store.row(NAME)).toMatchObject({ core: 1, core_origin: 'auto', followed_count: 8 });
    expect(await store.sync()).toMatchObject({ steps: [] });
  });
});

describe('MF-44: no promotion', () => {
  it.each([
    ['by a surfaced', { surfaced_count: '9', followed_count: '9' }, 'surfaced'],
    ['after fewer than 5 times shown', { surfaced_count: '4', followed_count: '3' }, 'followed'],
    ['at a follow rate of 0.7', { surfaced_count: '10', followed_count: '6' }, 'followed'],
    [
      'of what a person took out',
      { core: 'false\ncore_origin = "user"', surfaced_count: '9', followed_count: '8' },
      'followed',
    ],
    [
      'of what needs review',
      { core: 'false\nneeds_review = true', surfaced_count: '9', followed_count: '8' },
      'followed',
    ],
  ] as const)('%s', async (_, changes, kind) => {
    await synced(feedbackText(changes));
    expect(count(kind)).toMatchObject({ promoted: false });
    expect(store.row(NAME)).toMatchObject({ core: 0 });
  });
});

describe('MF-45: demotion', () => {
  const promoted = { core: 'true\ncore_origin = "auto"', surfaced_count: '9', followed_count: '3' };
  it.each([
    ['never followed', { ...promoted, followed_count: '0', not_followed_count: '0' }, 'surfaced', true],
    [
      'followed less than half of the time',
      { ...promoted, surfaced_count: '10', not_followed_count: '3' },
      'not-followed',
      true,
    ],
    ['shown fewer than 10 times', { ...promoted, followed_count: '0', surfaced_count: '8' }, 'surfaced', false],
    ['pinned', { ...promoted, core: 'true\ncore_origin = "user"', followed_count: '0' }, 'surfaced', false],
  ] as const)('%s', async (_, changes, kind, isDemoted) => {
    await synced(feedbackText(changes));
    expect(count(kind)).toMatchObject({ demoted: isDemoted ? [NAME] : [] });
    expect(store.row(NAME)).toMatchObject(isDemoted ? { core: 0, core_origin: null } : { core: 1 });
    expect(store.read(PATH).includes('core_origin')).toBe(!isDemoted);
    expect(await store.sync()).toMatchObject({ steps: [] });
  });
});

describe('MF-46: the cap of 20 promoted memories', () => {
  const name = (at: number) => `feedback/m${String(at).padStart(2, '0')}` as MemoryName;
  const candidate = { surfaced_count: '9', followed_count: '8' };
  async function full(promotedCount: number, oldest = 5) {
    for (let at = 0; at < promotedCount; at += 1) {
      const day = at === oldest ? '01' : '02';
      store.write(
        `${name(at)}.toml`,
        feedbackText({
          core: 'true\ncore_origin = "auto"',
          created_at: `"2026-01-${day}T00:00:00Z"`,
          action: `"${at}"`,
        }),
      );
    }
    await store.sync();
  }

  test('a full store gives up the oldest first', async () => {
    await full(20);
    await synced(feedbackText(candidate));
    expect(count('followed')).toMatchObject({ promoted: true, demoted: [name(5)] });
    expect(promotedNames()).toHaveLength(20);
    expect(promotedNames()).toContain(NAME);
    expect(store.read(`${name(5)}.toml`)).not.toContain('core_origin');
    expect(await store.sync()).toMatchObject({ steps: [] });
  });

  test('a candidate older than all of them stays plain', async () => {
    await full(20);
    await synced(feedbackText({ ...candidate, created_at: '"2025-01-01T00:00:00Z"' }));
    expect(count('followed')).toMatchObject({ promoted: false, demoted: [] });
    expect(promotedNames()).not.toContain(NAME);
  });

  test('a repeated key gives up nothing', async () => {
    await full(20);
    await synced(feedbackText(candidate));
    store.sql(
      `INSERT INTO outcome_events(event_key, name, kind, delta, origin, at_ms) VALUES ('k', ?, 'followed', 0, 'cli', 1)`,
      NAME,
    );
    expect(countOutcome(store.context, NAME, { kind: 'followed', eventKey: 'k' })).toMatchObject({
      counted: false,
      demoted: [],
    });
    expect(promotedNames()).toHaveLength(20);
  });

  test('files above the cap are demoted, one with each later outcome', async () => {
    await full(23);
    await synced(feedbackText());
    expect(promotedNames()).toHaveLength(23);
    expect(count('irrelevant')).toMatchObject({ demoted: [name(5)] });
    expect(count('irrelevant')).toMatchObject({ demoted: [name(0)] });
    expect(count('irrelevant')).toMatchObject({ demoted: [name(1)] });
    expect(count('irrelevant')).toMatchObject({ demoted: [] });
    expect(promotedNames()).toHaveLength(20);
  });

  test('one that cannot be written stays, and the count still counts', async () => {
    await full(20);
    await synced(feedbackText(candidate));
    store.write(`${name(5)}.toml`, 'action = "broken\n');
    await store.sync();
    expect(count('followed')).toMatchObject({ counted: true, promoted: false, demoted: [] });
    expect(store.row(NAME)).toMatchObject({ followed_count: 9, core: 0 });
  });

  test('pinned memories do not count', async () => {
    await full(19);
    await synced(feedbackText({ core: 'true' }), 'feedback/pinned.toml');
    await synced(feedbackText(candidate));
    expect(count('followed')).toMatchObject({ promoted: true, demoted: [] });
  });

  test('what a person pins while it is being given up stays pinned', async () => {
    await full(20);
    await synced(feedbackText(candidate));
    store.write(`${name(5)}.toml`, store.read(`${name(5)}.toml`).replace('"auto"', '"user"'));
    expect(count('followed')).toMatchObject({ counted: true });
    expect(store.read(`${name(5)}.toml`)).toContain('core = true\ncore_origin = "user"\n');
  });
});

describe('SY-40: a file that cannot be written', () => {
  test('quarantined: the count waits in the row, and is exported once the file is repaired', async () => {
    await synced(feedbackText());
    const broken = 'action = "broken\n';
    store.write(PATH, broken);
    await store.sync();
    expect(count('missed')).toMatchObject({ counted: true, pending: true });
    expect(count('missed')).toMatchObject({ counted: true, pending: true });
    expect(store.read(PATH)).toBe(broken);
    expect([store.row(NAME)?.missed_count, eventSum('missed')]).toEqual([2, 2]);
    await synced(feedbackText());
    expect(store.read(PATH)).toContain('missed_count = 2\n');
    expect([store.row(NAME)?.missed_count, eventSum('missed')]).toEqual([2, 2]);
    expect(await store.sync()).toMatchObject({ steps: [] });
  });

  test('a link: the same, until a file stands there', async () => {
    const target = join(store.root, 'target.toml');
    writeFileSync(target, feedbackText());
    mkdirSync(join(store.root, 'memory/feedback'), { recursive: true });
    symlinkSync(target, join(store.root, 'memory', PATH));
    await store.sync();
    expect(count('irrelevant')).toMatchObject({ counted: true, pending: true });
    expect(readFileSync(target, 'utf8')).toBe(feedbackText());
    expect([store.row(NAME)?.irrelevant_count, eventSum('irrelevant')]).toEqual([1, 1]);
    expect(await store.sync()).toMatchObject({ waiting: [{ name: NAME }] });
    const { rmSync } = await import('node:fs');
    rmSync(join(store.root, 'memory', PATH));
    await synced(feedbackText());
    expect(store.read(PATH)).toContain('irrelevant_count = 1\n');
    expect([store.row(NAME)?.irrelevant_count, eventSum('irrelevant')]).toEqual([1, 1]);
  });

  test('a newer version: the file is never written (MF-17)', async () => {
    await synced(feedbackText({ schema_version: '3' }));
    expect(count('surfaced')).toMatchObject({ counted: true, pending: true });
    await store.sync();
    expect(store.read(PATH)).toBe(feedbackText({ schema_version: '3' }));
    expect(eventSum('surfaced')).toBe(7);
  });

  test('a counter whose token is unusable stays as it is (MF-24)', async () => {
    await synced(feedbackText({ surfaced_count: '-3' }));
    expect(count('surfaced')).toMatchObject({ counted: true, pending: true });
    expect(store.read(PATH)).toContain('surfaced_count = -3\n');
    expect([store.row(NAME)?.surfaced_count, eventSum('surfaced')]).toEqual([1, 1]);
    await synced(store.read(PATH).replace('= -3', '= 6'));
    expect([store.row(NAME)?.surfaced_count, eventSum('surfaced')]).toEqual([7, 7]);
  });
});

test('S12 and SY-40: what a shell changed meanwhile is kept beside the count', async () => {
  await synced(feedbackText());
  immediately(store.context.store, () =>
    store.sql(`UPDATE memories SET source = 'by SQL', missed_count = 2 WHERE name = ?`, NAME),
  );
  count('missed');
  expect(store.row(NAME)).toMatchObject({ source: 'by SQL', missed_count: 3 });
  expect(store.read(PATH)).toContain('source = "by SQL"\n');
  expect(eventSum('missed')).toBe(3);
  expect(await store.sync()).toMatchObject({ steps: [] });
});

test('MF-43: what is pinned is neither promoted nor demoted by any outcome', async () => {
  await synced(feedbackText({ surfaced_count: '20', followed_count: '0' }));
  setPinned(store.context, NAME, true);
  for (const kind of OUTCOME_KINDS) count(kind);
  expect(store.row(NAME)).toMatchObject({ core: 1, core_origin: 'user' });
});

describe('MF-24: a counter that cannot be used', () => {
  const text = feedbackText({ surfaced_count: '-3', followed_count: '1' });
  const waiting = () => storeStatus(store.context).waiting;

  it('keeps its value in the file; the count waits in the row, in the log and in the status', async () => {
    await synced(text);
    expect(count('surfaced')).toMatchObject({ counted: true, pending: true });
    expect(count('surfaced')).toMatchObject({ counted: true, pending: true });
    expect(store.read(PATH)).toContain('surfaced_count = -3\n');
    expect([store.row(NAME)?.surfaced_count, eventSum('surfaced')]).toEqual([2, 2]);
    for (let round = 0; round < 2; round++) {
      expect(checkStore(store.context).map(({ kind }) => kind)).toEqual(['not-synced']);
      expect(waiting()).toEqual([{ name: NAME, path: PATH, keys: ['surfaced_count'], reason: 'unusable-value' }]);
      expect(storeStatus(store.context).pending).toEqual({ files: 0, rows: 0 });
      await store.sync();
    }
    expect(store.row(NAME)?.surfaced_count).toBe(2);
  });

  it('is counted in the file as soon as that is repaired', async () => {
    await synced(text);
    count('surfaced');
    expect(count('followed')).toMatchObject({ pending: true });
    expect(store.read(PATH)).toContain('followed_count = 2\n');
    store.write(PATH, store.read(PATH).replace('surfaced_count = -3', 'surfaced_count = 3'));
    await store.sync();
    expect(store.read(PATH)).toContain('surfaced_count = 4\n');
    expect([store.row(NAME)?.surfaced_count, waiting(), checkStore(store.context)]).toEqual([4, [], []]);
  });
});
