import type { ProjectBinding } from './bindings.ts';
import { inProject } from './names.ts';

/** A project that somebody works in, or that memories belong to. */
export interface KnownProject {
  readonly name: string;
  /** Live memories that are scoped to it. */
  readonly memories: number;
  /** Its repositories, by their main work tree. */
  readonly bindings: readonly ProjectBinding[];
  readonly aliases: readonly string[];
}

export interface KnownProjects {
  readonly projects: readonly KnownProject[];
  /** Live memories for every project. */
  readonly everywhere: number;
}

/** What the database knows of projects. */
export interface ProjectRows {
  readonly bindings: readonly ProjectBinding[];
  readonly aliases: readonly { readonly alias: string; readonly project: string }[];
  /** Live memories by `project_slug`; null for those of every project. */
  readonly counts: readonly { readonly slug: string | null; readonly memories: number }[];
}

/** Every project by name. A slug that fits none of those that are bound, such as the path of a lost work tree, is one by itself. */
export function listProjects({ bindings, aliases, counts }: ProjectRows): KnownProjects {
  const scopes = [...new Set(bindings.map(({ project }) => project))].map((name) => ({
    name,
    bindings: bindings.filter(({ project }) => project === name),
    paths: bindings.filter(({ project }) => project === name).map(({ root }) => root),
    aliases: aliases.filter(({ project }) => project === name).map(({ alias }) => alias),
  }));
  const memories = new Map<string, number>();
  let everywhere = 0;
  for (const { slug, memories: count } of counts) {
    if (slug === null) {
      everywhere += count;
      continue;
    }
    const owner = scopes.find((scope) => inProject(slug, scope))?.name ?? slug;
    memories.set(owner, (memories.get(owner) ?? 0) + count);
  }
  const unbound = [...memories.keys()].filter((name) => !scopes.some((scope) => scope.name === name));
  const projects = [
    ...scopes.map(({ paths: _, ...scope }) => ({ ...scope, memories: memories.get(scope.name) ?? 0 })),
    ...unbound.map((name) => ({ name, bindings: [], aliases: [], memories: memories.get(name) ?? 0 })),
  ];
  return { projects: projects.sort((a, b) => (a.name < b.name ? -1 : 1)), everywhere };
}
