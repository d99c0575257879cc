import {
  closeSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';

/**
 * The calls through which engram changes directories and files, as a seam: tests let one of them fail. Reading goes
 * to `node:fs` directly. Failures are thrown as Node's system errors.
 */
export interface FileSystem {
  /** `wx` creates exclusively for writing; `a+` appends and reads; `r` opens a directory for `fsyncSync`. */
  openSync(path: string, flags: 'wx' | 'a+' | 'r', mode?: number): number;
  writeSync(descriptor: number, bytes: Uint8Array, offset: number, length: number): number;
  fchmodSync(descriptor: number, mode: number): void;
  fsyncSync(descriptor: number): void;
  ftruncateSync(descriptor: number, sizeBytes: number): void;
  closeSync(descriptor: number): void;
  renameSync(from: string, to: string): void;
  linkSync(existing: string, created: string): void;
  unlinkSync(path: string): void;
  mkdirSync(path: string, options: { readonly mode: number; readonly recursive: boolean }): void;
  rmdirSync(path: string): void;
}

export const realFileSystem: FileSystem = {
  openSync,
  writeSync: (descriptor, bytes, offset, length) => writeSync(descriptor, bytes, offset, length),
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  closeSync,
  renameSync,
  linkSync,
  unlinkSync,
  mkdirSync: (path, options) => {
    mkdirSync(path, options);
  },
  rmdirSync,
};

const NO_HARD_LINKS: ReadonlySet<string | null> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Whether this code of a failed `link` of our own new file means that the file system has no hard links (MF-8, MF-35). */
export function meansNoHardLinks(code: string | null): boolean {
  return NO_HARD_LINKS.has(code);
}
