import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dot } from '../../src/search/embed/dot.ts';
import { tokenBytes, tokenIds, vectorBytes, vectorOfBytes } from '../../src/search/embed/vector-bytes.ts';
import { openVectorScan } from '../../src/search/embed/vector-scan.ts';
import { meaningArm } from '../../src/search/meaning-arm.ts';
import { keepVectorBlocks, vectorMatrix } from '../../src/search/vector-matrix.ts';
import type { SqliteDatabase } from '../../src/store/native.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { allRows, oneRow, run } from '../../src/store/statement.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BACKGROUND = 0.02;

/** Numbers from -1 to 1, the same on every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

function unitVector(dims: number, random: () => number): Float32Array<ArrayBuffer> {
  const values = Float32Array.from({ length: dims }, random);
  const norm = Math.hypot(...values);
  return values.map((value) => value / norm);
}

function spaceOf(dims: number) {
  const identity = { provider: 'test', model: 'test', revision: '1', dims, recipe: '' };
  return { ...identity, space: 'test', background: { meaning: BACKGROUND, fine: null } };
}

interface Vector {
  readonly vector: Float32Array;
  readonly norm: number;
  readonly tokens?: readonly number[];
}

function put(db: SqliteDatabase, pk: number, { vector, norm, tokens = [] }: Vector): void {
  const packed = new Uint8Array(tokens.length * 48);
  run(
    db,
    `INSERT INTO embeddings(pk, part, space, text_hash, norm, state, at_ms, vector, tokens)
     VALUES (?, 'record', 'test', 'x', ?, 'ready', 0, ?, ?)
     ON CONFLICT(pk, part, space) DO UPDATE SET text_hash = 'x', norm = excluded.norm, state = 'ready',
       vector = excluded.vector, tokens = excluded.tokens`,
    pk,
    norm,
    vectorBytes(vector),
    tokenBytes({ ids: Uint16Array.from(tokens), packed }),
  );
}

function admitOnly(db: SqliteDatabase, pks: readonly number[]): void {
  db.exec('CREATE TEMP TABLE IF NOT EXISTS admitted(pk INTEGER PRIMARY KEY); DELETE FROM temp.admitted');
  for (const pk of pks) run(db, 'INSERT INTO temp.admitted VALUES (?)', pk);
}

interface Row {
  readonly pk: number;
  readonly norm: number;
  readonly vector: Uint8Array;
}

/** What the arm has to find: every admitted vector compared as it is. */
function plainNearest(db: SqliteDatabase, query: Float32Array, count: number): number[] {
  const rows = allRows<Row>(
    db,
    `SELECT pk, norm, vector FROM embeddings WHERE text_hash IS NOT NULL AND state = 'ready' AND pk IN (SELECT pk FROM temp.admitted)`,
  );
  return rows
    .map(({ pk, norm, vector }) => ({ pk, similarity: dot(query, vectorOfBytes(vector)) * norm }))
    .filter(({ similarity }) => similarity > BACKGROUND)
    .sort((a, b) => b.similarity - a.similarity || a.pk - b.pk)
    .slice(0, count)
    .map(({ pk }) => pk);
}

function nearest(store: Store, query: Float32Array, count: number, filterKey: string): number[] {
  const arm = meaningArm(store.db, { space: spaceOf(query.length), vectors: new Map() }, filterKey);
  return arm.nearest({ vector: query, tokens: null }, count);
}

const shapes = fc.record({
  dims: fc.constantFrom(3, 16, 20, 384),
  count: fc.integer({ min: 1, max: 60 }),
  memories: fc.integer({ min: 0, max: 600 }),
  /** Near copies of few vectors: what rounding takes decides about their order. */
  spread: fc.constantFrom(0, 1e-4, 1e-2, 1),
  seed: fc.integer({ min: 1 }),
});

test('SE-28: the nearest are those that a comparison of all vectors finds, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async ({ dims, count, memories, spread, seed }) => {
      using store = await openStore(temporaryDirectory());
      const { db } = store;
      const random = numbers(seed);
      const few = Array.from({ length: 3 }, () => unitVector(dims, random));
      const admitted: number[] = [];
      db.transaction(() => {
        for (let drawn = 0; drawn < memories; drawn++) {
          const pk = Math.floor((random() + 1) * 5000);
          const like = few[drawn % 3] ?? unitVector(dims, random);
          const moved = like.map((value) => value + spread * random());
          const length = Math.hypot(...moved);
          put(db, pk, { vector: moved.map((value) => value / length), norm: 0.5 + 0.5 * Math.abs(random()) });
          if (random() < 0.5) admitted.push(pk);
        }
      })();
      admitOnly(db, [...new Set(admitted)]);
      if (seed % 2 === 0) keepVectorBlocks(store, spaceOf(dims));
      const query = unitVector(dims, random);
      for (const asked of [query, few[0] ?? query]) {
        expect(nearest(store, asked, count, 'half')).toEqual(plainNearest(db, asked, count));
      }
    }),
    { numRuns: 25 },
  );
});

const changes = fc.array(
  fc.record({
    change: fc.constantFrom('put', 'put', 'stale', 'fail', 'delete', 'move', 'keep'),
    pk: fc.integer({ min: 250, max: 520 }),
    other: fc.integer({ min: 250, max: 520 }),
  }),
  { minLength: 1, maxLength: 30 },
);

test('SE-28: whatever changes a vector, no search finds the old one; a new process finds the same', async () => {
  await fc.assert(
    fc.asyncProperty(changes, fc.integer({ min: 1 }), async (steps, seed) => {
      const root = temporaryDirectory();
      using store = await openStore(root);
      using other = await openStore(root);
      const { db } = store;
      const random = numbers(seed);
      const dims = 16;
      for (const [step, { change, pk, other: second }] of steps.entries()) {
        // Somebody else, every other time: only the database tells this connection.
        const writer = step % 2 === 0 ? db : other.db;
        if (change === 'put') {
          const tokens = [pk % 7, pk % 11, second % 5];
          put(writer, pk, { vector: unitVector(dims, random), norm: 1, tokens });
        }
        if (change === 'stale') run(writer, 'UPDATE embeddings SET text_hash = NULL WHERE pk = ?', pk);
        if (change === 'fail') run(writer, `UPDATE embeddings SET state = 'failed:1', vector = NULL WHERE pk = ?`, pk);
        if (change === 'delete') run(writer, 'DELETE FROM embeddings WHERE pk BETWEEN ? AND ?', pk, pk + 3);
        if (change === 'move') run(writer, 'UPDATE OR IGNORE embeddings SET pk = ? WHERE pk = ?', second, pk);
        if (change === 'keep') keepVectorBlocks(step % 3 === 0 ? store : other, spaceOf(dims));
        const query = unitVector(dims, random);
        using fresh = await openStore(root);
        for (const one of [store, fresh]) {
          admitOnly(
            one.db,
            Array.from({ length: 280 }, (_, at) => 245 + at),
          );
          expect(nearest(one, query, 5, 'all')).toEqual(plainNearest(one.db, query, 5));
          const matrix = vectorMatrix(one.db, spaceOf(dims));
          expect([1, 3, 6].map(matrix.tokenCount)).toEqual([1, 3, 6].map((id) => plainTokenCount(one.db, id)));
        }
      }
    }),
    { numRuns: 15 },
  );
});

function plainTokenCount(db: SqliteDatabase, id: number): number {
  const rows = allRows<{ tokens: Uint8Array }>(
    db,
    'SELECT tokens FROM embeddings WHERE text_hash IS NOT NULL AND tokens IS NOT NULL',
  );
  return rows.filter(({ tokens }) => tokenIds(tokens).includes(id)).length;
}

test.each([1, 3, 16, 21, 384])('SE-28: the program and the sources give the same bits for %i values', (dims) => {
  const random = numbers(dims);
  const scan = openVectorScan(dims);
  for (const rows of [0, 500, 501, 3000]) {
    scan.reserve(rows);
    const [one, other] = [unitVector(dims, random), unitVector(dims, random)];
    expect(scan.exactDot(one, vectorBytes(other))).toBe(dot(one, other));
    expect(scan.exactDot(one, vectorBytes(one))).toBe(dot(one, one));
  }
});

test('SE-28: a vector that is not finite or of another length is no hit', async () => {
  using store = await openStore(temporaryDirectory());
  const { db } = store;
  const query = new Float32Array(16).fill(0.25);
  put(db, 1, { vector: query, norm: 1 });
  put(db, 2, { vector: query.map((value, at) => (at === 3 ? Number.NaN : value)), norm: 1 });
  put(db, 3, { vector: query.slice(0, 15), norm: 1 });
  put(db, 4, { vector: query, norm: 1 });
  run(db, 'UPDATE embeddings SET norm = NULL WHERE pk = 4');
  admitOnly(db, [1, 2, 3, 4]);
  expect(nearest(store, query, 5, 'all')).toEqual([1]);
});

test('SE-28: blocks of another form or space are made anew', async () => {
  using store = await openStore(temporaryDirectory());
  const { db } = store;
  const random = numbers(5);
  const query = unitVector(16, random);
  for (let pk = 1; pk <= 40; pk++) put(db, pk, { vector: unitVector(16, random), norm: 1 });
  admitOnly(
    db,
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
  keepVectorBlocks(store, spaceOf(16));
  const expected = plainNearest(db, query, 3);
  run(db, "UPDATE embedding_blocks SET form = form - 1, vectors = x'00', tokens = x''");
  expect(nearest(store, query, 3, 'all')).toEqual(expected);
  keepVectorBlocks(store, spaceOf(16));
  expect(oneRow(db, 'SELECT length(vectors) > 600 AS whole FROM embedding_blocks')).toEqual({ whole: 1 });
  expect(nearest(store, query, 3, 'all')).toEqual(expected);
});
