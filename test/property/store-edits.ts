import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import fc from 'fast-check';
import { countOutcome } from '../../src/learning/outcomes.ts';
import type { MemoryName } from '../../src/memory/slug.ts';
import { feedbackText, type TestStore } from '../support/sync-store.ts';

/** Something that a person, a shell or an agent does to a store between two syncs. `at` and `to` number the memories. */
export interface Edit {
  readonly kind: keyof typeof EDITS;
  readonly at: number;
  readonly to: number;
}

const NAMES = 5;
const nameOf = (at: number) => `feedback/m${at}` as MemoryName;
const pathOf = (at: number) => `${nameOf(at)}.toml`;

type Apply = (store: TestStore, edit: Edit, token: string) => void;

/** Every text that is written holds a token of its own, so that it can be looked for afterwards. */
const EDITS = {
  'file text': (store, { at, to }, token) =>
    inFile(store, at, (text) => text.replace(fieldLine(to), (line) => `${keyOf(line)} = "${token}"`)),
  'file counter': (store, { at, to }) =>
    inFile(store, at, (text) => text.replace(/^followed_count = .*$/m, `followed_count = ${to + 3}`)),
  'file comment': (store, { at }, token) => inFile(store, at, (text) => `# ${token}\n${text}`),
  'file broken': (store, { at }, token) => inFile(store, at, (text) => `${text}broken = "${token}\n`),
  'file mended': (store, { at }) => inFile(store, at, (text) => text.replace(/^broken = .*\n/gm, '')),
  'file written': (store, { at }, token) => store.write(pathOf(at), feedbackText({ action: `"${token}"` })),
  'file removed': (store, { at }) => {
    if (store.exists(pathOf(at))) store.remove(pathOf(at));
  },
  'file renamed': (store, { at, to }) => {
    if (store.exists(pathOf(at)) && !store.exists(pathOf(to))) renameSync(store.at(pathOf(at)), store.at(pathOf(to)));
  },
  'file copied': (store, { at, to }) => {
    if (store.exists(pathOf(at))) store.write(pathOf(to), store.read(pathOf(at)));
  },
  'row text': (store, { at, to }, token) =>
    store.sql(`UPDATE memories SET ${FIELDS[to % FIELDS.length]} = ? WHERE name = ?`, token, nameOf(at)),
  'row counter': (store, { at, to }) =>
    store.sql('UPDATE memories SET followed_count = followed_count + ? WHERE name = ?', to, nameOf(at)),
  'row invalid': (store, { at }) => store.sql(`UPDATE memories SET impact = '' WHERE name = ?`, nameOf(at)),
  'row emptied': (store, { at }) =>
    store.sql(`UPDATE memories SET source = NULL, core = NULL WHERE name = ?`, nameOf(at)),
  'row removed': (store, { at }) => store.sql('DELETE FROM memories WHERE name = ?', nameOf(at)),
  'row renamed': (store, { at, to }) => {
    if (store.row(nameOf(to)) === undefined) {
      store.sql('UPDATE memories SET name = ? WHERE name = ?', nameOf(to), nameOf(at));
    }
  },
  'row written': (store, { at }, token) =>
    store.sql(
      `INSERT OR IGNORE INTO memories(name, situation, behavior, impact, action) VALUES (?, 'When', 'b', 'i', ?)`,
      nameOf(at),
      token,
    ),
  counted: (store, { at }) => {
    try {
      countOutcome(store.context, nameOf(at), { kind: 'followed' });
    } catch {
      // There is none, or its file is gone: nothing was promised.
    }
  },
} as const satisfies Readonly<Record<string, Apply>>;

const FIELDS = ['situation', 'action', 'impact'] as const;
const fieldLine = (to: number) => new RegExp(`^${FIELDS[to % FIELDS.length]} = .*$`, 'm');
const keyOf = (line: string) => line.slice(0, line.indexOf(' ='));

function inFile(store: TestStore, at: number, change: (text: string) => string): void {
  if (store.exists(pathOf(at))) store.write(pathOf(at), change(store.read(pathOf(at))));
}

export const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(EDITS) as (keyof typeof EDITS)[])),
    at: fc.nat(NAMES - 1),
    to: fc.nat(NAMES - 1),
  }),
  { minLength: 1, maxLength: 6 },
);

export function apply(store: TestStore, edit: Edit, token: string): void {
  const run: Apply = EDITS[edit.kind];
  run(store, edit, token);
}

/** Three memories to start from. */
export function firstFiles(store: TestStore): void {
  for (const at of [0, 1, 2]) {
    const updated_at = `"2026-04-0${at + 1}T00:00:00Z"`;
    store.write(pathOf(at), feedbackText({ situation: `"token-start-${at}-situation"`, updated_at }));
  }
}

/** The tokens in all files and rows: what a person would miss if it were gone. */
export function tokensInPlace(store: TestStore): Set<string> {
  const directory = store.at('feedback');
  const files = existsSync(directory)
    ? readdirSync(directory).map((name) => readFileSync(`${directory}/${name}`, 'utf8'))
    : [];
  return tokensOf([...files, JSON.stringify(store.sql('SELECT * FROM memories'))]);
}

/** The tokens that are to be found anywhere: in place, in history, in a conflict or in the archive. */
export function tokensAnywhere(store: TestStore): Set<string> {
  const kept = [
    'SELECT record, CAST(bytes AS TEXT) AS text FROM history',
    'SELECT record, CAST(bytes AS TEXT) AS text FROM archive',
    'SELECT base_value, file_value, row_value FROM conflicts',
  ].map((query) => JSON.stringify(store.sql(query)));
  return new Set([...tokensInPlace(store), ...tokensOf(kept)]);
}

function tokensOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => text.match(/token-[a-z0-9-]+/g) ?? []));
}
