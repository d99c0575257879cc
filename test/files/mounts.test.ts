import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { networkFileSystem } from '../../src/files/mounts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const mountinfo = (...mounts: [point: string, type: string][]): string =>
  ['23 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw']
    .concat(
      mounts.map(([point, type]) => `40 23 0:5 / ${point} rw master:1 propagate_from:2 - ${type} host:/x rw,vers=4`),
    )
    .join('\n');

test.each(['nfs', 'nfs4', 'cifs', 'smb3', 'smbfs', '9p', 'afs', 'fuse.sshfs'])(
  'X06: a root below a mount of type %s is on a network',
  (type) => {
    expect(networkFileSystem('/mnt/home/dana/engram', mountinfo(['/mnt/home', type]))).toBe(type);
  },
);

test.each(['ext4', 'xfs', 'btrfs', 'tmpfs', 'overlay', 'fuse.gocryptfs', 'virtiofs'])(
  'X06: %s is no network file system',
  (type) => {
    expect(networkFileSystem('/mnt/home/dana/engram', mountinfo(['/mnt/home', type]))).toBeNull();
  },
);

test('X06: the deepest mount decides, whole names compared, the later of two on one point', () => {
  expect(networkFileSystem('/mnt/a/b/root', mountinfo(['/mnt/a', 'nfs4'], ['/mnt/a/b', 'ext4']))).toBeNull();
  expect(networkFileSystem('/mnt/a/b/root', mountinfo(['/mnt/a/b', 'nfs4'], ['/mnt/a', 'ext4']))).toBe('nfs4');
  expect(networkFileSystem('/mnt/a-local/root', mountinfo(['/mnt/a', 'nfs4']))).toBeNull();
  expect(networkFileSystem('/mnt/a', mountinfo(['/mnt/a', 'nfs4']))).toBe('nfs4');
  expect(networkFileSystem('/mnt/a/x', mountinfo(['/mnt/a', 'autofs'], ['/mnt/a', 'nfs4']))).toBe('nfs4');
  expect(networkFileSystem('/mnt/my share/x', mountinfo(['/mnt/my\\040share', 'cifs']))).toBe('cifs');
});

test('X06: a link into a network mount is followed, a root that does not exist yet is placed by its parents', () => {
  const directory = temporaryDirectory();
  symlinkSync(directory, join(directory, 'link'));
  const mounts = mountinfo([directory, 'nfs']);
  expect(networkFileSystem(join(directory, 'link', 'not', 'yet'), mounts)).toBe('nfs');
});

test('X06: the mounts of this machine are read when none are given; a temp directory is local', () => {
  expect(networkFileSystem(temporaryDirectory())).toBeNull();
});
