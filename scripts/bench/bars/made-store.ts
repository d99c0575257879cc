import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSource } from '../synthetic.mjs';
import { sleep } from './timing.ts';

/** A directory for the length of a benchmark; it is removed on Ctrl-C too. */
export function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'engram-bench-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  const interrupted = () => {
    remove();
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  return {
    path,
    [Symbol.dispose]: () => {
      process.removeListener('SIGINT', interrupted);
      process.removeListener('SIGTERM', interrupted);
      remove();
    },
  };
}

/**
 * Writes `count` memory files below `root`, and waits until they are old enough for their stat signatures to prove
 * something (SY-53). Returns their absolute paths.
 */
export async function makeStore(
  root: string,
  count: number,
  options: { readonly zipf?: boolean } = {},
): Promise<string[]> {
  const source = createSource({ seed: 1, ...options });
  for (const directory of ['feedback', 'facts']) {
    mkdirSync(join(root, 'memory', directory), { recursive: true, mode: 0o700 });
  }
  for (let index = 0; index < count; index++) {
    const { directory, fileName, text } = source.memory(index);
    writeFileSync(join(root, 'memory', directory, fileName), text, { mode: 0o600 });
  }
  await sleep(2100);
  return memoryFiles(root);
}

export function memoryFiles(root: string): string[] {
  return ['feedback', 'facts'].flatMap((directory) => {
    const path = join(root, 'memory', directory);
    return readdirSync(path)
      .filter((name) => name.endsWith('.toml'))
      .map((name) => join(path, name));
  });
}

/** Removes the database, so that the next sync starts from the files alone. */
export function removeDatabase(root: string): void {
  for (const name of readdirSync(root)) {
    if (name !== 'memory') rmSync(join(root, name), { recursive: true, force: true });
  }
}

/** Progress for people; results alone go to stdout. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
