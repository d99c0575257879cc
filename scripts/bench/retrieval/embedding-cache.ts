import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { openBulk } from '../../../src/search/embed/bulk.ts';
import type { Embedder, Embedding } from '../../../src/search/embed/embedder.ts';
import { MODEL_FILES, packagePath } from '../../../src/search/embed/model-files.ts';

export interface CachedEmbedder extends Embedder {
  /** Keeps what was embedded for the next run, and ends the threads. */
  close(): Promise<void>;
}

/**
 * The built-in model on a thread a core, that never embeds a text twice. What it has embedded lies in a file below the
 * temporary directory, named by the model's files and its programs: another build starts anew.
 */
export function openCachedEmbedder(): CachedEmbedder {
  const file = join(tmpdir(), `engram-bench-embeddings-${buildHash()}`);
  const known = readKnown(file);
  const countAtStart = known.size;
  const bulk = openBulk(availableParallelism());
  return {
    identity: bulk.identity,
    window: bulk.window,
    async embed(texts, kind) {
      const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text, kind)));
      const embeddings = missing.length === 0 ? [] : await bulk.embed(missing, kind);
      for (const [at, text] of missing.entries()) {
        const embedding = embeddings[at];
        if (embedding !== undefined) known.set(keyOf(text, kind), embedding);
      }
      return texts.flatMap((text) => known.get(keyOf(text, kind)) ?? []);
    },
    async close() {
      await bulk.close();
      if (known.size > countAtStart) write(file, known);
    },
  };
}

function buildHash(): string {
  const hash = createHash('sha256');
  for (const { sha256 } of Object.values(MODEL_FILES)) hash.update(sha256);
  for (const program of ['dist/embed-worker.cjs', 'dist/encoder.wasm']) hash.update(readFileSync(packagePath(program)));
  return hash.digest('hex').slice(0, 16);
}

function keyOf(text: string, kind: string): string {
  return createHash('sha256').update(`${kind}\0${text}`).digest('base64');
}

/** A file that cannot be read is one that is not there. */
function readKnown(file: string): Map<string, Embedding> {
  try {
    return deserialize(readFileSync(file)) as Map<string, Embedding>;
  } catch {
    return new Map();
  }
}

/** Runs at the same time replace each other's file, never a part of it. */
function write(file: string, known: ReadonlyMap<string, Embedding>): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, serialize(known));
  renameSync(unfinished, file);
}
