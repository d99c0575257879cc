/** Which project a git repository is, once decided: it stays when the remote moves or another `api` turns up. */
export interface ProjectBinding {
  /** Real path of the git common directory; one for all work trees of a repository. */
  readonly gitCommonDir: string;
  readonly project: string;
  /** Normalised address of `origin` (`Origin.place`), null without one. */
  readonly origin: string | null;
  /** Main work tree, or the bare repository. */
  readonly root: string;
}

/** Where bindings are kept; `store/projects.ts` keeps them in the table `project_bindings`. */
export interface BindingStore {
  find(gitCommonDir: string): ProjectBinding | null;
  listByProject(project: string): readonly ProjectBinding[];
  listByOrigin(origin: string): readonly ProjectBinding[];
  /** Makes or replaces the binding of its `gitCommonDir`. */
  save(binding: ProjectBinding): void;
  /** Runs `decide` so that no other process saves a binding meanwhile; it may be run again. */
  atomically<T>(decide: () => T): T;
  /** Other names of a project (`project_aliases`). */
  aliasesOf(project: string): readonly string[];
}
