import { join } from 'node:path';
import { inspectLock } from '../files/lock-state.ts';
import { listDirectory } from '../files/memory-directory.ts';
import { foreignWriteMode } from '../files/permissions.ts';
import { listAbandonedTemps } from '../files/temp-files.ts';
import { MEMORY_DIRECTORIES } from '../memory/record.ts';
import type { SyncContext } from './context.ts';
import type { CheckFinding } from './finding.ts';
import { scanFiles } from './scan.ts';

/** Temp files younger than this may belong to a write under way (MF-9). */
export const LITTER_AGE_MS = 60_000;

/** Locks and temp files of processes that are no more. The subject is the path below `memory/`. */
export function checkLitter(context: SyncContext): CheckFinding[] {
  const now = context.clock();
  return MEMORY_DIRECTORIES.flatMap((directory): CheckFinding[] => [
    ...staleLocks(context, directory, now),
    ...listAbandonedTemps(context.paths[directory], { minimumAgeMs: LITTER_AGE_MS }, now).map(
      (name): CheckFinding => ({
        kind: 'temp-file',
        subject: `${directory}/${name}`,
        message: 'left by a process that died while it wrote',
        remedy: 'repair',
      }),
    ),
  ]);
}

function staleLocks(context: SyncContext, directory: 'feedback' | 'facts', nowMs: number): CheckFinding[] {
  return namesIn(context.paths[directory])
    .filter((name) => name.endsWith('.lock'))
    .flatMap((name): CheckFinding[] => {
      const { stale, pid, kind } = inspectLock(join(context.paths[directory], name), nowMs);
      if (!stale) return [];
      const holder = pid === null ? `${kind}, nobody's` : `process ${pid} does not hold it`;
      const message = `a stale lock (${holder})`;
      return [{ kind: 'stale-lock', subject: `${directory}/${name}`, message, remedy: 'repair' }];
    });
}

/** What others than the owner may write: whoever can, decides what an agent is told. */
export function checkModes({ paths }: SyncContext): CheckFinding[] {
  const files = MEMORY_DIRECTORIES.flatMap((directory) =>
    namesIn(paths[directory])
      .filter((name) => name.endsWith('.toml'))
      .map((name) => join(paths[directory], name)),
  );
  const backups = namesIn(paths.backups).map((name) => join(paths.backups, name));
  const own = [paths.root, paths.memory, paths.feedback, paths.facts, paths.database, paths.backups];
  return [...own, ...backups, ...files].flatMap((path): CheckFinding[] => {
    const mode = foreignWriteMode(path);
    if (mode === null) return [];
    const message = `others may write it (mode ${mode}); run: chmod go-w '${path}'`;
    return [{ kind: 'mode', subject: path, message, remedy: 'person' }];
  });
}

/** Files that have the same name but for case or Unicode form (MF-4). */
export function checkNames(context: SyncContext): CheckFinding[] {
  return scanFiles(context).refused.flatMap(({ path, reason, message }): CheckFinding[] =>
    reason === 'name-clash' ? [{ kind: 'name-clash', subject: path, message, remedy: 'person' }] : [],
  );
}

function namesIn(directory: string): readonly string[] {
  const listing = listDirectory(directory);
  return listing.kind === 'complete' ? listing.names : [];
}
