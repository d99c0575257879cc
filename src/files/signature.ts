import type { Stats } from 'node:fs';

/** What tells, without reading, that a file is the one read before. Doubles as Node gives them: only equality counts. */
export interface StatSignature {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

export function signatureOf(stats: Stats): StatSignature {
  return { sizeBytes: stats.size, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs, ino: stats.ino };
}

export function sameSignature(a: StatSignature, b: StatSignature): boolean {
  return a.sizeBytes === b.sizeBytes && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}
