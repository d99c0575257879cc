import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { replaceFile } from '../files/replace-file.ts';
import { readMemory } from '../memory/read-toml.ts';
import type { MemoryDirectory, RecordKey } from '../memory/record.ts';
import { settleFields, type ThreeFiles } from '../sync/merge-files.ts';
import { type MergedLines, mergeByLines } from './line-merge.ts';

/** Paths as a merge driver of git gets them. */
export interface MergeFileRequest {
  readonly base: string;
  /** Receives the result. */
  readonly ours: string;
  readonly theirs: string;
  /** Where the memory lies in its repository; for messages, and for the type of a file that does not say it. */
  readonly path: string;
  /** Number of characters of a conflict mark. */
  readonly markerSize: number;
}

export interface MergeFileResult {
  /** With `conflict` the file has marks, or cannot be read as a memory, and a person has to finish it. */
  readonly result: 'clean' | 'conflict';
  /** `fields`: merged as a memory; `lines`: as any text, because it could not be. */
  readonly mergedBy: 'fields' | 'lines';
  /** Why it was merged by lines; null otherwise. */
  readonly reason: string | null;
  /** Fields that both sides changed to something else: marked in the file. */
  readonly clashes: readonly RecordKey[];
  /** Fields that both sides changed to something else, of which one value stays by rule. */
  readonly decided: readonly RecordKey[];
}

/**
 * Merges three versions of a memory file into `ours` (SY-46): fields as a sync merges them, everything else line by line. A
 * file that is no memory is merged by lines as a whole. `ours` gets its new content all or nothing.
 *
 * @throws EngramError `usage` for a file that is not there, `file.unreadable`, `file.write`, `disk.full`, `git.failed`; `ours` is as it was then
 */
export function mergeFile(request: MergeFileRequest): MergeFileResult {
  const files = {
    base: read('base', request.base),
    ours: read('ours', request.ours),
    theirs: read('theirs', request.theirs),
  };
  const { merged, ...result } = merge(files, directoryOfFile(request.path), request.markerSize);
  if (Buffer.compare(merged, files.ours) !== 0) replaceFile(request.ours, merged);
  return result;
}

function merge(
  files: ThreeFiles,
  directory: MemoryDirectory,
  markerSize: number,
): MergeFileResult & { readonly merged: Uint8Array } {
  const settled = settleFields(files, directory);
  if (settled.kind === 'not-memories') return byLines(files, directory, markerSize, settled.reason);
  const lines = mergeByLines(settled.files, markerSize);
  const merged = settled.toFile(lines.file);
  if (lines.isClean && !settled.isTrueTo(merged)) {
    // Lines alone would not say what was merged, marked or not: a person has to look.
    return {
      ...byLines(files, directory, markerSize, 'both sides added the same key, at different places'),
      result: 'conflict',
    };
  }
  const { clashes, decided } = settled;
  return { merged, result: resultOf(lines), mergedBy: 'fields', reason: null, clashes, decided };
}

function byLines(files: ThreeFiles, directory: MemoryDirectory, markerSize: number, reason: string) {
  const lines = mergeByLines(files, markerSize);
  // A memory that lines alone would turn into something else is for a person, though no line is marked.
  const isBroken = lines.isClean && isMemory(files.ours, directory) && !isMemory(lines.file, directory);
  const result = isBroken ? ('conflict' as const) : resultOf(lines);
  return { merged: lines.file, result, mergedBy: 'lines' as const, reason, clashes: [], decided: [] };
}

function resultOf({ isClean }: MergedLines): 'clean' | 'conflict' {
  return isClean ? 'clean' : 'conflict';
}

function isMemory(bytes: Uint8Array, directory: MemoryDirectory): boolean {
  return readMemory(bytes, directory).kind === 'ok';
}

function directoryOfFile(path: string): MemoryDirectory {
  return basename(dirname(path)) === 'facts' ? 'facts' : 'feedback';
}

function read(role: keyof ThreeFiles, path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = systemErrorCode(error) ?? 'failed';
    const problem = NO_FILE[code];
    const subject = `${role.toUpperCase()}: ${path}`;
    throw problem === undefined
      ? new EngramError('file.unreadable', `${subject} cannot be read (${code})`, { cause: error })
      : new EngramError('usage', `${subject} ${problem}`, { cause: error });
  }
}

/** What was given is not what a merge needs. */
const NO_FILE: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; an empty file stands for nothing',
  ENOTDIR: 'does not exist; an empty file stands for nothing',
  EISDIR: 'is a directory; a file is needed',
};
