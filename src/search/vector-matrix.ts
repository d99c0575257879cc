import { changeStamp } from '../store/change-stamp.ts';
import { BLOCK_SIZE, findBlock, keepBlocks, listBlocks, listMembers } from '../store/embedding-blocks.ts';
import { countRows } from '../store/memories.ts';
import type { SqliteDatabase } from '../store/native.ts';
import type { Transactable } from '../store/transaction.ts';
import type { VectorSpace } from '../store/vector-spaces.ts';
import { openVectorScan, type VectorScan } from './embed/vector-scan.ts';
import { BLOCK_FORM, packBlock, readBlock, type VectorBlock } from './vector-block.ts';

/** The vectors of all memories, rounded to integers, as the database has them now. */
export interface VectorMatrix {
  readonly blocks: ReadonlyMap<number, MatrixBlock>;
  /** Memories whose vector is here, and those that the model cannot read. */
  readonly rowCount: number;
  readonly unreadableCount: number;
  /** A block's rows begin at `first` there. */
  readonly scan: VectorScan;
  /** Memories with token vectors. */
  readonly tokenMemories: number;
  /** How many of them hold a token. */
  tokenCount(id: number): number;
}

export interface MatrixBlock extends VectorBlock {
  /** Where its rows begin in the scan. */
  readonly first: number;
}

/** Block and place in it of a memory's pk. */
export function blockOf(pk: number): { readonly block: number; readonly place: number } {
  const block = Math.floor(pk / BLOCK_SIZE);
  return { block, place: pk - block * BLOCK_SIZE };
}

/** pk of the memory at a place of a block. */
export function pkAt(block: number, place: number): number {
  return block * BLOCK_SIZE + place;
}

/**
 * Reads the blocks that are new since the last call. A block that is not kept is made here, from its embeddings.
 *
 * @throws EngramError `model.missing`
 */
export function vectorMatrix(db: SqliteDatabase, { space, dims }: Pick<VectorSpace, 'space' | 'dims'>): VectorMatrix {
  const stamp = changeStamp(db);
  const known = matrices.get(db);
  if (known?.stamp === stamp && known.space === space) return known.matrix;
  const kept = known?.space === space ? known : { scan: openVectorScan(dims), blocks: new Map<number, Kept>() };
  const blocks = new Map<number, Kept>();
  const free = freePlaces(kept.blocks);
  const listed = listBlocks(db, space, BLOCK_FORM);
  const fresh = listed.filter(({ block }) => !kept.blocks.has(block)).length;
  kept.scan.reserve((kept.blocks.size + fresh) * BLOCK_SIZE);
  for (const { block, stamp } of listed) {
    const old = kept.blocks.get(block);
    if (old !== undefined && stamp !== null && old.stamp === stamp) {
      blocks.set(block, old);
      continue;
    }
    const stored = stamp === null ? null : findBlock(db, block, space, BLOCK_FORM);
    const content = readBlock(stored ?? packBlock(listMembers(db, block, space), dims), dims);
    const first = old?.first ?? free() * BLOCK_SIZE;
    kept.scan.write(first, content.values);
    blocks.set(block, { ...content, first, stamp: stored?.stamp ?? null });
  }
  const matrix = { blocks, scan: kept.scan, ...totals(blocks, kept.scan) };
  matrices.set(db, { stamp, space, scan: kept.scan, blocks, matrix });
  return matrix;
}

/** Makes the blocks that are not kept, and keeps them: the next process reads them instead of every vector. */
export function keepVectorBlocks(store: Transactable, { space, dims }: Pick<VectorSpace, 'space' | 'dims'>): void {
  keepBlocks(store, space, BLOCK_FORM, (members) => packBlock(members, dims));
}

/** Whether every block is kept and every memory has its vector or is known to have none: the usual case, cheap to see. */
export function hasEveryVector({ db }: Transactable, space: Pick<VectorSpace, 'space' | 'dims'>): boolean {
  if (listBlocks(db, space.space, BLOCK_FORM).some(({ stamp }) => stamp === null)) return false;
  const { rowCount, unreadableCount } = vectorMatrix(db, space);
  return rowCount + unreadableCount === countRows(db);
}

interface Kept extends MatrixBlock {
  /** Null for one that was made here, which is made again when the database has changed. */
  readonly stamp: number | null;
}

interface KeptMatrix {
  readonly stamp: string;
  readonly space: string;
  readonly scan: VectorScan;
  readonly blocks: ReadonlyMap<number, Kept>;
  readonly matrix: VectorMatrix;
}

const matrices = new WeakMap<SqliteDatabase, KeptMatrix>();

/** Gives places, counted in blocks, that none of `blocks` has. */
function freePlaces(blocks: ReadonlyMap<number, Kept>): () => number {
  const taken = new Set([...blocks.values()].map(({ first }) => first / BLOCK_SIZE));
  let next = 0;
  return () => {
    while (taken.has(next)) next++;
    return next++;
  };
}

function totals(blocks: ReadonlyMap<number, VectorBlock>, scan: VectorScan) {
  let [rowCount, unreadableCount, tokenMemories] = [0, 0, 0];
  for (const block of blocks.values()) {
    rowCount += block.rowCount;
    unreadableCount += block.unreadable.length;
    tokenMemories += block.tokenMemories;
  }
  let counts: Uint32Array | null = null;
  const tokenCount = (id: number): number => {
    counts ??= scan.tally([...blocks.values()].map(({ tokens }) => tokens));
    return counts[id] ?? 0;
  };
  return { rowCount, unreadableCount, tokenMemories, tokenCount };
}
