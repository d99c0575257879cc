/**
 * Finds the directions that token vectors keep (SE-70) and how common each token is (SE-71), from texts that have nothing to
 * do with anybody's memories:
 *
 *   npm run model -- directions TEXTS.jsonl [TARGET]
 *
 * Each line has a `text`. Writes `directions.bin`, a linear layer whose biases hold the centre, from every sixth text, and
 * `token-counts.bin`: uint32 number of texts, then uint16 [tokens], the number of texts with that token. Prints their hashes,
 * which belong into src/search/embed/model-files.ts.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAPACITY, DIMENSIONS, loadEncoder } from '../../src/search/embed/encoder.ts';
import { MODEL_DIRECTORY, MODEL_FILES, readModelFile } from '../../src/search/embed/model-files.ts';
import { encodeText } from '../../src/search/embed/tokens.ts';
import { readVocabulary, VOCABULARY_SIZE } from '../../src/search/embed/vocabulary.ts';
import { createScatter, principalDirections } from './principal.ts';
import { linearLayer, quantiseRow } from './quantise.ts';

const DIRECTIONS = 96;
const EVERY = 6;

const [source, target = MODEL_DIRECTORY] = process.argv.slice(2);
if (source === undefined) throw new Error('usage: npm run model -- directions TEXTS.jsonl [TARGET]');
const lines = readFileSync(source, 'utf8').trimEnd().split('\n');
const texts: string[] = lines.map((line) => JSON.parse(line).text);
const vocabulary = readVocabulary(readModelFile(MODEL_DIRECTORY, 'vocabulary'));

write('token-counts.bin', tokenCounts());
write('directions.bin', await directionsFile());

function tokenCounts(): Uint8Array {
  const counts = new Uint16Array(VOCABULARY_SIZE);
  for (const text of texts) {
    const ids = encodeText(text, vocabulary, CAPACITY).slice(1, -1);
    for (const id of new Set(ids)) counts[id] = Math.min(65_535, (counts[id] ?? 0) + 1);
  }
  return Buffer.concat([Buffer.from(Uint32Array.of(texts.length).buffer), Buffer.from(counts.buffer)]);
}

async function directionsFile(): Promise<Uint8Array> {
  // The encoder reads this file too, and its states do not depend on it.
  const path = join(MODEL_DIRECTORY, MODEL_FILES.directions.name);
  if (!existsSync(path)) writeFileSync(path, new Uint8Array(MODEL_FILES.directions.sizeBytes));
  const encoder = await loadEncoder({ directory: MODEL_DIRECTORY, wholeTable: true });
  const scatter = createScatter(DIMENSIONS);
  texts.forEach((text, at) => {
    if (at % EVERY !== 0) return;
    const ids = encodeText(text, vocabulary, CAPACITY);
    const [encoded] = encoder.encode([ids]);
    for (let token = 1; token < ids.length - 1; token++) {
      scatter.add(encoded?.states.subarray(token * DIMENSIONS, (token + 1) * DIMENSIONS) ?? new Float32Array());
    }
  });
  const rows = principalDirections(scatter.covariance(), DIMENSIONS, DIRECTIONS).map((row) => Float32Array.from(row));
  const weights = new Float32Array(DIRECTIONS * DIMENSIONS);
  rows.forEach((row, at) => {
    weights.set(row, at * DIMENSIONS);
  });
  const mean = scatter.mean();
  return linearLayer(
    weights,
    Float32Array.from(rows, (row) => -quantisedDot(row, mean)),
  );
}

/** What the kernel will get for the centre, up to rounding, so that the centre comes out as 0. */
function quantisedDot(row: Float32Array, other: Float64Array): number {
  const { scale, values } = quantiseRow(row);
  return values.reduce((sum, value, k) => sum + value * scale * (other[k] ?? 0), 0);
}

function write(name: string, bytes: Uint8Array): void {
  writeFileSync(join(target, name), bytes);
  console.log(`${name}: ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`);
}
