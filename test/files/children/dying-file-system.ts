import { type FileSystem, realFileSystem } from '../../../src/files/file-system.ts';

/**
 * The real file system, in which the process kills itself, as `kill -9` does, before a call for which `dies` says so.
 *
 * @param dies - gets the number of the call, from 1
 */
export function dyingFileSystem(dies: (call: number) => boolean): FileSystem {
  let calls = 0;
  const mortal = <Args extends readonly unknown[], Result>(real: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      calls += 1;
      if (dies(calls)) process.kill(process.pid, 'SIGKILL');
      return real(...args);
    };
  };
  return {
    openSync: mortal(realFileSystem.openSync),
    writeSync: mortal(realFileSystem.writeSync),
    fchmodSync: mortal(realFileSystem.fchmodSync),
    fsyncSync: mortal(realFileSystem.fsyncSync),
    ftruncateSync: mortal(realFileSystem.ftruncateSync),
    closeSync: mortal(realFileSystem.closeSync),
    renameSync: mortal(realFileSystem.renameSync),
    linkSync: mortal(realFileSystem.linkSync),
    unlinkSync: mortal(realFileSystem.unlinkSync),
    mkdirSync: mortal(realFileSystem.mkdirSync),
    rmdirSync: mortal(realFileSystem.rmdirSync),
  };
}
