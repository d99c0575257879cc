import { readMemory } from '../../src/memory/read-toml.ts';
import { RECORD_KEYS } from '../../src/memory/record.ts';
import type { TestStore } from '../support/sync-store.ts';

/** One write that was begun. What became of it is known only where its process said so before it died. */
export type Promised =
  | { readonly kind: 'learn'; readonly key: string }
  | { readonly kind: 'count'; readonly key: string; readonly name: string; readonly counter: Counter }
  /** `text` is nowhere else. */
  | { readonly kind: 'edit'; readonly text: string; readonly name: string }
  /** By SQL, without a key, of a counter that nobody else counts. */
  | { readonly kind: 'sql-count'; readonly name: string }
  /** Of a memory that nothing else is done to. */
  | { readonly kind: 'forget'; readonly name: string };

export const COUNTERS = ['surfaced', 'followed', 'not-followed', 'irrelevant', 'missed'] as const;
export type Counter = (typeof COUNTERS)[number];
export const COUNTED_BY_SQL = 'irrelevant' satisfies Counter;

/** Everything that was promised to anybody, and everything that was tried. */
export interface Promises {
  begin(write: Promised): void;
  /** The process said that it was done. */
  keep(write: Promised): void;
  /** Both: whoever did it saw it done. */
  done(write: Promised): void;
  readonly kept: readonly Promised[];
  readonly begun: readonly Promised[];
  /** Where each acknowledged write is not on both sides, or is there more than once; one line each. */
  broken(store: TestStore): string[];
}

export function createPromises(): Promises {
  const kept: Promised[] = [];
  const begun: Promised[] = [];
  return {
    kept,
    begun,
    begin: (write) => begun.push(write),
    keep: (write) => kept.push(write),
    done: (write) => {
      begun.push(write);
      kept.push(write);
    },
    broken: (store) => {
      const sides = readSides(store);
      return [
        ...kept.flatMap((write) => brokenPromise(sides, write)),
        ...wrongSqlCounts(sides, kept),
        ...wrongCounts(sides, begun),
        ...differences(sides),
      ];
    },
  };
}

/** What a learnt memory says, so that it is found again. */
export function learntText(key: string): string {
  return `Do what ${key} says`;
}

interface Sides {
  readonly store: TestStore;
  /** Contents of the files, by name. */
  readonly files: ReadonlyMap<string, string>;
  readonly rows: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** How often each key was counted. */
  readonly events: ReadonlyMap<string, number>;
  readonly eventNames: ReadonlyMap<string, string>;
}

function readSides(store: TestStore): Sides {
  const paths = store.files().filter((path) => path.endsWith('.toml'));
  const events = new Map<string, number>();
  const eventNames = new Map<string, string>();
  for (const { event_key, name, delta } of store.sql('SELECT event_key, name, delta FROM outcome_events')) {
    if (event_key === null) continue;
    events.set(String(event_key), (events.get(String(event_key)) ?? 0) + Number(delta));
    eventNames.set(String(event_key), String(name));
  }
  return {
    store,
    files: new Map(paths.map((path) => [path.replace(/\.toml$/, ''), store.read(path)])),
    rows: new Map(store.sql('SELECT * FROM memories').map((row) => [String(row.name), row])),
    events,
    eventNames,
  };
}

function brokenPromise(sides: Sides, write: Promised): string[] {
  switch (write.kind) {
    case 'learn':
      return brokenLearn(sides, learntText(write.key));
    case 'count':
      return sides.events.get(write.key) === 1 ? [] : [`count ${write.key} of ${write.name} has no event`];
    case 'edit':
      return isKept(sides, write) ? [] : [`edit "${write.text}" of ${write.name} is nowhere`];
    case 'sql-count':
      return [];
    case 'forget':
      return sides.rows.has(write.name) || sides.files.has(write.name)
        ? [`${write.name} was forgotten and is there`]
        : [];
  }
}

function brokenLearn({ store, rows, files }: Sides, action: string): string[] {
  const learnt = [...rows.values()].filter((row) => row.action === action);
  const inFiles = [...files.values()].filter((text) => text.includes(`action = "${action}"\n`));
  if (learnt.length === 1 && inFiles.length === 1) return [];
  const archived = store.sql(`SELECT count(*) AS n FROM archive WHERE record LIKE ?`, `%${action}"%`)[0]?.n;
  if (learnt.length === 0 && inFiles.length === 0 && archived === 1) return [];
  return [`"${action}" is in ${learnt.length} rows and ${inFiles.length} files`];
}

/** In both sides; else in history, in a conflict or in the archive, since somebody edited or deleted after it. */
function isKept(
  { store, rows, files }: Sides,
  { name, text }: { readonly name: string; readonly text: string },
): boolean {
  const row = rows.get(name);
  const inRow = row !== undefined && ['behavior', 'impact', 'action'].some((key) => row[key] === text);
  if (inRow && files.get(name)?.includes(`= "${text}"\n`) === true) return true;
  const kept = store.sql(
    `SELECT EXISTS (SELECT 1 FROM history WHERE name = ? AND (instr(record, ?) OR instr(CAST(bytes AS TEXT), ?)))
       OR EXISTS (SELECT 1 FROM conflicts WHERE name = ? AND ? IN (file_value, row_value))
       OR EXISTS (SELECT 1 FROM archive WHERE name = ? AND instr(record, ?)) AS kept`,
    ...[name, text, text, name, text, name, text],
  );
  return kept[0]?.kept === 1;
}

const columnOf = (counter: Counter) => `${counter.replaceAll('-', '_')}_count`;

function wrongSqlCounts({ rows }: Sides, kept: readonly Promised[]): string[] {
  const counts = new Map<string, number>();
  for (const write of kept) if (write.kind === 'sql-count') counts.set(write.name, (counts.get(write.name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => {
    const said = rows.get(name)?.[columnOf(COUNTED_BY_SQL)];
    return said === count ? [] : [`${name}: SQL counted ${count} times, the row says ${said}`];
  });
}

/**
 * Each event with a key is one that somebody wanted, once; and each counter is what its events add up to. Nobody but SQL
 * counts without a key: a count that lost its key in a crash would be counted again by whoever repeats it.
 */
function wrongCounts({ store, rows, events, eventNames }: Sides, begun: readonly Promised[]): string[] {
  const wanted = new Map(begun.flatMap((write) => (write.kind === 'count' ? [[write.key, write.name] as const] : [])));
  const sums = new Map(
    store
      .sql('SELECT name, kind, sum(delta) AS n FROM outcome_events GROUP BY name, kind')
      .map(({ name, kind, n }) => [`${name} ${kind}`, Number(n)]),
  );
  const keyless = store.sql(
    'SELECT name, kind, delta, origin FROM outcome_events WHERE event_key IS NULL AND delta <> 0 AND kind <> ?',
    COUNTED_BY_SQL,
  );
  return [
    ...keyless.map((event) => `a count without its key: ${JSON.stringify(event)}`),
    ...[...events].flatMap(([key, times]) => {
      if (times !== 1) return [`the key ${key} counted ${times} times`];
      return wanted.get(key) === eventNames.get(key) ? [] : [`the key ${key} counted for ${eventNames.get(key)}`];
    }),
    ...[...rows].flatMap(([name, row]) =>
      COUNTERS.flatMap((counter) => {
        const [said, sum] = [row[columnOf(counter)], sums.get(`${name} ${counter}`) ?? 0];
        return said === sum ? [] : [`${name}: ${counter} is ${said}, its events add up to ${sum}`];
      }),
    ),
  ];
}

/** Where file and row do not say the same. */
function differences({ rows, files }: Sides): string[] {
  const found = [...files.keys()].flatMap((name) => (rows.has(name) ? [] : [`${name} has a file and no row`]));
  for (const [name, row] of rows) {
    const text = files.get(name);
    const read = text === undefined ? null : readMemory(Buffer.from(text), 'feedback');
    if (read?.kind !== 'ok') {
      found.push(`${name} has a row, and no file that can be read`);
      continue;
    }
    const record: Readonly<Record<string, unknown>> = { ...read.memory.record };
    for (const key of RECORD_KEYS) {
      const inFile = typeof record[key] === 'boolean' ? Number(record[key]) : record[key];
      if (inFile !== row[key]) found.push(`${name}: ${key} is ${inFile} in the file and ${row[key]} in the row`);
    }
  }
  return found;
}
