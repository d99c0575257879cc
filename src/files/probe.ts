import { writeFileSync } from 'node:fs';
import { realFileSystem } from './file-system.ts';
import { newTempPath, removeTemp } from './temp-files.ts';

/** A file made only to see whether its making is noticed (SY-54). Null where none can be made. */
export function makeProbe(directory: string): { readonly path: string; remove(): void } | null {
  const path = newTempPath(directory);
  const remove = () => {
    removeTemp(path, realFileSystem);
  };
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return { path, remove };
  } catch {
    remove();
    return null;
  }
}
