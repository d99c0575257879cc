import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Memory files of a layout that is never loaded live (MF-49). */
export interface OlderFiles {
  /** Absolute path. */
  readonly directory: string;
  /** Paths below it. */
  readonly files: readonly string[];
}

/**
 * Looks where older versions kept memories: `<root>/memories`, and `~/.claude/engram/data` with everything below it. Reads
 * names alone. A directory that is not there, or cannot be listed, holds nothing for anybody.
 *
 * @param root - absolute path of the data root
 */
export function listOlderFiles(root: string, home: string = homedir()): OlderFiles[] {
  return [
    { directory: join(root, 'memories'), recursive: false },
    { directory: join(home, '.claude/engram/data'), recursive: true },
  ].flatMap(({ directory, recursive }) => {
    const files = entriesOf(directory, recursive).filter((path) => /(?:^|\/)[^/.][^/]*\.toml$/.test(path));
    return files.length === 0 ? [] : [{ directory, files: files.sort() }];
  });
}

function entriesOf(directory: string, recursive: boolean): string[] {
  try {
    return readdirSync(directory, { recursive, encoding: 'utf8' });
  } catch {
    return [];
  }
}
