import { openEngram } from '../../../src/engram.ts';
import { dot } from '../../../src/search/embed/dot.ts';
import { vectorOfBytes } from '../../../src/search/embed/vector-bytes.ts';
import { runQuery } from '../../../src/search/query.ts';
import { allRows } from '../../../src/store/statement.ts';
import { createSource } from '../synthetic.mjs';
import { makeStore, note, temporaryDirectory } from './made-store.ts';
import { makeVectors } from './made-vectors.ts';
import type { Measurement } from './table.ts';
import { median, timed, timedAsync } from './timing.ts';

const QUESTIONS = 30;
const BAR = 2;

/**
 * A question by every arm in a process that goes on, its vector known, over what it cannot do without: the words arm alone
 * for the same question, and one plain product of the query with every vector.
 */
export async function measureWarmMeaning(count: number): Promise<Measurement> {
  note(`warm query, ${count} memories, all arms; making them takes minutes`);
  using directory = temporaryDirectory();
  await makeStore(directory.path, count, { zipf: true });
  using engram = await openEngram({ root: directory.path, origin: 'bench' });
  await engram.sync();
  note('vectors');
  await makeVectors(engram);
  const { store } = engram.context;
  const matrix = wholeMatrix(allRows<{ vector: Uint8Array }>(store.db, 'SELECT vector FROM embeddings'));
  const source = createSource({ seed: 2, zipf: true });
  const project = { name: null, aliases: [], paths: [], foundBy: 'none' };
  const times: { floor: number; figure: number }[] = [];
  for (let round = -5; round < QUESTIONS; round++) {
    const request = { text: source.situation(12), project };
    await engram.query(request);
    const words = timed(() => runQuery(store, request));
    const loop = timed(() => plainLoop(matrix));
    const figure = await timedAsync(() => engram.query(request));
    if (round >= 0) times.push({ floor: words + loop, figure });
  }
  return {
    what: `warm query, ${count} memories, all arms, vector known`,
    figure: median(times.map(({ figure }) => figure)),
    floorName: 'words alone + plain loop over the matrix',
    floor: median(times.map(({ floor }) => floor)),
    ratio: median(times.map(({ figure, floor }) => figure / floor)),
    unit: 'ms',
    bar: BAR,
  };
}

interface Matrix {
  readonly dims: number;
  readonly values: Float32Array;
}

function wholeMatrix(rows: readonly { readonly vector: Uint8Array }[]): Matrix {
  const dims = (rows[0]?.vector.length ?? 0) / 4;
  const values = new Float32Array(rows.length * dims);
  for (const [row, { vector }] of rows.entries()) values.set(vectorOfBytes(vector), row * dims);
  return { dims, values };
}

function plainLoop({ dims, values }: Matrix): number {
  const query = values.subarray(0, dims);
  let largest = 0;
  for (let at = 0; at < values.length; at += dims) largest = Math.max(largest, dot(query, values, at));
  return largest;
}
