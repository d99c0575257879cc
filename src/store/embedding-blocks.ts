import { withoutStamp } from './change-stamp.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';
import { immediately, type Transactable } from './transaction.ts';

/** A block is the memories whose pks share all but the last eight bits. */
const BLOCK_BITS = 8;
export const BLOCK_SIZE = 2 ** BLOCK_BITS;

/** What the search needs of the memories of one block; `search/vector-block.ts` says what the bytes are. */
export interface BlockContent {
  readonly vectors: Uint8Array;
  /** Place in the block of each memory that the model cannot read (SE-29). */
  readonly unreadable: Uint8Array;
  readonly tokenMemories: number;
  readonly tokens: Uint8Array;
}

/** A block as it is kept. */
export interface StoredBlock extends BlockContent {
  /** Another one whenever the block was made anew. */
  readonly stamp: number;
}

/** A current embedding of a memory, from which a block is made. */
export interface BlockMember {
  /** pk less the first one of the block. */
  readonly place: number;
  readonly state: string;
  readonly norm: number | null;
  readonly vector: Uint8Array | null;
  readonly tokens: Uint8Array | null;
}

/** Every block that holds an embedding. `stamp` is null where the block has to be made from its embeddings first. */
export function listBlocks(
  db: SqliteDatabase,
  space: string,
  form: number,
): { readonly block: number; readonly stamp: number | null }[] {
  return allRows(
    db,
    `SELECT block, CASE WHEN space = ? AND form = ? THEN stamp END AS stamp FROM embedding_blocks ORDER BY block`,
    space,
    form,
  );
}

/** Null when somebody has changed it meanwhile. */
export function findBlock(db: SqliteDatabase, block: number, space: string, form: number): StoredBlock | null {
  return oneRow<StoredBlock>(
    db,
    `SELECT stamp, vectors, unreadable, token_memories AS tokenMemories, tokens FROM embedding_blocks
     WHERE block = ? AND space = ? AND form = ? AND stamp IS NOT NULL`,
    block,
    space,
    form,
  );
}

/** The current embeddings of a block, in order of pk. */
export function listMembers(db: SqliteDatabase, block: number, space: string): BlockMember[] {
  const first = block * BLOCK_SIZE;
  return allRows<BlockMember>(
    db,
    `SELECT pk - ? AS place, state, norm, vector, tokens FROM embeddings
     WHERE pk BETWEEN ? AND ? AND part = 'record' AND space = ? AND text_hash IS NOT NULL ORDER BY pk`,
    first,
    first,
    first + BLOCK_SIZE - 1,
    space,
  );
}

/** So many blocks are made in one transaction. */
const BATCH = 8;

/** Makes the blocks that are not there and keeps them, with what `pack` makes of their members. */
export function keepBlocks(
  store: Transactable,
  space: string,
  form: number,
  pack: (members: readonly BlockMember[]) => BlockContent,
): void {
  const { db } = store;
  const missing = listBlocks(db, space, form).filter(({ stamp }) => stamp === null);
  for (let from = 0; from < missing.length; from += BATCH) {
    // Nothing hangs on them but the blocks that a search has in memory, and those are told apart by their stamps.
    withoutStamp(db, () =>
      immediately(store, () => {
        for (const { block } of missing.slice(from, from + BATCH)) {
          keepBlock(db, block, space, form, pack(listMembers(db, block, space)));
        }
      }),
    );
  }
}

function keepBlock(db: SqliteDatabase, block: number, space: string, form: number, content: BlockContent): void {
  run(
    db,
    `UPDATE embedding_blocks SET stamp = abs(random() % 9007199254740991), form = ?, space = ?, unreadable = ?,
       token_memories = ?, tokens = ?, vectors = ? WHERE block = ?`,
    form,
    space,
    content.unreadable,
    content.tokenMemories,
    content.tokens,
    content.vectors,
    block,
  );
}
