import { statSync } from 'node:fs';

/** Whether a regular file lies at `path`, also behind a link; false where nobody can tell. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
