import { acquireLock } from '../../../src/files/lock.ts';
import { prepareReplacement } from '../../../src/files/replace-file.ts';
import { dyingFileSystem } from './dying-file-system.ts';

// One locked write that ends by SIGKILL before its nth call. `node die-at.cjs FILE N`
const [file = '', nth = '0'] = process.argv.slice(2);
const fs = dyingFileSystem((call) => call === Number(nth));
const lock = acquireLock(file, { wait: false }, fs);
prepareReplacement(file, Buffer.from('new'), { mode: 0o600 }, fs).over();
lock.release();
