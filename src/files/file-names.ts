import { isSlug } from '../memory/slug.ts';

export interface QuarantinedName {
  readonly name: string;
  readonly reason: 'name' | 'conflict-copy';
  readonly message: string;
}

export interface SelectedNames {
  /** File names of memories, as the directory gave them. */
  readonly files: readonly string[];
  readonly quarantined: readonly QuarantinedName[];
}

const SUFFIX = '.toml';
/** The names that engram itself gives: good as they are, and no two of them fold alike. Others get a closer look. */
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,190}\.toml$/;
// Syncthing; Dropbox and its relatives, which may put an owner first: "(Dana's conflicted copy 2026-04-02)".
const CONFLICT_COPY = /\.sync-conflict-|\([^()]*conflicted copy/;

/**
 * Which entries of `memory/feedback` or `memory/facts` are memory files (MF-2): `*.toml` without a leading dot. Looks at
 * names only: a directory or FIFO named `x.toml` is found out when it is read. Copies made by file synchronisers (MF-4)
 * and names that can be no memory name (SY-25) are quarantined.
 */
export function selectNames(names: readonly string[]): SelectedNames {
  const files: string[] = [];
  const quarantined: QuarantinedName[] = [];
  for (const name of names) {
    if (!name.endsWith(SUFFIX) || name.startsWith('.')) continue;
    const problem = PLAIN.test(name) ? null : nameProblem(name);
    if (problem === null) files.push(name);
    else quarantined.push(problem);
  }
  return { files, quarantined };
}

/** The file name that a synchroniser made this copy of (MF-4, SY-48). */
export function originalOfCopy(name: string): string {
  const slug = name.slice(0, -SUFFIX.length);
  return `${slug.replace(/\.sync-conflict-.*$/, '').replace(/\s*\([^()]*conflicted copy[^()]*\)/, '')}${SUFFIX}`;
}

/**
 * Names that a file system may take for the same: NFC, then case folding (MF-4). `ß` and `ss` are equal, `ς` and `σ` too.
 */
export function foldName(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.toLowerCase();
  const folded = Array.from(name.normalize('NFC'), (letter) => letter.toUpperCase().toLowerCase()).join('');
  return folded.normalize('NFC');
}

/**
 * The files that give way to a fold-equal one (MF-4): of each group the one with a base stays; when several or none have
 * one, the first in byte order.
 *
 * @param files - file names of one directory
 * @param hasBase - asked with a file name exactly as it stands in `files`
 * @returns the others, quarantined `name-clash`
 */
export function nameClashes(files: readonly string[], hasBase: (name: string) => boolean): string[] {
  if (files.every((file) => PLAIN.test(file))) return [];
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const key = foldName(file);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  const clashes: string[] = [];
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const ordered = group.toSorted(byBytes);
    const keeper = ordered.find(hasBase) ?? ordered[0];
    clashes.push(...ordered.filter((name) => name !== keeper));
  }
  return clashes;
}

function nameProblem(name: string): QuarantinedName | null {
  if (name.includes('\ufffd')) return { name, reason: 'name', message: 'the file name is not UTF-8' };
  if (CONFLICT_COPY.test(name)) {
    return { name, reason: 'conflict-copy', message: 'a copy left by a file synchroniser' };
  }
  if (!isSlug(name.slice(0, -SUFFIX.length).normalize('NFC'))) {
    return { name, reason: 'name', message: 'a memory name has 1 to 200 bytes and no backslash or control character' };
  }
  return null;
}

const utf8 = new TextEncoder();

function byBytes(a: string, b: string): number {
  return Buffer.compare(utf8.encode(a), utf8.encode(b));
}
