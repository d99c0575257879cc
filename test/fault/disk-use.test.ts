import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeEmbeddings } from '../../src/store/embeddings.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { allRows, run } from '../../src/store/statement.ts';
import { immediately } from '../../src/store/transaction.ts';
import { activateSpace } from '../../src/store/vector-spaces.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, temporaryStore } from '../support/sync-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { watched } from '../support/watch-store.ts';
import { seededRandom } from './random.ts';

/** ENGRAM_DISK_TESTS=long takes the sizes that the cases name: minutes instead of seconds. */
const IS_LONG = process.env.ENGRAM_DISK_TESTS === 'long';
const WRITES = IS_LONG ? 100_000 : 6_000;
const VECTORS = IS_LONG ? 80_000 : 4_000;
const timeout = IS_LONG ? 1_800_000 : 60_000;
const MEBIBYTE = 2 ** 20;

const walSize = (root: string): number => statSync(`${databaseOf(root)}-wal`, { throwIfNoEntry: false })?.size ?? 0;

test(`X04: ${WRITES} writes with a reader coming and going: the log stays small, and smaller when idle`, {
  timeout,
}, async () => {
  using store = await temporaryStore();
  store.write('feedback/m.toml', feedbackText());
  store.sync();
  await using watch = await watched(store);
  const random = seededRandom(4);
  using reader = await openStore(store.root);
  using writer = await openStore(store.root);
  let largest = 0;
  for (let written = 0; written < WRITES; ) {
    const isReading = random.fraction() < 0.7;
    if (isReading) reader.db.exec('BEGIN; SELECT count(*) FROM memories');
    for (let left = 1 + random.below(300); left > 0; left -= 1, written += 1) note(writer, written);
    if (isReading) reader.db.exec('COMMIT');
    largest = Math.max(largest, walSize(store.root));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(largest).toBeGreaterThan(4 * MEBIBYTE);
  expect(largest).toBeLessThanOrEqual(64 * MEBIBYTE);
  // A minute later the watcher has nothing to do but this (SY-65).
  store.advance(61_000);
  await watch.until(() => walSize(store.root) <= 16 * MEBIBYTE);
  store.advance(61_000);
  await watch.until(() => walSize(store.root) === 0);
});

/** What a busy store writes: some pages of a text, and an entry of the change log. */
function note(store: Store, number: number): void {
  const text = `${number} `.repeat(800);
  immediately(store, () => run(store.db, `UPDATE memories SET impact = ? WHERE name = 'feedback/m'`, text));
}

test(`X05: ${VECTORS} vectors that come and go, then VACUUM: as small as a fresh store, without orphans`, {
  timeout,
}, async () => {
  using worn = await openStore(temporaryDirectory());
  using fresh = await openStore(temporaryDirectory());
  const kept = Math.round(VECTORS / 40);
  for (const store of [worn, fresh]) activateSpace(store, SPACE);
  addEmbedded(fresh, 'kept', kept);
  addEmbedded(worn, 'kept', kept);
  addEmbedded(worn, 'gone', VECTORS);
  const before = pageBytes(worn);
  // As a shell deletes: the triggers do the rest.
  immediately(worn, () => run(worn.db, `DELETE FROM memories WHERE name LIKE 'feedback/gone-%'`));
  for (const store of [worn, fresh]) immediately(store, () => run(store.db, 'DELETE FROM changes'));
  shell(databaseOf(worn.root), 'VACUUM;');
  shell(databaseOf(fresh.root), 'VACUUM;');
  expect(pageBytes(worn)).toBeLessThanOrEqual(1.5 * pageBytes(fresh));
  expect(pageBytes(worn)).toBeLessThan(before / 4);
  const orphans = `SELECT count(*) AS n FROM embeddings WHERE pk NOT IN (SELECT pk FROM memories)`;
  expect(allRows(worn.db, orphans)).toEqual([{ n: 0 }]);
  expect(allRows(worn.db, 'SELECT count(*) AS n FROM embeddings')).toEqual([{ n: kept }]);
  expect(allRows(worn.db, 'SELECT count(*) AS n FROM embedding_blocks WHERE vectors IS NOT NULL')).toEqual([{ n: 0 }]);
});

const DIMS = 384;
const SPACE = {
  space: 'test',
  provider: 'test',
  model: 'test',
  revision: '1',
  dims: DIMS,
  recipe: '',
  background: { meaning: 0.1, fine: null },
};
const BATCH = 500;

function addEmbedded(store: Store, prefix: string, count: number): void {
  for (let first = 0; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, at) => first + at);
    immediately(store, () => {
      for (const number of numbers) {
        run(
          store.db,
          `INSERT INTO memories(name, situation) VALUES (?, ?)`,
          `feedback/${prefix}-${number}`,
          `When ${number}`,
        );
      }
    });
    const pks = allRows<{ pk: number }>(
      store.db,
      `SELECT pk FROM memories ORDER BY pk DESC LIMIT ${numbers.length}`,
    ).map(({ pk }) => pk);
    const rows = pks.map((pk) => ({
      pk,
      textHash: `hash ${pk}`,
      result: { state: 'ready', vector: vectorOf(pk), norm: 1, tokens: null } as const,
    }));
    expect(writeEmbeddings(store, 'test', rows, () => true, 0)).toBe(true);
  }
}

function vectorOf(seed: number): Uint8Array {
  const random = seededRandom(seed);
  return new Uint8Array(Float32Array.from({ length: DIMS }, () => random.fraction() - 0.5).buffer);
}

function pageBytes({ db }: Store): number {
  return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
}
