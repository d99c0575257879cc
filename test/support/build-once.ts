import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests drive the built CLI; it is built once before they start. */
export default function buildOnce(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url)), '--code-only'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
