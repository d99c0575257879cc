import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the reference implementations made of a text (`scripts/model/reference.py`). */
export interface ReferenceText {
  readonly text: string;
  readonly ids: readonly number[];
  readonly vector: Float32Array;
}

const DIMENSIONS = 384;

export function readReference(): ReferenceText[] {
  const vectors = new Float32Array(new Uint8Array(readFileSync(fixture('reference.f32'))).buffer);
  const lines = readFileSync(fixture('reference.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line, at) => ({
    ...JSON.parse(line),
    vector: vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS),
  }));
}

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/embed/${name}`, import.meta.url));
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);
}
