/**
 * Converts the published float32 model to what the package ships:
 *
 *   npm run model -- convert MODEL_DIRECTORY [TARGET]
 *
 * MODEL_DIRECTORY holds `model.safetensors` and `vocab.txt`; TARGET is models/all-minilm-l6-v2 unless said. Writes
 * `weights.bin` and `vocabulary.bin` and prints their hashes, which belong into src/search/embed/model-files.ts.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_DIRECTORY } from '../../src/search/embed/model-files.ts';
import { embeddingRow, linearLayer } from './quantise.ts';
import { readTensors } from './safetensors.ts';
import { vocabularyFile } from './vocabulary-file.ts';

const SOURCE_SHA256 = '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db';
const LAYERS = 6;
const HIDDEN = 384;
const WINDOW = 256;

const [source, target = MODEL_DIRECTORY] = process.argv.slice(2);
if (source === undefined) throw new Error('usage: npm run model -- convert MODEL_DIRECTORY [TARGET]');

const file = readFileSync(join(source, 'model.safetensors'));
if (sha256(file) !== SOURCE_SHA256) throw new Error('model.safetensors is another model than all-MiniLM-L6-v2');
write('weights.bin', weightsFile(readTensors(file)));
const vocabulary = readFileSync(join(source, 'vocab.txt'), 'utf8').replace(/\n$/, '').split('\n');
write('vocabulary.bin', vocabularyFile(vocabulary));

/** Layers, the norm of the embeddings, positions, then the table of embeddings, of which a short-lived process reads a few rows. */
function weightsFile(tensors: ReadonlyMap<string, Float32Array>): Uint8Array {
  const layers = Array.from({ length: LAYERS }, (_, layer) => encoderLayer(tensors, `encoder.layer.${layer}`));
  const words = tensor(tensors, 'embeddings.word_embeddings.weight');
  const rows = Array.from({ length: words.length / HIDDEN }, (_, id) => embeddingRow(rowOf(words, id)));
  return Buffer.concat([...layers.flat(), norm(tensors, 'embeddings.LayerNorm'), positions(tensors), ...rows]);
}

function encoderLayer(tensors: ReadonlyMap<string, Float32Array>, name: string): Uint8Array[] {
  const stacked = (kind: string) =>
    joined(['query', 'key', 'value'].map((part) => tensor(tensors, `${name}.attention.self.${part}.${kind}`)));
  const dense = (part: string) =>
    linearLayer(tensor(tensors, `${name}.${part}.dense.weight`), tensor(tensors, `${name}.${part}.dense.bias`));
  return [
    linearLayer(stacked('weight'), stacked('bias')),
    dense('attention.output'),
    norm(tensors, `${name}.attention.output.LayerNorm`),
    dense('intermediate'),
    dense('output'),
    norm(tensors, `${name}.output.LayerNorm`),
  ];
}

function norm(tensors: ReadonlyMap<string, Float32Array>, name: string): Uint8Array {
  return bytesOf(joined([tensor(tensors, `${name}.weight`), tensor(tensors, `${name}.bias`)]));
}

/** Every token has token type 0, so its row is added once and for all. */
function positions(tensors: ReadonlyMap<string, Float32Array>): Uint8Array {
  const type = tensor(tensors, 'embeddings.token_type_embeddings.weight');
  const all = tensor(tensors, 'embeddings.position_embeddings.weight').subarray(0, WINDOW * HIDDEN);
  return bytesOf(all.map((value, at) => value + (type[at % HIDDEN] ?? 0)));
}

function tensor(tensors: ReadonlyMap<string, Float32Array>, name: string): Float32Array {
  const found = tensors.get(name);
  if (found === undefined) throw new Error(`model.safetensors has no ${name}`);
  return found;
}

function rowOf(matrix: Float32Array, row: number): Float32Array {
  return matrix.subarray(row * HIDDEN, (row + 1) * HIDDEN);
}

function joined(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function write(name: string, bytes: Uint8Array): void {
  writeFileSync(join(target, name), bytes);
  console.log(`${name}: ${bytes.length} bytes, sha256 ${sha256(bytes)}`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
