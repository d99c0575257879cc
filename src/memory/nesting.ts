import type { TomlTable, TomlValue } from 'smol-toml';

/**
 * Tables and lists may lie this deep in each other. Everything that walks a table recurses, here, in the database and in
 * other programs; a line of dots must not exhaust their stack.
 */
export const DEEPEST_NESTING = 100;

/** Whether a parsed table nests deeper than `DEEPEST_NESTING`; itself without recursion. */
export function isNestedTooDeeply(table: TomlTable): boolean {
  let level: Container[] = [table];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_NESTING) return true;
    level = level.flatMap(containersIn);
  }
  return false;
}

type Container = TomlTable | TomlValue[];

function containersIn(container: Container): Container[] {
  const found: Container[] = [];
  for (const key in container) {
    const value = (container as TomlTable)[key];
    if (typeof value === 'object' && !(value instanceof Date)) found.push(value);
  }
  return found;
}
