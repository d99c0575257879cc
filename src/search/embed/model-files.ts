import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngramError, systemErrorCode } from '../../errors.ts';

/** The files of the built-in model. `scripts/model/` writes them and prints their hashes. */
export const MODEL_FILES = {
  weights: {
    name: 'weights.bin',
    sizeBytes: 23_058_408,
    sha256: 'b7886625e1be790cbbd8fe5bb19343971602b3173a65e4bbf5310bbe8cbe2ac8',
  },
  vocabulary: {
    name: 'vocabulary.bin',
    sizeBytes: 454_150,
    sha256: '25d1708570e750caeb365af41bad6aa99a4a9bf7e28ae8d2c7c13f273403bd37',
  },
  directions: {
    name: 'directions.bin',
    sizeBytes: 37_632,
    sha256: '8fb1fcf88ee785586b284af7ad9d49427732ef261dbec0b3297563be1c44b3b4',
  },
  lowerCentre: {
    name: 'lower-centre.bin',
    sizeBytes: 1_536,
    sha256: '28a344ce0c649db83e2e711b3963282d0a48007005b522338aba1f3ef2a44da7',
  },
  tokenCounts: {
    name: 'token-counts.bin',
    sizeBytes: 61_048,
    sha256: 'd619058df719aef138d8b93e401b83d9f762c01747b31674a6d01fd86c987520',
  },
} as const satisfies Record<string, { readonly name: string; readonly sizeBytes: number; readonly sha256: string }>;

type ModelFile = keyof typeof MODEL_FILES;

/** Looked for once. */
let packageRoot: string | null = null;

/** Where the package keeps the built-in model, with a `/` at the end. */
export const MODEL_DIRECTORY = packagePath('models/all-minilm-l6-v2/');

/**
 * Opens a file of the model for reading and returns the descriptor. A file of another size is not read.
 *
 * @throws EngramError `model.missing`, `model.damaged`
 */
export function openModelFile(directory: string, file: ModelFile): number {
  const path = pathOf(directory, file);
  try {
    const actual = statSync(path).size;
    const { sizeBytes } = MODEL_FILES[file];
    if (actual !== sizeBytes) throw damaged(path, `it has ${actual} bytes instead of ${sizeBytes}`);
    return openSync(path, 'r');
  } catch (error) {
    throw asModelError(path, error);
  }
}

/** Fills `target` from `position` of an open file of the model. */
export function readModelPart(descriptor: number, target: Uint8Array, position: number): void {
  const length = readSync(descriptor, target, 0, target.length, position);
  if (length !== target.length) throw damaged('a file of the built-in model', 'it ends early');
}

/**
 * Reads a whole file of the model.
 *
 * @throws EngramError `model.missing`, `model.damaged`
 */
export function readModelFile(directory: string, file: ModelFile): Uint8Array<ArrayBuffer> {
  const descriptor = openModelFile(directory, file);
  try {
    const bytes = new Uint8Array(MODEL_FILES[file].sizeBytes);
    readModelPart(descriptor, bytes, 0);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Compares every byte of the model with what the package was made with; takes some 30 ms.
 *
 * @throws EngramError `model.missing`, `model.damaged`
 */
export function verifyModel(directory: string = MODEL_DIRECTORY): void {
  for (const file of ['weights', 'vocabulary', 'directions', 'lowerCentre', 'tokenCounts'] as const) {
    const bytes = readModelFile(directory, file);
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (hash !== MODEL_FILES[file].sha256) throw damaged(pathOf(directory, file), 'its content has changed');
  }
}

/**
 * Reads a program for WebAssembly that the build put into `dist/`.
 *
 * @throws EngramError `model.missing`
 */
export function readProgram(
  name: 'chat-blocks' | 'encoder' | 'late-interaction' | 'line-ends' | 'nearest',
): Uint8Array<ArrayBuffer> {
  const path = packagePath(`dist/${name}.wasm`);
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw asModelError(path, error);
  }
}

/** Absolute path of a file of the package, from wherever this code runs: `src`, a bundle in `dist`, or one of a benchmark. */
export function packagePath(path: string): string {
  packageRoot ??= findPackageRoot(dirname(fileURLToPath(import.meta.url)));
  return `${packageRoot}/${path}`;
}

/** The nearest directory from `here` upwards that is a package; `here` where none is. */
function findPackageRoot(here: string): string {
  for (let root = here; ; root = dirname(root)) {
    if (existsSync(`${root}/package.json`)) return root;
    if (root === dirname(root)) return here;
  }
}

/** The error of a program or file of the model that does not do what it should. */
export function damaged(subject: string, reason: string, cause?: unknown): EngramError {
  return new EngramError('model.damaged', `${subject} is damaged: ${reason}`, { hint: REINSTALL, cause });
}

function asModelError(path: string, error: unknown): EngramError {
  if (error instanceof EngramError) return error;
  const code = systemErrorCode(error);
  const reason = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? String(error)})`;
  return new EngramError('model.missing', `the built-in model is incomplete: ${path}: ${reason}`, {
    hint: REINSTALL,
    cause: error,
  });
}

function pathOf(directory: string, file: ModelFile): string {
  return `${directory.endsWith('/') ? directory : `${directory}/`}${MODEL_FILES[file].name}`;
}

const REINSTALL = 'Install the package again; until then memories are found by their words alone.';
