import { join } from 'node:path';
import { gitOperationUnderWay } from '../files/git-tree.ts';
import { foldName, lookUp } from '../files/memory-directory.ts';
import { pause } from '../files/pause.ts';
import { directoryOfPath, type MemoryPath, type SyncContext } from './context.ts';
import type { Candidate, MissingFile, Scan } from './scan.ts';

/** What a second look says of files that the scan missed (SY-28). */
export interface MissingVerdict {
  /** Verified absent: may be archived, if the brake lets it. */
  readonly gone: readonly MissingFile[];
  /** Missing because the whole directory is another one, or none: held until a person decides (SY-32). */
  readonly lost: readonly (MissingFile & { readonly reason: 'directory-missing' | 'directory-replaced' })[];
  /** Nothing is concluded; the next scan looks again. */
  readonly undetermined: readonly (MissingFile & { readonly reason: string })[];
}

const SECOND_LOOK_MS = 500;

/**
 * Looks a second time, at least 500 ms after the scan, at every file that was missing there.
 *
 * @param options.patient - false: do not wait; what is missing for the first time stays undetermined
 * @param options.missedSinceMs - when earlier looks missed a file; one of half a second ago is the first look
 * @param options.acceptLost - a person accepts that the directory is another one
 */
export function judgeMissing(
  context: SyncContext,
  scan: Scan,
  options: {
    readonly patient: boolean;
    readonly acceptLost: boolean;
    readonly missedSinceMs: ReadonlyMap<string, number>;
  },
): MissingVerdict {
  const gone: MissingFile[] = [];
  const lost: (MissingFile & { reason: 'directory-missing' | 'directory-replaced' })[] = [];
  const undetermined: (MissingFile & { reason: string })[] = [];
  if (scan.missing.length === 0) return { gone, lost, undetermined };
  if (options.patient) pause(Math.max(0, SECOND_LOOK_MS - (context.clock() - scan.atMs)));
  const wasMissedBefore = ({ name }: MissingFile): boolean =>
    scan.atMs - (options.missedSinceMs.get(name) ?? scan.atMs) >= SECOND_LOOK_MS;
  const gitIsBusy = gitOperationUnderWay(context.paths.memory);
  const folded = new Set(scan.candidates.filter((file) => !file.hasBase).map((file) => foldName(file.path)));
  for (const file of scan.missing) {
    const directory = scan.directories[directoryOfPath(file.path)];
    const accidental =
      directory.state === 'missing' ? 'directory-missing' : directory.intact ? null : 'directory-replaced';
    if (gitIsBusy) undetermined.push({ ...file, reason: 'git-operation' });
    else if (accidental !== null && !options.acceptLost) lost.push({ ...file, reason: accidental });
    else if (!options.patient && !wasMissedBefore(file)) undetermined.push({ ...file, reason: 'not-verified' });
    else if (lookUp(join(context.paths.memory, file.path)) !== 'absent')
      undetermined.push({ ...file, reason: 'reappeared' });
    else if (folded.has(foldName(file.path))) undetermined.push({ ...file, reason: 'fold-equal-name' });
    else gone.push(file);
  }
  return { gone, lost, undetermined };
}

/** New files in a batch, with the hash of their bytes, for the search for renames (SY-21). */
export interface Appeared {
  readonly candidate: Candidate;
  readonly path: MemoryPath;
  readonly foldedPath: string;
  readonly bytesHash: string;
  readonly hasBase: boolean;
}
