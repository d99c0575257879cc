import type { CheckFinding, FindingKind } from '../../sync/finding.ts';

/** What `doctor` can find besides what `db check` finds. */
type DoctorKind =
  | 'node'
  | 'native-module'
  | 'variable'
  | 'disk'
  | 'network'
  | 'watch-limit'
  | 'root'
  | 'directory'
  | 'database'
  | 'waiting'
  | 'held'
  | 'conflict'
  | 'looping'
  | 'watcher'
  | 'model'
  | 'vectors'
  | 'trial';

/** One thing that is not as it should be, with its way out. */
export interface DoctorFinding {
  readonly kind: DoctorKind | FindingKind;
  /** The memory, path, variable or part. */
  readonly subject: string;
  readonly message: string;
  /** The next command, or what a person does. */
  readonly next: string;
}

/** A finding of `db check`, with the command for it. */
export function fromCheck({ kind, subject, message, remedy }: CheckFinding): DoctorFinding {
  if (remedy !== 'person') return { kind, subject, message, next: `engram db ${remedy}` };
  const [what, command] = message.split('; run: ');
  if (command !== undefined) return { kind, subject, message: what ?? message, next: command };
  if (kind === 'name-clash') return { kind, subject, message, next: 'rename one of the two files' };
  const renames = /; rename (?:it|the file)$/.test(message);
  return { kind, subject, message, next: renames ? 'rename the file, then: engram db sync' : 'engram db sync' };
}

/** Kinds with which the database cannot be used (SY-67). */
const DAMAGE: ReadonlySet<DoctorFinding['kind']> = new Set(['integrity']);

/** 0 clean, 1 findings, 6 damaged (SY-67). */
export function doctorExit(findings: readonly DoctorFinding[]): 0 | 1 | 6 {
  if (findings.some(({ kind }) => DAMAGE.has(kind))) return 6;
  return findings.length > 0 ? 1 : 0;
}
