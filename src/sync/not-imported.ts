import { listOlderFiles } from '../files/older-layout.ts';
import { isSlug, memoryName } from '../memory/slug.ts';
import { hasEverBeen } from '../store/archive.ts';
import type { SyncContext } from './context.ts';

/** Files of an older layout that no memory came from (MF-49). */
export interface NotImported {
  /** Absolute path. */
  readonly directory: string;
  readonly files: number;
}

/** A file counts as imported when there is, or was, a memory of its name: import keeps file names (MF-50). */
export function listNotImported({ store, paths }: SyncContext): NotImported[] {
  return listOlderFiles(paths.root).flatMap(({ directory, files }) => {
    const left = files.filter((path) => !isKnown(store.db, path));
    return left.length === 0 ? [] : [{ directory, files: left.length }];
  });
}

function isKnown(db: SyncContext['store']['db'], path: string): boolean {
  const slug = path.slice(path.lastIndexOf('/') + 1, -'.toml'.length).normalize('NFC');
  return isSlug(slug) && hasEverBeen(db, [memoryName('feedback', slug), memoryName('facts', slug)]);
}
