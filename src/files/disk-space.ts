import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Bytes that may still be written where `path` lies, or would lie: its nearest existing parent decides. Null where that
 * cannot be found out.
 */
export function freeBytes(path: string): number | null {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    const { bavail, bsize } = statfsSync(at);
    return bavail * bsize;
  } catch {
    return null;
  }
}
