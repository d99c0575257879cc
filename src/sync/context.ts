import type { Clock } from '../clock.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { Listing, MemoryPaths } from '../files/memory-directory.ts';
import type { MemoryDirectory } from '../memory/record.ts';
import { directoryOf, isSlug, type MemoryName, memoryName, slugOf } from '../memory/slug.ts';
import type { Store } from '../store/open.ts';

/** What every part of sync works on: one store, its directories, the time, and who is asking. */
export interface SyncContext {
  readonly store: Store;
  readonly paths: MemoryPaths;
  readonly clock: Clock;
  readonly fs: FileSystem;
  /** Who writes, for the ledger: the decimal PID. */
  readonly owner: string;
  /** How the caller is named in reports, history and events: `cli` ... */
  readonly origin: string;
  /** False for a process that answers others meanwhile: a locked file is an error at once (MF-39). True when not given. */
  readonly waits?: boolean;
  /** Lists a directory; `listDirectory` when not given. The seam for listings that fail or leave names out (SY-29). */
  readonly list?: (directory: string) => Listing;
}

/** A path below `memory/`: `feedback/<file name>`, with the exact name on disk. */
export type MemoryPath = string;

/** The name of the memory in `fileName`, null where that is no memory name (SY-25). */
export function nameOfFile(directory: MemoryDirectory, fileName: string): MemoryName | null {
  const slug = fileName.slice(0, -'.toml'.length).normalize('NFC');
  return isSlug(slug) ? memoryName(directory, slug) : null;
}

/** Where a memory without a base lies, or is to be made. */
export function defaultPath(name: MemoryName): MemoryPath {
  return `${directoryOf(name)}/${slugOf(name)}.toml`;
}

/** The directory of a path below `memory/`. */
export function directoryOfPath(path: MemoryPath): MemoryDirectory {
  return path.startsWith('feedback/') ? 'feedback' : 'facts';
}
