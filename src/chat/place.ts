import { basename, dirname, join, resolve, sep } from 'node:path';
import { EngramError } from '../errors.ts';
import { findRepository, isRealDirectory, type Repository, realDirectory } from '../project/git.ts';
import { isRegularFile } from './chat-file.ts';
import { chatSlug, directoriesWithSlugOf } from './slug.ts';

/** How the chat file was found. */
export type ChatFoundBy = 'flag' | 'environment' | 'project' | 'git' | 'directory';

/** Where a project talks. */
export interface ChatPlace {
  /** Absolute path of the chat file, whether it exists or not. */
  readonly path: string;
  /** Null with `root` where the file itself was named. */
  readonly slug: string | null;
  /** The main work tree whose chat it is (CH-3). */
  readonly root: string | null;
  readonly source: ChatFoundBy;
  /** What a person should hear about the choice, one line each (CH-6). */
  readonly warnings: readonly string[];
}

export interface ChatPlaceInput {
  /** `--chat-file` or `$ENGRAM_CHAT_FILE`; null = neither. */
  readonly chatFile: { readonly value: string; readonly from: 'flag' | 'environment' } | null;
  /** `--project` or `$ENGRAM_PROJECT`; null = neither. */
  readonly project: string | null;
  readonly dataDir: string;
  /** As the system gives it, without links. */
  readonly cwd: string;
  /** `$PWD`: the working directory as a shell names it, perhaps through links. */
  readonly shellCwd: string | null;
  readonly home: string;
  readonly tempDir: string;
}

/** A repository that a project name is bound to; see `project/bindings.ts`. */
export interface StoredRoot {
  readonly gitCommonDir: string;
  readonly root: string;
}

/**
 * Finds the chat file (CH-1 to CH-6). Makes nothing.
 *
 * @param storedRoots - the repositories of a project, asked only where one is named
 * @throws EngramError `chat.place` where no project can be, and for a project of several roots; `usage` for an empty FILE
 */
export async function findChatPlace(
  input: ChatPlaceInput,
  storedRoots: (project: string) => Promise<readonly StoredRoot[]>,
): Promise<ChatPlace> {
  const { chatFile, project, dataDir } = input;
  if (chatFile !== null) {
    if (chatFile.value.trim() === '') throw new EngramError('usage', '--chat-file must not be empty');
    return { path: resolve(input.cwd, chatFile.value), slug: null, root: null, source: chatFile.from, warnings: [] };
  }
  const here = rootOf(input.cwd);
  const { root, source } = project === null ? here : chosenRoot(project, here, await storedRoots(project));
  refuseShared(root, input);
  const slug = chatSlug(root);
  const directory = join(dataDir, 'chat');
  const path = join(directory, `${slug}.toml`);
  return { path, slug, root, source, warnings: [...namesakes(root), ...olderFile(directory, slug, input)] };
}

interface ChatRoot {
  readonly root: string;
  readonly source: ChatFoundBy;
}

/** The project root of a directory, as git knows it (CH-3); outside git the directory itself. */
function rootOf(directory: string): ChatRoot {
  const cwd = realDirectory(directory);
  const repository = findRepository(cwd, () => false);
  return repository === null ? { root: cwd, source: 'directory' } : { root: repositoryRoot(repository), source: 'git' };
}

/** `shop/.git` belongs to `shop`, `shop/.git/modules/lib` to where the submodule is checked out; a bare one is itself. */
function repositoryRoot({ commonDir, root }: Pick<Repository, 'commonDir' | 'root'>): string {
  if (basename(commonDir) === '.git') return dirname(commonDir);
  return commonDir.includes(`${sep}.git${sep}modules${sep}`) ? root : commonDir;
}

/** The root of a named project (CH-4). */
function chosenRoot(project: string, here: ChatRoot, stored: readonly StoredRoot[]): ChatRoot {
  const roots = [...new Set(stored.map(({ gitCommonDir, root }) => repositoryRoot({ commonDir: gitCommonDir, root })))];
  const [only, ...others] = roots;
  if (only === undefined || roots.includes(here.root)) return here;
  if (others.length === 0) return { root: only, source: 'project' };
  throw new EngramError('chat.place', `the project ${project} has ${roots.length} work trees: ${roots.join(', ')}`, {
    hint: 'Go to one of them, or name the file with --chat-file FILE.',
  });
}

/** What everybody uses is no project (CH-3). */
function refuseShared(root: string, { home, tempDir }: ChatPlaceInput): void {
  const shared = new Map([
    [dirname('/'), 'the root of the file system'],
    [realDirectory(tempDir), 'the temp directory'],
    [realDirectory(home), 'the home directory'],
  ]);
  const name = shared.get(root);
  if (name === undefined) return;
  throw new EngramError('chat.place', `${root} is ${name}: it has no chat`, {
    hint: 'Go to a project first, or name the file with --chat-file FILE.',
  });
}

/** Other projects that would write into the same file: repositories are what can be told from any directory. */
function namesakes(root: string): string[] {
  return directoriesWithSlugOf(root, isRealDirectory)
    .filter((directory) => rootOf(directory).source === 'git' && rootOf(directory).root === directory)
    .map(
      (other) =>
        `warning: ${root} and ${other} have the same chat file; keep them apart with --chat-file FILE or $ENGRAM_CHAT_FILE`,
    );
}

/** Older programs took the name from the path as the shell had it. */
function olderFile(directory: string, slug: string, { cwd, shellCwd }: ChatPlaceInput): string[] {
  if (shellCwd === null || !shellCwd.startsWith('/') || realDirectory(shellCwd) !== realDirectory(cwd)) return [];
  const older = join(directory, `${chatSlug(shellCwd)}.toml`);
  if (older === join(directory, `${slug}.toml`) || !isRegularFile(older)) return [];
  return [`note: ${older} is named after ${shellCwd}, as older programs did; it is not used`];
}
