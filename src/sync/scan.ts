import { directoryIdentity, listDirectory, nameClashes, selectNames } from '../files/memory-directory.ts';
import type { MemoryDirectory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { listSignatures, type SignatureTuple } from '../store/bases.ts';
import { getMeta } from '../store/meta.ts';
import { listFileSights, type QuarantineRow } from '../store/quarantine.ts';
import type { MemoryPath, SyncContext } from './context.ts';
import { type Candidate, type Known, lookAtFiles, lookForMissing, type MissingFile, vanishedSights } from './look.ts';

export type { Candidate, MissingFile } from './look.ts';

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
  /** Temp files of engram lie there: some process died, or is writing at this moment (MF-9). */
  readonly hasTemps: boolean;
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
  const before: Known = { known, sights, verify: options.verify === true };
  const feedback = scanDirectory(context, 'feedback', before);
  const facts = scanDirectory(context, 'facts', before);
  const found = [feedback, facts];
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

interface DirectoryScan extends Omit<Scan, 'atMs' | 'directories'> {
  readonly sight: DirectorySight;
}

function scanDirectory(context: SyncContext, directory: MemoryDirectory, known: Known): DirectoryScan {
  const absolute = context.paths[directory];
  const listing = (context.list ?? listDirectory)(absolute);
  if (listing.kind !== 'complete') {
    const lost = basesBelow(known.known, directory);
    const sight = {
      code: listing.kind === 'unreadable' ? listing.code : null,
      identity: null,
      intact: false,
      fileCount: 0,
      hasTemps: false,
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
  const rest = lookForMissing(absolute, basesBelow(known.known, directory), known.verify);
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
        rest.missing.length === 0 ||
        isRecorded(context, directory, identity) ||
        looked.sameInode * 2 >= looked.based + rest.missing.length + rest.present.length,
      fileCount: files.kept.length,
      hasTemps: listing.names.some((name) => name.startsWith('.engram-tmp-')),
    },
  };
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

function isRecorded(context: SyncContext, directory: MemoryDirectory, identity: string | null): boolean {
  return identity !== null && getMeta(context.store.db, `directory:${directory}`) === identity;
}
