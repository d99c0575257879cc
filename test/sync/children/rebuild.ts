import { realFileSystem } from '../../../src/files/file-system.ts';
import { memoryPaths } from '../../../src/files/memory-directory.ts';
import { rebuildStore } from '../../../src/sync/rebuild.ts';

/** Rebuilds the database of a data root. Argument: data root. */
const root = process.argv[2] ?? '';

rebuildStore(root, (store) => ({
  store,
  paths: memoryPaths(root),
  clock: () => Date.now(),
  fs: realFileSystem,
  owner: String(process.pid),
  origin: 'test',
}));
