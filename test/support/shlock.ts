import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Shlock =
  | { readonly kind: 'found'; readonly command: string; readonly libraries: string }
  | { readonly kind: 'unavailable'; readonly reason: string };

const CACHE = join(tmpdir(), `engram-test-shlock-${process.getuid?.() ?? 0}`);

/**
 * INN's `shlock`: installed, kept from an earlier run, or unpacked from Debian's package `inn2` without installing it,
 * since that would bring a mail server along.
 */
export function findShlock(): Shlock {
  const installed = ['/usr/lib/news/bin/shlock', '/usr/bin/shlock'].find((path) => existsSync(path));
  const shlock = unpacked();
  if (installed !== undefined) return checked(installed, '/usr/lib/news');
  if (existsSync(shlock)) return checked(shlock, join(CACHE, 'usr/lib/news'));
  try {
    unpackPackage();
  } catch (error) {
    return { kind: 'unavailable', reason: `inn2 cannot be downloaded: ${String(error).split('\n')[0]}` };
  }
  return checked(shlock, join(CACHE, 'usr/lib/news'));
}

function unpacked(): string {
  return join(CACHE, 'usr/lib/news/bin/shlock');
}

function unpackPackage(): void {
  const work = `${CACHE}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    const options = ['-o', 'Acquire::http::Timeout=10', '-o', 'Acquire::Retries=0'];
    const run = { cwd: work, stdio: 'pipe', timeout: 40_000 } as const;
    // The second package has the library that the program needs.
    execFileSync('apt-get', [...options, 'download', 'inn2', 'inn2-inews'], run);
    for (const name of readdirSync(work).filter((entry) => entry.endsWith('.deb'))) {
      execFileSync('dpkg', ['-x', name, 'tree'], run);
    }
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(join(work, 'tree'), CACHE);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Whether it runs here: it must make a lock. */
function checked(command: string, libraries: string): Shlock {
  const lock = join(tmpdir(), `engram-test-shlock-check-${process.pid}`);
  const result = spawnSync(command, ['-f', lock, '-p', String(process.pid)], {
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
    encoding: 'utf8',
  });
  const works = result.status === 0 && existsSync(lock);
  rmSync(lock, { force: true });
  if (works) return { kind: 'found', command, libraries };
  return { kind: 'unavailable', reason: `${command} does not run: ${result.stderr || result.error || result.status}` };
}
