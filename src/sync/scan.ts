import { directoryIdentity, listDirectory, nameClashes, selectNames } from '../files/memory-directory.ts';
import type { MemoryDirectory } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { getMeta } from '../store/meta.ts';
import { listFileSights, type QuarantineRow } from '../store/quarantine.ts';
import { findNameByPath, listSignatureColumns } from '../store/signatures.ts';
import type { MemoryPath, SyncContext } from './context.ts';
import {
  type Candidate,
  type Known,
  type KnownBases,
  lookAtFiles,
  lookForMissing,
  type MissingFile,
  vanishedSights,
} from './look.ts';
import { runThrough, type Steps } from './steps.ts';

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
  /** Names of temp files and locks: some process died, or is writing at this moment (MF-9). */
  readonly litter: readonly string[];
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
  return runThrough(scanSteps(context, options));
}

/** `scanFiles`, step by step. */
export function* scanSteps(context: SyncContext, options: { readonly verify?: boolean } = {}): Steps<Scan> {
  const atMs = context.clock();
  const sights = new Map(listFileSights(context.store.db).map((row) => [row.path, row]));
  const before: Known = { bases: knownBases(context), sights, verify: options.verify === true };
  const feedback = yield* scanDirectory(context, 'feedback', before);
  const facts = yield* scanDirectory(context, 'facts', before);
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

function* scanDirectory(context: SyncContext, directory: MemoryDirectory, known: Known): Steps<DirectoryScan> {
  const absolute = context.paths[directory];
  const listing = (context.list ?? listDirectory)(absolute);
  if (listing.kind !== 'complete') {
    const { bases } = known;
    const lost = missingPlaces(bases, directory).map((place) => ({
      name: bases.nameAt(place),
      path: bases.columns.paths[place] ?? '',
    }));
    const sight = {
      code: listing.kind === 'unreadable' ? listing.code : null,
      identity: null,
      intact: false,
      fileCount: 0,
      litter: [],
    };
    const isMissing = listing.kind === 'missing';
    return {
      candidates: [],
      missing: isMissing ? lost : [],
      unknown: isMissing ? [] : lost.map(({ name }) => name),
      refused: [],
      stillQuarantined: [],
      vanishedSights: [],
      sight: { state: isMissing ? 'missing' : 'unreadable', ...sight },
    };
  }
  const selected = selectNames(listing.names);
  const files = withoutClashes(selected.files, directory, known.bases);
  const looked = yield* lookAtFiles(absolute, directory, files.kept, known);
  const rest = lookForMissing(absolute, known.bases, missingPlaces(known.bases, directory), known.verify);
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
      litter: listing.names.filter((name) => name.endsWith('.lock') || name.startsWith('.engram-tmp-')),
    },
  };
}

export function knownBases({ store }: SyncContext): KnownBases {
  const columns = listSignatureColumns(store.db);
  const { paths } = columns;
  let next = 0;
  let places: ReadonlyMap<MemoryPath, number> | null = null;
  return {
    columns,
    placeOf: (path) => {
      // Listings have the order of the columns, so mostly the next path is the one asked for.
      if (paths[next] === path) return next++;
      places ??= new Map(paths.map((one, place) => [one, place]));
      const place = places.get(path);
      if (place !== undefined) next = place + 1;
      return place;
    },
    listed: new Uint8Array(paths.length),
    nameAt: (place) => {
      const path = paths[place] ?? '';
      // A base that another process has removed since: its memory had the name of its path.
      return findNameByPath(store.db, path) ?? (path.replace(/\.toml$/, '').normalize('NFC') as MemoryName);
    },
  };
}

/** Where the based files below a directory stand that no listing had. */
function missingPlaces({ columns, listed }: KnownBases, directory: MemoryDirectory): number[] {
  const places: number[] = [];
  for (let place = 0; place < listed.length; place += 1) {
    if (listed[place] === 0 && columns.paths[place]?.startsWith(`${directory}/`) === true) places.push(place);
  }
  return places;
}

function withoutClashes(files: readonly string[], directory: MemoryDirectory, { placeOf }: KnownBases) {
  const clashing = nameClashes(files, (file) => placeOf(`${directory}/${file}`) !== undefined);
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
