import type { ProjectBinding } from './bindings.ts';

/**
 * A project's name (product.md section 6): trimmed, lower case, runs of anything outside `[a-z0-9._]` become `-`, none of
 * them first or last.
 * Null when no letter or digit is left, which is no name.
 */
export function projectName(text: string): string | null {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^-|-$/g, '');
  return /[a-z0-9]/.test(name) ? name : null;
}

/** Where a repository comes from: `place` is the same for every spelling of its address and holds no credentials. */
export interface Origin {
  readonly place: string;
  readonly repository: string;
  /** What stands before the repository's name; null where the address has only the name. */
  readonly owner: string | null;
}

/**
 * Reads the address of a remote: a URL, `user@host:path`, or a local path (already absolute). Scheme, user, password,
 * port, a trailing slash and `.git` do not count; case does not count for addresses with a host. Null when it names nothing.
 */
export function parseOrigin(address: string): Origin | null {
  const remote = splitAddress(address.trim());
  const segments = remote.path
    .replace(/\/+$/, '')
    .replace(/(?<=.)\/?\.git$/, '')
    .split('/')
    .filter((segment) => segment !== '');
  const repository = segments.at(-1);
  if (repository === undefined || projectName(repository) === null) return null;
  const place = remote.host === null ? `/${segments.join('/')}` : [remote.host, ...segments].join('/').toLowerCase();
  return { place, repository, owner: segments.at(-2) ?? null };
}

function splitAddress(address: string): { host: string | null; path: string } {
  const url = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)?([^/:]*|\[[^\]]*\])(?::\d*)?(\/.*)?$/i.exec(address);
  if (url !== null) return { host: url[2] === '' ? null : (url[2] ?? null), path: url[3] ?? '' };
  const short = /^(?:[^/@:]*@)?([^/:@]+|\[[^\]]*\]):(.*)$/s.exec(address);
  if (short !== null) return { host: short[1] ?? null, path: short[2] ?? '' };
  return { host: null, path: address };
}

/** The repository a name is wanted for. `mark` gives 4 hex digits of a text's hash. */
export interface NameClaim {
  readonly name: string;
  readonly origin: Origin | null;
  readonly root: string;
}

/**
 * The name a repository gets: `name` itself, or, when that is bound to another origin or root, `<owner>.<name>`; without
 * an origin `<name>.` and 4 hex digits of the root's hash. Two repositories called `api` are two projects.
 */
export function freeName(
  { name, origin, root }: NameClaim,
  bindingsOf: (project: string) => readonly ProjectBinding[],
  mark: (text: string) => string,
): string {
  const owner = origin === null ? null : projectName(origin.owner ?? '');
  const isFree = (choice: string) => bindingsOf(choice).every((binding) => sameRepository(binding, origin, root));
  const free = [name, ...(owner === null ? [] : [`${owner}.${name}`])].find(isFree);
  if (free !== undefined) return free;
  // A mark is made only where it is needed: hashing has to be loaded first.
  const marked = `${name}.${mark(origin === null ? root : origin.place)}`;
  return isFree(marked) ? marked : `${name}.${mark(`${origin?.place ?? ''} ${root}`)}`;
}

function sameRepository(binding: ProjectBinding, origin: Origin | null, root: string): boolean {
  return origin !== null && binding.origin !== null ? binding.origin === origin.place : binding.root === root;
}

/** What a memory's `project_slug` is compared with. */
export interface ProjectScope {
  /** Null outside every project. */
  readonly name: string | null;
  readonly aliases: readonly string[];
  /** Absolute paths of the project's work trees, for path-shaped slugs of older files. */
  readonly paths: readonly string[];
}

/**
 * Whether a memory scoped to `projectSlug` belongs to the project: the same name or an alias of it, or a path-shaped slug
 * (`-home-dana-src-shop-api`) of one of its work trees.
 */
export function inProject(projectSlug: string, scope: ProjectScope): boolean {
  const name = projectName(projectSlug);
  if (name === null) return false;
  if (name === scope.name || scope.aliases.includes(name)) return true;
  return projectSlug.startsWith('-') && scope.paths.some((path) => foldPath(path) === foldPath(projectSlug));
}

/** Older programs replaced each character of a path that is no letter or digit by `-`, some kept `.` or `_`. */
function foldPath(path: string): string {
  return path
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-*/, '-')
    .replace(/-+$/, '');
}
