import { join } from 'node:path';
import type { NotImported } from '../sync/not-imported.ts';

/** One line: what lies there, and how it gets in (MF-49). Every older layout is read where new memories lie. */
export function notImportedText({ directory, files }: NotImported, root: string): string {
  const what = files === 1 ? '1 older memory in' : `${files} older memories in`;
  const where = join(root, 'memory');
  return `${what} ${directory}: not imported; copy what you want to keep into ${where}/feedback or ${where}/facts`;
}
