import { type FileSystem, realFileSystem } from '../../src/files/file-system.ts';

export type Call = keyof FileSystem;

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/**
 * The real file system, in which calls fail with the code that `fault` returns for them; null lets a call through.
 *
 * @param fault - gets the call's name, how often that name was called (from 1), and the number of all calls (from 1)
 */
export function faultyFileSystem(fault: (call: Call, nth: number, ofAll: number) => string | null): FileSystem {
  const counts = new Map<Call, number>();
  let all = 0;
  const guarded = <K extends Call>(call: K): FileSystem[K] => {
    const real = realFileSystem[call] as (...args: readonly unknown[]) => unknown;
    return ((...args: readonly unknown[]) => {
      const nth = (counts.get(call) ?? 0) + 1;
      counts.set(call, nth);
      all += 1;
      const code = fault(call, nth, all);
      if (code !== null) throw systemError(code);
      return real(...args);
    }) as FileSystem[K];
  };
  return {
    openSync: guarded('openSync'),
    writeSync: guarded('writeSync'),
    fchmodSync: guarded('fchmodSync'),
    fsyncSync: guarded('fsyncSync'),
    ftruncateSync: guarded('ftruncateSync'),
    closeSync: guarded('closeSync'),
    renameSync: guarded('renameSync'),
    linkSync: guarded('linkSync'),
    unlinkSync: guarded('unlinkSync'),
    mkdirSync: guarded('mkdirSync'),
    rmdirSync: guarded('rmdirSync'),
  };
}

/** Fails the `nth` call of this name, once. */
export function failingFileSystem(call: Call, nth: number, code: string): FileSystem {
  return faultyFileSystem((name, count) => (name === call && count === nth ? code : null));
}
