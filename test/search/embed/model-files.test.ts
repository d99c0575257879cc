import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { embeddingRow, linearLayer, quantiseRow } from '../../../scripts/model/quantise.ts';
import { readTensors } from '../../../scripts/model/safetensors.ts';
import type { EngramError } from '../../../src/errors.ts';
import { openBuiltIn } from '../../../src/search/embed/built-in.ts';
import { openBulk } from '../../../src/search/embed/bulk.ts';
import { MODEL_DIRECTORY, MODEL_FILES, verifyModel } from '../../../src/search/embed/model-files.ts';
import { fixture } from './reference.ts';

const HIDDEN = 384;
const INNER = 1536;
const linearBytes = (outputs: number, inputs: number) => outputs * (inputs + 8);
const NORM = HIDDEN * 8;
const ATTENTION = linearBytes(3 * HIDDEN, HIDDEN) + linearBytes(HIDDEN, HIDDEN) + NORM;
const LAYER = ATTENTION + linearBytes(INNER, HIDDEN) + linearBytes(HIDDEN, INNER) + NORM;
const POSITIONS = 6 * LAYER + NORM;
const TABLE = POSITIONS + 256 * HIDDEN * 4;

test('SE-20: the model in the package is the one it was made with', () => {
  expect(() => verifyModel()).not.toThrow();
});

test('SE-20: the published weights of a few rows quantise to what the package holds', () => {
  const weights = new Uint8Array(readFileSync(join(MODEL_DIRECTORY, MODEL_FILES.weights.name)));
  const tensors = readTensors(new Uint8Array(readFileSync(fixture('excerpt.safetensors'))));
  const tensor = (name: string) => tensors.get(name) ?? new Float32Array();
  const expectLinear = (name: string, layer: number, first: number, outputs: number, inputs: number) => {
    const bytes = linearLayer(tensor(`${name}.weight`), tensor(`${name}.bias`));
    const scalesAt = layer + outputs * inputs;
    expect(weights.slice(layer + first * inputs, layer + (first + 2) * inputs)).toEqual(bytes.slice(0, 2 * inputs));
    expect(weights.slice(scalesAt + first * 4, scalesAt + first * 4 + 8)).toEqual(
      bytes.slice(2 * inputs, 2 * inputs + 8),
    );
    const biasesAt = scalesAt + outputs * 4;
    expect(weights.slice(biasesAt + first * 4, biasesAt + first * 4 + 8)).toEqual(bytes.slice(2 * inputs + 8));
  };
  expectLinear('encoder.layer.0.attention.self.query', 0, 0, 3 * HIDDEN, HIDDEN);
  const lastLinear = 5 * LAYER + ATTENTION + linearBytes(INNER, HIDDEN);
  expectLinear('encoder.layer.5.output.dense', lastLinear, 382, HIDDEN, INNER);

  const words = tensor('embeddings.word_embeddings.weight');
  expect(words.length).toBe(4 * HIDDEN);
  for (let row = 0; row < 4; row++) {
    const at = TABLE + (2000 + row) * (4 + HIDDEN);
    const expected = embeddingRow(words.subarray(row * HIDDEN, (row + 1) * HIDDEN));
    expect(weights.slice(at, at + 4 + HIDDEN)).toEqual(expected);
  }
  const type = tensor('embeddings.token_type_embeddings.weight');
  const position = tensor('embeddings.position_embeddings.weight').map((value, at) => value + (type[at] ?? 0));
  const at = POSITIONS + 255 * HIDDEN * 4;
  expect(weights.slice(at, at + HIDDEN * 4)).toEqual(new Uint8Array(position.buffer));
});

test('SE-20: a row is scaled so that it loses least', () => {
  const even = quantiseRow(Float32Array.from({ length: 384 }, (_, at) => (at % 2 === 0 ? 0.5 : -0.5)));
  expect(even.values.every((value) => Math.abs(value) === 127)).toBe(true);
  expect(even.scale).toBeCloseTo(0.5 / 127, 8);
  // One weight far out: it is clipped rather than all others rounded more coarsely.
  const row = Float32Array.from({ length: 384 }, (_, at) => (at === 7 ? 1 : Math.sin(at * 1.7) / 2));
  const { scale, values } = quantiseRow(row);
  const worst = Math.max(
    ...Array.from(row, (value, at) => (at === 7 ? 0 : Math.abs(value - (values[at] ?? 0) * scale))),
  );
  expect(worst).toBeLessThanOrEqual(scale / 2 + 1e-7);
  expect(values[7]).toBe(127);
  expect([...embeddingRow(new Float32Array(8))]).toEqual(new Array(12).fill(0));
});

test.each(['weights', 'vocabulary', 'directions'] as const)(
  'SE-20: without its %s the model says what is missing',
  async (file) => {
    const directory = copyOfModel();
    rmSync(join(directory, MODEL_FILES[file].name));
    const error = await failure(openBuiltIn(directory).embed(['a text'], 'query'));
    expect(error.code).toBe('model.missing');
    expect(error.message).toContain(MODEL_FILES[file].name);
    expect(error.hint).toContain('Install');
  },
);

test('SE-20: a model whose weights end early is damaged', async () => {
  const directory = copyOfModel();
  truncateSync(join(directory, MODEL_FILES.weights.name), 1_000_000);
  const error = await failure(openBuiltIn(directory).embed(['a text'], 'query'));
  expect(error.code).toBe('model.damaged');
  expect(error.message).toContain('1000000 bytes');
});

test('SE-20: one changed byte is found by the check, and no worker embeds with it', async () => {
  const directory = copyOfModel();
  const path = join(directory, MODEL_FILES.weights.name);
  const bytes = readFileSync(path);
  bytes[5_000_000] = (bytes[5_000_000] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  expect(() => verifyModel(directory)).toThrow(expect.objectContaining({ code: 'model.damaged' }));
  const bulk = openBulk(1, directory);
  onTestFinished(() => bulk.close());
  const error = await failure(bulk.embed(['a text'], 'document'));
  expect(error.code).toBe('model.damaged');
});

test('SE-20: what prepare could not load is told by the next embedding', async () => {
  const directory = copyOfModel();
  rmSync(join(directory, MODEL_FILES.weights.name));
  const embedder = openBuiltIn(directory);
  embedder.prepare();
  expect((await failure(embedder.embed(['a text'], 'query'))).code).toBe('model.missing');
});

function copyOfModel(): string {
  const directory = mkdtempSync(join(tmpdir(), 'engram-model-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const { name } of Object.values(MODEL_FILES)) copyFileSync(join(MODEL_DIRECTORY, name), join(directory, name));
  return directory;
}

async function failure(promise: Promise<unknown>): Promise<EngramError> {
  return promise.then(
    () => expect.unreachable('it did not fail'),
    (error: EngramError) => error,
  );
}
