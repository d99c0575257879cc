/**
 * Finds what the second vectors of all texts have in common (`Embedding.lower`):
 *
 *   npm run model -- centre [TARGET]
 *
 * Writes `lower-centre.bin`, float32 [DIMENSIONS]: their mean over the queries, situations and records of the built-in
 * unrelated pairs, which no memory and no set has part in. Prints its hash, which belongs into
 * src/search/embed/model-files.ts.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unrelatedPairs } from '../../src/search/background-pairs.ts';
import { CAPACITY, DIMENSIONS, loadEncoder } from '../../src/search/embed/encoder.ts';
import { MODEL_DIRECTORY, MODEL_FILES, readModelFile } from '../../src/search/embed/model-files.ts';
import { encodeText } from '../../src/search/embed/tokens.ts';
import { readVocabulary } from '../../src/search/embed/vocabulary.ts';
import { embeddedText } from '../../src/search/embedded-text.ts';

const [target = MODEL_DIRECTORY] = process.argv.slice(2);
const { name, sizeBytes } = MODEL_FILES.lowerCentre;
// The encoder subtracts what this file holds.
writeFileSync(join(MODEL_DIRECTORY, name), new Uint8Array(sizeBytes));
const encoder = await loadEncoder({ directory: MODEL_DIRECTORY, wholeTable: true });
const vocabulary = readVocabulary(readModelFile(MODEL_DIRECTORY, 'vocabulary'));
const texts = new Set(
  unrelatedPairs().flatMap(({ query, memory }) => {
    const { situation, record } = embeddedText(memory);
    return [query, situation, record];
  }),
);
const sum = new Float64Array(DIMENSIONS);
for (const text of texts) {
  const [encoded] = encoder.encode([encodeText(text, vocabulary, CAPACITY)]);
  for (const [at, value] of (encoded?.lower ?? []).entries()) sum[at] = (sum[at] ?? 0) + value;
}
const bytes = new Uint8Array(Float32Array.from(sum, (value) => value / texts.size).buffer);
writeFileSync(join(target, name), bytes);
console.log(`${name}: ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`);
