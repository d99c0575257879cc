import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { EngramError } from '../errors.ts';
import { findSecrets } from '../text/secrets.ts';
import type { BindingStore } from './bindings.ts';
import { findRepository, type Repository, readIdentityFile, realDirectory } from './git.ts';
import { freeName, type Origin, type ProjectScope, parseOrigin, projectName } from './names.ts';

export type ProjectFoundBy =
  | 'flag'
  | 'environment'
  | 'config-file'
  | 'binding'
  | 'origin'
  | 'work-tree'
  | 'directory'
  | 'none';

/** Whose memories apply, and how that was found out; every reply states both (product.md section 6). */
export interface ProjectIdentity extends ProjectScope {
  readonly foundBy: ProjectFoundBy;
  /** Main work tree of the repository, or the working directory outside git; null when there is no project there. */
  readonly root: string | null;
  readonly gitCommonDir: string | null;
  /** Normalised address of the remote `origin`. */
  readonly origin: string | null;
}

export interface ProjectInput {
  /** `--project` or a tool argument; null = not given. */
  readonly explicit: string | null;
  /** `$ENGRAM_PROJECT`; null = not set. */
  readonly environment: string | null;
  readonly cwd: string;
  readonly home: string;
  readonly tempDir: string;
}

interface Place {
  readonly cwd: string;
  readonly repository: Repository | null;
  readonly origin: Origin | null;
  readonly isNever: (directory: string) => boolean;
}

/**
 * Finds the project of the working directory (product.md section 6). A repository that gets its name from its remote or
 * directory keeps it: the name is stored in `bindings`.
 *
 * @throws EngramError `project.invalid` when an explicit identity is empty or cannot be read: falling back would show
 *   another project's memories
 */
export function resolveProject(input: ProjectInput, bindings: BindingStore): ProjectIdentity {
  const place = lookAround(input);
  const { repository, origin } = place;
  const { name, foundBy } = explicitName(input, place) ?? storedName(place, bindings) ?? derivedName(place, bindings);
  const outside = repository === null && place.isNever(place.cwd);
  const root = outside ? null : (repository?.root ?? place.cwd);
  const isHere = foundBy !== 'flag' && foundBy !== 'environment';
  const bound = name === null ? [] : bindings.listByProject(name).map((binding) => binding.root);
  const here = isHere && root !== null ? [root, repository?.workTree ?? root] : [];
  return {
    name,
    foundBy,
    aliases: name === null ? [] : bindings.aliasesOf(name),
    paths: [...new Set([...here, ...bound])],
    root,
    gitCommonDir: repository?.commonDir ?? null,
    origin: origin?.place ?? null,
  };
}

/** What surrounds the working directory. */
export function lookAround(input: Pick<ProjectInput, 'cwd' | 'home' | 'tempDir'>): Place {
  const cwd = realDirectory(input.cwd);
  const never = new Set([realDirectory(input.home), realDirectory(input.tempDir), dirname('/')]);
  const isNever = (directory: string) => never.has(directory);
  const repository = findRepository(cwd, isNever);
  const address = repository?.originAddress ?? null;
  return { cwd, repository, origin: address === null ? null : parseOrigin(address), isNever };
}

type Found = { readonly name: string | null; readonly foundBy: ProjectFoundBy };

function explicitName(input: ProjectInput, place: Place): Found | null {
  if (input.explicit !== null) return { name: namedProject(input.explicit, '--project'), foundBy: 'flag' };
  if (input.environment !== null)
    return { name: namedProject(input.environment, '$ENGRAM_PROJECT'), foundBy: 'environment' };
  const configured = configuredName(place);
  return configured === null ? null : { name: configured, foundBy: 'config-file' };
}

/** `project_name` of the nearest `.engram/config.json` up to the root of the work tree; outside git, of the directory itself. */
function configuredName({ cwd, repository, isNever }: Place): string | null {
  const top = repository?.workTree ?? cwd;
  for (let at = cwd; ; at = dirname(at)) {
    const path = join(at, '.engram', 'config.json');
    const text = isNever(at) ? null : readIdentityFile(path);
    const value = text === null ? undefined : projectNameKey(path, text);
    if (value !== undefined) return namedProject(value, `project_name in ${path}`);
    if (at === top || dirname(at) === at) return null;
  }
}

function projectNameKey(path: string, text: string): unknown {
  return identityKeys(path, text).project_name;
}

/** The keys of `.engram/config.json`. @throws EngramError `project.invalid` for anything but a JSON object */
export function identityKeys(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) return { ...config };
  } catch {
    // Said below, with the same words as for JSON that is no object.
  }
  throw new EngramError('project.invalid', `${path} is not a JSON object`, {
    hint: 'Write {"project_name": "NAME"}, or remove the file.',
  });
}

/** The name that somebody gave a project. @throws EngramError `project.invalid` when it is none */
export function namedProject(value: unknown, subject: string): string {
  const name = typeof value === 'string' ? projectName(value) : null;
  // It would be in a file that is committed, in the database and in answers (D14).
  if (name !== null && [name, String(value)].some((text) => findSecrets(text).length > 0)) {
    throw new EngramError('project.invalid', `${subject} seems to hold a secret`, { hint: 'Give another name.' });
  }
  if (name !== null) return name;
  throw new EngramError('project.invalid', `${subject} names no project: ${JSON.stringify(value)}`, {
    hint: 'A name is made of a-z, 0-9, ".", "_" and "-", with a letter or digit; without one the project is found from git.',
  });
}

function storedName({ repository, origin }: Place, bindings: BindingStore): Found | null {
  const binding = repository === null ? null : bindings.find(repository.commonDir);
  if (binding === null) return null;
  // A repository that gets its first remote: later clones of that remote are the same project.
  if (binding.origin === null && origin !== null) {
    bindings.atomically(() => bindings.save({ ...binding, origin: origin.place }));
  }
  return { name: binding.project, foundBy: 'binding' };
}

function derivedName(place: Place, bindings: BindingStore): Found {
  const { repository, origin, cwd } = place;
  const root = repository?.root ?? cwd;
  if (origin === null && place.isNever(root)) return { name: null, foundBy: 'none' };
  const claim = {
    name: projectName(origin?.repository ?? basename(root).replace(/\.git$/, '')) ?? nameless(root),
    origin,
    root,
  };
  if (repository === null)
    return { name: freeName(claim, bindings.listByProject, fourHexDigits), foundBy: 'directory' };
  return bindings.atomically(() => {
    const known = origin === null ? undefined : bindings.listByOrigin(origin.place)[0];
    const name = known?.project ?? freeName(claim, bindings.listByProject, fourHexDigits);
    bindings.save({ gitCommonDir: repository.commonDir, project: name, origin: origin?.place ?? null, root });
    return { name, foundBy: origin === null ? 'work-tree' : 'origin' };
  });
}

/** A directory called `日本` is a project too: without a name, what is learned in it would apply everywhere. */
function nameless(root: string): string {
  return `project.${fourHexDigits(root)}`;
}

function fourHexDigits(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 4);
}
