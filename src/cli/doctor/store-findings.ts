import type { EngramStatus } from '../../engram.ts';
import { SILENT_MS } from '../../files/heartbeat.ts';
import type { EmbeddingSettings } from '../../search/embedder-source.ts';
import type { DoctorFinding } from './finding.ts';

/** As `db status`, without what every file would have to be read for. */
export type ExaminedStatus = Omit<EngramStatus, 'notes'>;

/** What the status of a store says that needs somebody; what `db check` names by itself is left to it. */
export function findingsOfStatus(status: ExaminedStatus, provider: EmbeddingSettings['provider']): DoctorFinding[] {
  const { directories, waiting, holds, looping, openConflicts } = status;
  return [
    ...directories.flatMap(({ directory, problem }): DoctorFinding[] =>
      problem?.startsWith('unreadable') === true
        ? [
            {
              kind: 'directory',
              subject: directory,
              message: problem,
              next: `chmod u+rwx '${status.root}/memory/${directory}'`,
            },
          ]
        : [],
    ),
    ...pendingFindings(status),
    ...known(waiting).map(
      ({ name, path, keys }): DoctorFinding => ({
        kind: 'waiting',
        subject: name,
        message: `its row has another ${keys.join(', ')}, which ${path} cannot take`,
        next: 'engram db check',
      }),
    ),
    ...(openConflicts === 'unknown' || openConflicts === 0
      ? []
      : [
          {
            kind: 'conflict',
            subject: `${openConflicts} open`,
            message: 'texts that both sides changed, or memories that contradict: a person has to decide',
            next: 'engram conflicts list',
          } as const,
        ]),
    ...known(holds).map(
      ({ name, side }): DoctorFinding => ({
        kind: 'held',
        subject: name,
        message: `its ${side} is missing; nothing is deleted until somebody decides`,
        next: 'engram db sync --allow-mass-delete (archive), or engram db repair --undo-held (bring back)',
      }),
    ),
    ...known(looping).map(
      (name): DoctorFinding => ({
        kind: 'looping',
        subject: name,
        message: 'something changes its file back each time engram writes it',
        next: 'end the program that writes this file, then: engram db sync',
      }),
    ),
    ...watcherFindings(status),
    ...vectorFindings(status, provider),
  ];
}

function known<T>(list: readonly T[] | 'unknown'): readonly T[] {
  return list === 'unknown' ? [] : list;
}

function pendingFindings({ pending }: ExaminedStatus): DoctorFinding[] {
  return (['files', 'rows'] as const).flatMap((side): DoctorFinding[] => {
    const count = pending[side];
    if (count === 'unknown' || count === 0) return [];
    const message = 'changed since the last sync';
    return [{ kind: 'not-synced', subject: `${count} ${side}`, message, next: 'engram db sync' }];
  });
}

function watcherFindings({ watcher }: ExaminedStatus): DoctorFinding[] {
  if (watcher === null) return [];
  const { pid, command, mode, heartbeatAgeMs, selfTest } = watcher;
  const subject = `${command} (process ${pid})`;
  if (heartbeatAgeMs > SILENT_MS) {
    const message = `no sign of life for ${Math.round(heartbeatAgeMs / 1000)} s`;
    return [{ kind: 'watcher', subject, message, next: `end it if it still runs (kill ${pid}), then: engram watch` }];
  }
  if (mode !== 'degraded') return [];
  const reason = selfTest?.passed === false ? 'its self-test failed' : 'the system refuses to watch';
  const message = `degraded: ${reason}, so it looks at the files every few seconds`;
  return [{ kind: 'watcher', subject, message, next: 'see docs/watching.md for what keeps events from arriving' }];
}

/** Parts of SE-49 that are missing, each with its way out. */
function vectorFindings(
  { degraded, vectors }: ExaminedStatus,
  provider: EmbeddingSettings['provider'],
): DoctorFinding[] {
  const answer =
    provider === 'built-in' ? 'npm install -g engram' : 'start the server, or go back: engram embed use built-in';
  // Nothing can be embedded before the model answers.
  const embed = degraded.some((part) => part.startsWith('no_model: '))
    ? `${answer}; then: engram embed apply`
    : 'engram embed apply';
  const next: Readonly<Record<string, string>> = { no_model: answer, model_changed: embed, vectors_partial: embed };
  return degraded.flatMap((part): DoctorFinding[] => {
    const [code = '', ...rest] = part.split(': ');
    const way = next[code];
    const kind = code === 'no_model' ? 'model' : 'vectors';
    return way === undefined
      ? []
      : [{ kind, subject: vectors.model, message: `${code}: ${rest.join(': ')}`, next: way }];
  });
}
