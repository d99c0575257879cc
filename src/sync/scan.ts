import { join } from 'node:path';
import { directoryIdentity, listDirectory, lookUp, nameClashes, selectNames } from '../files/memory-directory.ts';
import { type StatSignature, sameSignature } from '../files/signature.ts';
import { MEMORY_DIRECTORIES, type MemoryDirectory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { listSignatures, type SignatureTuple } from '../store/bases.ts';
import { getMeta } from '../store/meta.ts';
import { listFileSights, type QuarantineRow } from '../store/quarantine.ts';
import { type MemoryPath, nameOfFile, type SyncContext } from './context.ts';

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

/** A file that is refused for its name alone. */
export interface RefusedFile {
  readonly path: MemoryPath;
  readonly reason: 'name' | 'conflict-copy' | 'name-clash';
  readonly message: string;
}

export interface DirectorySight {
  readonly state: 'listed' | 'missing' | 'unreadable';
  /** System error code when unreadable. */
  readonly code: string | null;
  readonly identity: string | null;
  /** Nothing based is missing by accident: the recorded directory, or half of its based files still in place (SY-28). */
  readonly intact: boolean;
  readonly fileCount: number;
}

/** What one look at the directories saw, compared by stat with what the bases say. */
export interface Scan {
  readonly atMs: number;
  readonly candidates: readonly Candidate[];
  readonly missing: readonly MissingFile[];
  /** Based memories whose file could not be looked at; never an absence (SY-29). */
  readonly unknown: readonly MemoryName[];
  readonly refused: readonly RefusedFile[];
  /** Files that were quarantined before and have not changed since (SY-42). */
  readonly stillQuarantined: readonly QuarantineRow[];
  /** Quarantined or half-written files that are no longer there. */
  readonly vanishedSights: readonly QuarantineRow[];
  readonly directories: Readonly<Record<MemoryDirectory, DirectorySight>>;
}

/** A stat signature taken within this time of the file's own times may hide a later change (SY-53). */
export const RACY_MS = 2000;

/**
 * Lists both directories and stats every memory file; reads none. A file counts as unchanged when its signature is that
 * of its base and proves something.
 *
 * @param options.verify - treat every file as a candidate, whatever its signature says (SY-70)
 */
export function scanFiles(context: SyncContext, options: { readonly verify?: boolean } = {}): Scan {
  const atMs = context.clock();
  const known = new Map<MemoryPath, SignatureTuple>();
  for (const tuple of listSignatures(context.store.db)) known.set(tuple[0], tuple);
  const sights = new Map(listFileSights(context.store.db).map((row) => [row.path, row]));
  const found = MEMORY_DIRECTORIES.map((directory) =>
    scanDirectory(context, directory, { known, sights, verify: options.verify === true }),
  );
  const [feedback, facts] = found;
  if (feedback === undefined || facts === undefined) throw new Error('two directories were scanned');
  return {
    atMs,
    vanishedSights: found.flatMap((part) => part.vanishedSights),
    candidates: found.flatMap((part) => part.candidates),
    missing: found.flatMap((part) => part.missing),
    unknown: found.flatMap((part) => part.unknown),
    refused: found.flatMap((part) => part.refused),
    stillQuarantined: found.flatMap((part) => part.stillQuarantined),
    directories: { feedback: feedback.sight, facts: facts.sight },
  };
}

interface Known {
  /** Bases by path; what is left after the listing is missing. */
  readonly known: Map<MemoryPath, SignatureTuple>;
  readonly sights: ReadonlyMap<MemoryPath, QuarantineRow>;
  readonly verify: boolean;
}

interface DirectoryScan extends Omit<Scan, 'atMs' | 'directories'> {
  readonly sight: DirectorySight;
}

function scanDirectory(context: SyncContext, directory: MemoryDirectory, known: Known): DirectoryScan {
  const absolute = context.paths[directory];
  const listing = listDirectory(absolute);
  if (listing.kind !== 'complete') {
    const lost = basesBelow(known.known, directory);
    const sight = {
      code: listing.kind === 'unreadable' ? listing.code : null,
      identity: null,
      intact: false,
      fileCount: 0,
    };
    const isMissing = listing.kind === 'missing';
    return {
      candidates: [],
      missing: isMissing ? lost.map((base) => ({ name: base[6], path: base[0] })) : [],
      unknown: isMissing ? [] : lost.map((base) => base[6]),
      refused: [],
      stillQuarantined: [],
      vanishedSights: [],
      sight: { state: isMissing ? 'missing' : 'unreadable', ...sight },
    };
  }
  const selected = selectNames(listing.names);
  const files = withoutClashes(selected.files, directory, known.known);
  const looked = lookAtFiles(absolute, directory, files.kept, known);
  const rest = lookForMissing(absolute, basesBelow(known.known, directory));
  const identity = directoryIdentity(absolute);
  return {
    candidates: [...looked.candidates, ...rest.present],
    missing: rest.missing,
    unknown: [...looked.unknown, ...rest.unknown],
    refused: [
      ...selected.quarantined.map((file) => ({ ...file, path: `${directory}/${file.name}` })),
      ...files.clashing.map((name) => clash(directory, name)),
    ],
    stillQuarantined: looked.stillQuarantined,
    vanishedSights: vanishedSights(known.sights, directory, listing.names),
    sight: {
      state: 'listed',
      code: null,
      identity,
      intact:
        rest.missing.length === 0 || isIntact(context, directory, identity, looked.sameInode, rest.missing.length),
      fileCount: files.kept.length,
    },
  };
}

function lookAtFiles(
  absolute: string,
  directory: MemoryDirectory,
  files: readonly string[],
  { known, sights, verify }: Known,
) {
  const candidates: Candidate[] = [];
  const unknown: MemoryName[] = [];
  const stillQuarantined: QuarantineRow[] = [];
  let sameInode = 0;
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
  return { candidates, unknown, stillQuarantined, sameInode };
}

/** A name that a listing left out may still exist: each is looked up by itself (SY-29). */
function lookForMissing(absolute: string, bases: readonly SignatureTuple[]) {
  const missing: MissingFile[] = [];
  const unknown: MemoryName[] = [];
  const present: Candidate[] = [];
  for (const base of bases) {
    const [path, , , , , , name] = base;
    const stat = lookUp(join(absolute, path.slice(path.indexOf('/') + 1)));
    if (stat === 'absent') missing.push({ name, path });
    else if (stat === 'failed') unknown.push(name);
    else if (!isUnchanged(base, stat)) present.push({ name, path, signature: stat, hasBase: true });
  }
  return { missing, unknown, present };
}

function isUnchanged(base: SignatureTuple, stat: StatSignature): boolean {
  const [, sizeBytes, mtimeMs, ctimeMs, ino, readAtMs] = base;
  return sameSignature(stat, { sizeBytes, mtimeMs, ctimeMs, ino }) && !isRacy(stat, readAtMs);
}

/** A change within the clock's grain of the last read leaves size and times as they were. */
export function isRacy(signature: StatSignature, readAtMs: number): boolean {
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

function vanishedSights(
  sights: Known['sights'],
  directory: MemoryDirectory,
  names: readonly string[],
): QuarantineRow[] {
  const below = [...sights.values()].filter((row) => row.path.startsWith(`${directory}/`));
  if (below.length === 0) return [];
  const present = new Set(names);
  return below.filter((row) => !present.has(row.path.slice(directory.length + 1)));
}

function basesBelow(known: ReadonlyMap<MemoryPath, SignatureTuple>, directory: MemoryDirectory): SignatureTuple[] {
  return [...known.values()].filter(([path]) => path.startsWith(`${directory}/`));
}

function withoutClashes(
  files: readonly string[],
  directory: MemoryDirectory,
  known: ReadonlyMap<MemoryPath, SignatureTuple>,
) {
  const clashing = nameClashes(files, (file) => known.has(`${directory}/${file}`));
  const refused = new Set(clashing);
  return { kept: clashing.length === 0 ? files : files.filter((file) => !refused.has(file)), clashing };
}

function clash(directory: MemoryDirectory, file: string): RefusedFile {
  return {
    path: `${directory}/${file}`,
    reason: 'name-clash',
    message: 'another file has the same name but for case or Unicode form; rename one of the two',
  };
}

function isIntact(
  context: SyncContext,
  directory: MemoryDirectory,
  identity: string | null,
  inPlace: number,
  missing: number,
): boolean {
  return getMeta(context.store.db, `directory:${directory}`) === identity || inPlace >= missing;
}
