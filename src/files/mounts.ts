import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { EngramError } from '../errors.ts';

/** NFS, SMB, CIFS, 9p, AFS, sshfs, by the names of Linux and macOS. */
const NETWORK = /^(nfs\d?|smb\d?|smbfs|cifs|9p|afs|afpfs|(fuse\.|macfuse_|osxfuse_)?sshfs)$/;

interface Mount {
  readonly point: string;
  readonly type: string;
}

/**
 * The type of the network file system that holds `path`, e.g. `nfs4`; null for a local one, and where that cannot be
 * found out (SY-59). `path` need not exist: its nearest existing parent decides.
 *
 * @param mountinfo - text in the format of `/proc/self/mountinfo`; read from the system when not given
 */
export function networkFileSystem(path: string, mountinfo?: string): string | null {
  const mounts = mountinfo === undefined ? systemMounts() : parseMountinfo(mountinfo);
  const real = realPathSoFar(path);
  let holder: Mount | null = null;
  for (const mount of mounts) {
    // Of two mounts on one point the later one is on top.
    if (isBelow(real, mount.point) && mount.point.length >= (holder?.point.length ?? 0)) holder = mount;
  }
  return holder !== null && NETWORK.test(holder.type) ? holder.type : null;
}

/**
 * Keeps a data root away from where SQLite loses data (SY-59).
 *
 * @throws EngramError `data-root.network`
 */
export function refuseNetworkFileSystem(root: string, mountinfo?: string): void {
  const kind = networkFileSystem(root, mountinfo);
  if (kind === null) return;
  throw new EngramError('data-root.network', `the data root ${root} lies on a network file system (${kind})`, {
    hint: 'SQLite loses data there. Name a local directory with --data-dir DIR.',
  });
}

function systemMounts(): Mount[] {
  try {
    if (process.platform === 'linux') return parseMountinfo(readFileSync('/proc/self/mountinfo', 'utf8'));
    if (process.platform === 'darwin') return parseMountCommand(execFileSync('/sbin/mount', { encoding: 'utf8' }));
  } catch {
    // No list, no verdict: engram runs, and safety rests on its other checks.
  }
  return [];
}

/** `36 35 98:0 /root /point options optional-fields - type source super-options`, blanks in names as `\040`. */
function parseMountinfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [front, back] = line.split(' - ');
    const point = front?.split(' ')[4];
    const type = back?.split(' ')[0];
    return point === undefined || type === undefined ? [] : [{ point: unescapeOctal(point), type }];
  });
}

/** `//dana@host/share on /Volumes/share (smbfs, nodev)` */
function parseMountCommand(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, point, type] = / on (.+) \(([^,)]+)[^()]*\)$/.exec(line) ?? [];
    return point === undefined || type === undefined ? [] : [{ point, type }];
  });
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** The path with links resolved as far as it exists; the rest is appended as it is. */
function realPathSoFar(path: string): string {
  const whole = resolve(path);
  for (let current = whole; ; current = dirname(current)) {
    try {
      return join(realpathSync(current), whole.slice(current.length));
    } catch {
      if (dirname(current) === current) return whole;
    }
  }
}
