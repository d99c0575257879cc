import { lstatSync } from 'node:fs';

/** Permission bits with which others than the owner may write, or null: none, a link, or nothing there (SY-68). */
export function foreignWriteMode(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return null;
  return (stats.mode & 0o022) === 0 ? null : (stats.mode & 0o7777).toString(8).padStart(4, '0');
}
