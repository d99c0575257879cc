import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

let directory: string | null = null;

/**
 * Bundles a script of the tests, with what it imports from `src`, for `node` to run as a process of its own.
 *
 * @param entry - URL of the `.ts` file
 * @returns path of a CommonJS file that lasts as long as this process
 */
export function bundleForChild(entry: URL): string {
  directory ??= newDirectory();
  const source = fileURLToPath(entry);
  const outfile = join(directory, `${basename(source, '.ts')}.cjs`);
  buildSync({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // What the sources find by their own place, the migrations and the native part of SQLite, lies in the project.
    define: { 'import.meta.url': JSON.stringify(entry.href) },
  });
  return outfile;
}

function newDirectory(): string {
  const made = mkdtempSync(join(tmpdir(), 'engram-child-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}
