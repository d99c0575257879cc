import { listDirectory } from '../../src/files/memory-directory.ts';
import { type TestStore, temporaryStore } from './sync-store.ts';

/**
 * A store whose clock jumps over the half second between the two looks at a missing file (SY-28), and back for the next
 * sync: what was read just now must stay suspicious.
 */
export async function hastyStore(): Promise<TestStore> {
  let listed = false;
  const store = await temporaryStore(undefined, {
    clock: () => Date.now() + (listed ? 600 : 0),
    list: (directory) => {
      listed = true;
      return listDirectory(directory);
    },
  });
  store.context.store.db.pragma('synchronous = OFF');
  return {
    ...store,
    sync: (options) => {
      listed = false;
      return store.sync(options);
    },
  };
}
