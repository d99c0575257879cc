import { engines } from '../../../package.json';
import { freeBytes } from '../../files/disk-space.ts';
import { networkFileSystem } from '../../files/mounts.ts';
import { refusalToWatch, type WatchLimits, watchLimits } from '../../files/watchable.ts';
import type { DoctorFinding } from './finding.ts';

/** What is asked from the system; a test says something else. */
export interface Machine {
  readonly nodeVersion: string;
  freeBytes(path: string): number | null;
  networkFileSystem(path: string): string | null;
  watchLimits(): WatchLimits | null;
  refusalToWatch(directory: string): string | null;
}

export const thisMachine: Machine = {
  nodeVersion: process.versions.node,
  freeBytes,
  networkFileSystem: (path) => networkFileSystem(path),
  watchLimits,
  refusalToWatch,
};

/** Below this a migration, which copies the database first, may fail. */
const LEAST_FREE_BYTES = 200 << 20;

/**
 * Looks at what engram stands on: Node, disk, kind of file system, and whether directories can be watched.
 *
 * @param root - absolute path of the data root, whether it exists or not
 * @param scratch - a directory that exists, to try a watch on
 */
export function examineMachine(machine: Machine, root: string, scratch: string): DoctorFinding[] {
  return [...examineNode(machine), ...examineDisk(machine, root), ...examineWatching(machine, scratch)];
}

function examineNode({ nodeVersion }: Machine): DoctorFinding[] {
  const least = engines.node.replace('>=', '');
  if (!isBefore(nodeVersion, least)) return [];
  const message = `engram is made for Node ${least} and later`;
  return [{ kind: 'node', subject: `Node ${nodeVersion}`, message, next: `install Node ${least} or later` }];
}

function isBefore(version: string, least: string): boolean {
  const [parts, others] = [version, least].map((text) => text.split('.').map(Number));
  for (const [at, other] of (others ?? []).entries()) {
    const part = parts?.[at] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}

function examineDisk(machine: Machine, root: string): DoctorFinding[] {
  const free = machine.freeBytes(root);
  const type = machine.networkFileSystem(root);
  const network: DoctorFinding[] =
    type === null
      ? []
      : [
          {
            kind: 'network',
            subject: root,
            message: `it lies on a network file system (${type}), where SQLite loses data`,
            next: 'name a local directory with --data-dir DIR, or data_dir in config.toml',
          },
        ];
  if (free === null || free >= LEAST_FREE_BYTES) return network;
  const message = `${Math.floor(free / (1 << 20))} MiB are free`;
  return [...network, { kind: 'disk', subject: root, message, next: 'free some space on that disk' }];
}

function examineWatching(machine: Machine, scratch: string): DoctorFinding[] {
  const refusal = machine.refusalToWatch(scratch);
  if (refusal === null) return [];
  const limits = machine.watchLimits();
  const allowed = limits === null ? '' : `; allowed are ${limits.watches} watches and ${limits.instances} instances`;
  const key = refusal === 'EMFILE' ? 'max_user_instances' : 'max_user_watches';
  return [
    {
      kind: 'watch-limit',
      subject: 'file system events',
      message: `the system lets no more directories be watched (${refusal}${allowed}); engram watch looks every few seconds`,
      next: limits === null ? 'end programs that watch files' : `sudo sysctl fs.inotify.${key}=${more(limits, key)}`,
    },
  ];
}

function more({ watches, instances }: WatchLimits, key: string): number {
  return 2 * Math.max(1024, key === 'max_user_instances' ? instances : watches);
}
