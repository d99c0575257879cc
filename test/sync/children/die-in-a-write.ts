import { memoryPaths } from '../../../src/files/memory-directory.ts';
import { openStore } from '../../../src/store/open.ts';
import { dyingFileSystem } from '../../files/children/dying-file-system.ts';
import { runWrite, type WriteKind } from '../written.ts';

// One write of engram's that ends by SIGKILL before its nth call. `node die-in-a-write.cjs ROOT KIND N`
const [root = '', kind = '', nth = '0'] = process.argv.slice(2);
const fs = dyingFileSystem((call) => call === Number(nth));
openStore(root).then((store) => {
  const context = { store, paths: memoryPaths(root), clock: Date.now, fs, owner: String(process.pid), origin: 'child' };
  runWrite(context, kind as WriteKind);
  store.close();
});
