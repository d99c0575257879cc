import { join } from 'node:path';
import { lookUp } from '../files/memory-directory.ts';
import type { StatSignature } from '../files/signature.ts';
import type { MemoryDirectory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { QuarantineRow } from '../store/quarantine.ts';
import { type SignatureColumns, timeUnits } from '../store/signatures.ts';
import { type MemoryPath, nameOfFile } from './context.ts';
import type { Steps } from './steps.ts';

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
  readonly bases: KnownBases;
  readonly sights: ReadonlyMap<MemoryPath, QuarantineRow>;
  readonly verify: boolean;
}

/** The signatures of the bases, and where each path stands in them. */
export interface KnownBases {
  readonly columns: SignatureColumns;
  placeOf(path: MemoryPath): number | undefined;
  /** 1 at the places of files that were listed; the others are missing. */
  readonly listed: Uint8Array;
  /** The name of the memory at a place. */
  nameAt(place: number): MemoryName;
}

/** Files that are looked at between two moments at which the look may be put aside; about a millisecond. */
const FILES_A_STEP = 200;

interface FilesSeen {
  readonly candidates: Candidate[];
  readonly unknown: MemoryName[];
  readonly stillQuarantined: QuarantineRow[];
  /** Based files whose inode and size are those of the base. */
  readonly sameInode: number;
  readonly based: number;
}

/** Stats every listed file and tells which have to be read. Marks them as listed. */
export function* lookAtFiles(
  absolute: string,
  directory: MemoryDirectory,
  files: readonly string[],
  { bases, sights, verify }: Known,
): Steps<FilesSeen> {
  const candidates: Candidate[] = [];
  const unknown: MemoryName[] = [];
  const stillQuarantined: QuarantineRow[] = [];
  let sameInode = 0;
  let based = 0;
  for (const [at, file] of files.entries()) {
    if (at % FILES_A_STEP === FILES_A_STEP - 1) yield;
    const path = `${directory}/${file}`;
    const place = bases.placeOf(path);
    if (place !== undefined) bases.listed[place] = 1;
    const stat = lookUp(`${absolute}/${file}`);
    if (stat === 'absent') {
      // Gone between listing and look: not part of this batch (SY-29).
      if (place !== undefined) unknown.push(bases.nameAt(place));
      continue;
    }
    if (place !== undefined) based += 1;
    if (place !== undefined && stat !== 'failed') {
      const { inodes, sizes } = bases.columns;
      if (stat.ino === inodes[place] && stat.sizeBytes === sizes[place]) sameInode += 1;
      if (!verify && isUnchanged(bases.columns, place, stat)) continue;
    }
    const sight = sights.get(path);
    if (sight !== undefined && stat !== 'failed' && isSameSight(sight, stat)) {
      stillQuarantined.push(sight);
      continue;
    }
    const name = nameOfFile(directory, file);
    if (name !== null) {
      candidates.push({ name, path, signature: stat === 'failed' ? null : stat, hasBase: place !== undefined });
    }
  }
  return { candidates, unknown, stillQuarantined, sameInode, based };
}

/** A name that a listing left out may still exist: each is looked up by itself (SY-29). */
export function lookForMissing(absolute: string, bases: KnownBases, places: readonly number[], verify: boolean) {
  const missing: MissingFile[] = [];
  const unknown: MemoryName[] = [];
  const present: Candidate[] = [];
  for (const place of places) {
    const path = bases.columns.paths[place] ?? '';
    const name = bases.nameAt(place);
    const stat = lookUp(join(absolute, path.slice(path.indexOf('/') + 1)));
    if (stat === 'absent') missing.push({ name, path });
    else if (stat === 'failed') unknown.push(name);
    else if (verify || !isUnchanged(bases.columns, place, stat))
      present.push({ name, path, signature: stat, hasBase: true });
  }
  return { missing, unknown, present };
}

function isUnchanged(columns: SignatureColumns, place: number, stat: StatSignature): boolean {
  return (
    stat.sizeBytes === columns.sizes[place] &&
    stat.ino === columns.inodes[place] &&
    timeUnits(stat.mtimeMs) === columns.mtimes[place] &&
    timeUnits(stat.ctimeMs) === columns.ctimes[place] &&
    !isRacy(stat, columns.readAtMs[place] ?? stat.ctimeMs)
  );
}

/** A change within the clock's grain of the last read leaves size and times as they were. */
export function isRacy(signature: Pick<StatSignature, 'ctimeMs'>, readAtMs: number): boolean {
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
