import { join } from 'node:path';
import { lookUp } from '../files/memory-directory.ts';
import { type StatSignature, sameSignature } from '../files/signature.ts';
import type { MemoryDirectory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SignatureTuple } from '../store/bases.ts';
import type { QuarantineRow } from '../store/quarantine.ts';
import { type MemoryPath, nameOfFile } from './context.ts';

/** A file whose content has to be read: new, changed, or too young for its stat signature to prove anything. */
export interface Candidate {
  readonly name: MemoryName;
  readonly path: MemoryPath;
  readonly signature: StatSignature | null;
  readonly hasBase: boolean;
}

/** A based file that the listing does not have and `lstat` does not find. */
export interface MissingFile {
  readonly name: MemoryName;
  readonly path: MemoryPath;
}

/** A stat signature taken within this time of the file's own times may hide a later change (SY-53). */
const RACY_MS = 2000;

/** What the database says of the files, by path. */
export interface Known {
  /** Bases by path; what is left after the listing is missing. */
  readonly known: Map<MemoryPath, SignatureTuple>;
  readonly sights: ReadonlyMap<MemoryPath, QuarantineRow>;
  readonly verify: boolean;
}

/** Stats every listed file and tells which have to be read. Takes them out of `known`. */
export function lookAtFiles(
  absolute: string,
  directory: MemoryDirectory,
  files: readonly string[],
  { known, sights, verify }: Known,
) {
  const candidates: Candidate[] = [];
  const unknown: MemoryName[] = [];
  const stillQuarantined: QuarantineRow[] = [];
  let sameInode = 0;
  let based = 0;
  for (const file of files) {
    const path = `${directory}/${file}`;
    const base = known.get(path);
    known.delete(path);
    const stat = lookUp(`${absolute}/${file}`);
    if (stat === 'absent') {
      // Gone between listing and look: not part of this batch (SY-29).
      if (base !== undefined) unknown.push(base[6]);
      continue;
    }
    if (base !== undefined) based += 1;
    if (base !== undefined && stat !== 'failed') {
      if (stat.ino === base[4] && stat.sizeBytes === base[1]) sameInode += 1;
      if (!verify && isUnchanged(base, stat)) continue;
    }
    const sight = sights.get(path);
    if (sight !== undefined && stat !== 'failed' && isSameSight(sight, stat)) {
      stillQuarantined.push(sight);
      continue;
    }
    const name = nameOfFile(directory, file);
    if (name !== null) {
      candidates.push({ name, path, signature: stat === 'failed' ? null : stat, hasBase: base !== undefined });
    }
  }
  return { candidates, unknown, stillQuarantined, sameInode, based };
}

/** A name that a listing left out may still exist: each is looked up by itself (SY-29). */
export function lookForMissing(absolute: string, bases: readonly SignatureTuple[], verify: boolean) {
  const missing: MissingFile[] = [];
  const unknown: MemoryName[] = [];
  const present: Candidate[] = [];
  for (const base of bases) {
    const [path, , , , , , name] = base;
    const stat = lookUp(join(absolute, path.slice(path.indexOf('/') + 1)));
    if (stat === 'absent') missing.push({ name, path });
    else if (stat === 'failed') unknown.push(name);
    else if (verify || !isUnchanged(base, stat)) present.push({ name, path, signature: stat, hasBase: true });
  }
  return { missing, unknown, present };
}

function isUnchanged(base: SignatureTuple, stat: StatSignature): boolean {
  const [, sizeBytes, mtimeMs, ctimeMs, ino, readAtMs] = base;
  return sameSignature(stat, { sizeBytes, mtimeMs, ctimeMs, ino }) && !isRacy(stat, readAtMs);
}

/** A change within the clock's grain of the last read leaves size and times as they were. */
function isRacy(signature: StatSignature, readAtMs: number): boolean {
  return signature.ctimeMs > readAtMs - RACY_MS && signature.ctimeMs <= readAtMs + RACY_MS;
}

function isSameSight(row: QuarantineRow, stat: StatSignature): boolean {
  return (
    row.reason !== 'in-progress' &&
    row.size_bytes === stat.sizeBytes &&
    row.mtime_ms === stat.mtimeMs &&
    row.ctime_ms === stat.ctimeMs &&
    row.ino === stat.ino &&
    !isRacy(stat, row.seen_ms)
  );
}

/** Quarantined files that a listing no longer has. */
export function vanishedSights(
  sights: Known['sights'],
  directory: MemoryDirectory,
  names: readonly string[],
): QuarantineRow[] {
  const below = [...sights.values()].filter((row) => row.path.startsWith(`${directory}/`));
  if (below.length === 0) return [];
  const present = new Set(names);
  return below.filter((row) => !present.has(row.path.slice(directory.length + 1)));
}
