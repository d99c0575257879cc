import { spawnSync } from 'node:child_process';
import { EngramError, systemErrorCode } from '../errors.ts';

export interface GitAnswer {
  /** Exit status of git. */
  readonly status: number;
  readonly stdout: string;
  /** The first line that git said on stderr, without its `fatal:` or `error:`. */
  readonly complaint: string;
}

/** A repository named by these would be another one than that of the directory. A hook of git sets them. */
const OTHER_REPOSITORY = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
];

/**
 * Runs git in `directory` to its end; an exit status other than 0 is an answer, too.
 *
 * @throws EngramError `git.failed` when git cannot be started or dies
 */
export function runGit(directory: string, args: readonly string[]): GitAnswer {
  const env = { ...process.env };
  for (const name of OTHER_REPOSITORY) delete env[name];
  const { status, signal, error, stdout, stderr } = spawnSync('git', args, {
    cwd: directory,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined || status === null) {
    const reason = error === undefined ? (signal ?? 'died') : (systemErrorCode(error) ?? error.message);
    throw new EngramError('git.failed', `git cannot be run (${reason})`, {
      hint: 'Install git, and make sure that it is in $PATH.',
      cause: error,
    });
  }
  const [complaint = ''] = stderr.split('\n').filter((line) => line.trim() !== '');
  return { status, stdout, complaint: complaint.replace(/^(?:fatal|error): /, '') };
}
