import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngram, rebuildEngram } from '../src/engram.ts';
import { engramError } from './support/engram-error.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** What `/proc/self/mountinfo` says where `point` is mounted from a server. */
const mountedAs = (point: string, type: string) =>
  `22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n90 22 0:50 / ${point} rw,relatime - ${type} server:/export rw\n`;

test.each(['nfs', 'nfs4', 'cifs', 'smb3', '9p', 'afs', 'fuse.sshfs'])(
  'X06, SY-59: a data root on %s is refused with the reason and --data-dir, and nothing is created',
  async (type) => {
    const directory = temporaryDirectory();
    const root = join(directory, 'engram');
    for (const open of [openEngram, rebuildEngram]) {
      const error = await open({ root, origin: 'test', mountinfo: mountedAs(directory, type) }).catch(
        (thrown) => thrown,
      );
      expect(error).toEqual(engramError('data-root.network'));
      expect(error.exitCode).toBe(1);
      expect(error.message).toContain(type);
      expect(error.message).toContain(root);
      expect(error.hint).toContain('--data-dir');
    }
    expect(existsSync(root)).toBe(false);
  },
);

test('SY-59: a data root on a local file system beside a network one is opened', async () => {
  const root = temporaryDirectory();
  using engram = await openEngram({ root, origin: 'test', mountinfo: mountedAs(`${root}-else`, 'nfs4') });
  expect(engram.context.store.readOnly).toBe(false);
});
