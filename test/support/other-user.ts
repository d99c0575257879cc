import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';

const NOBODY = 65534;

/** Runs `step` under permissions that root does not have: as user `nobody` when the tests run as root, else as it is. */
export function asOtherUser<T>(path: string, step: () => T): T {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return step();
  chmodSync(dirname(path), 0o755);
  process.seteuid(NOBODY);
  try {
    return step();
  } finally {
    process.seteuid(0);
  }
}
