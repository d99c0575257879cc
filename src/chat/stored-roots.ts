import { mayHaveDatabase } from '../files/memory-directory.ts';
import type { StoredRoot } from './place.ts';

/**
 * The repositories that are bound to a project; none where there is no database yet. Only here the chat opens it.
 *
 * @param dataDir - absolute path of the data root
 * @throws EngramError those of `openToExamine`
 */
export async function storedRoots(dataDir: string, project: string): Promise<readonly StoredRoot[]> {
  if (!mayHaveDatabase(dataDir)) return [];
  const [{ openToExamine }, { projectBindings }] = await Promise.all([
    import('../store/open.ts'),
    import('../store/projects.ts'),
  ]);
  const { store } = await openToExamine(dataDir);
  using _closed = store;
  return projectBindings(store, () => 0).listByProject(project);
}
