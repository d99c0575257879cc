/**
 * Compares the package's tokens and vectors with the reference that `reference.py` made:
 *
 *   npm run model -- compare REFERENCE
 *
 * REFERENCE.jsonl holds texts and token ids, REFERENCE.f32 vectors. Exits with 1 when a cosine is below .995.
 */
import { readFileSync } from 'node:fs';
import { CAPACITY, DIMENSIONS, loadEncoder } from '../../src/search/embed/encoder.ts';
import { MODEL_DIRECTORY, readModelFile } from '../../src/search/embed/model-files.ts';
import { encodeText } from '../../src/search/embed/tokens.ts';
import { readVocabulary } from '../../src/search/embed/vocabulary.ts';

const LEAST_COSINE = 0.995;

const [reference] = process.argv.slice(2);
if (reference === undefined) throw new Error('usage: npm run model -- compare REFERENCE');
const lines: { text: string; ids: number[] }[] = readFileSync(`${reference}.jsonl`, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
const vectors = new Float32Array(new Uint8Array(readFileSync(`${reference}.f32`)).buffer);
const vocabulary = readVocabulary(readModelFile(MODEL_DIRECTORY, 'vocabulary'));
const encoder = await loadEncoder({ directory: MODEL_DIRECTORY, wholeTable: true });

let differing = 0;
const cosines = lines.map(({ text, ids }, at) => {
  const ours = encodeText(text, vocabulary, Number.POSITIVE_INFINITY);
  if (ours.join() !== ids.join()) {
    differing++;
    console.log(`other tokens: ${JSON.stringify(text.slice(0, 100))}`);
    const place = ids.findIndex((id, index) => id !== ours[index]);
    console.log(`  at ${place}: ${ids.slice(place, place + 5)} | ${ours.slice(place, place + 5)}`);
  }
  const [encoded] = encoder.encode([encodeText(text, vocabulary, CAPACITY)]);
  return encoded?.vector.reduce((sum, value, k) => sum + value * (vectors[at * DIMENSIONS + k] ?? 0), 0) ?? 0;
});
const least = Math.min(...cosines);
const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
console.log(
  `${lines.length} texts: ${differing} with other tokens; cosine mean ${mean.toFixed(5)}, least ${least.toFixed(5)}`,
);
console.log(`least: ${JSON.stringify(lines[cosines.indexOf(least)]?.text.slice(0, 100))}`);
if (!(least >= LEAST_COSINE)) process.exitCode = 1;
