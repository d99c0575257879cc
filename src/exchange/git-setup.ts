import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { removeFile, replaceFile } from '../files/replace-file.ts';
import { type GitAnswer, runGit } from './git.ts';
import { ATTRIBUTES_LINE, DRIVER, DRIVER_TITLE, driverLine } from './merge-driver.ts';
import { type GitSetupPlan, type GitState, planGitSetup, planGitUndo } from './plan-git-setup.ts';

export interface GitSetupRequest {
  /** Absolute path of the memory directory. */
  readonly memory: string;
  /** Absolute paths of node and of engram's first file. */
  readonly program: { readonly node: string; readonly script: string };
  /** Take away what an earlier setup wrote. */
  readonly undo: boolean;
  readonly dryRun: boolean;
}

export interface GitSetupReport {
  readonly undo: boolean;
  readonly dryRun: boolean;
  /** The work tree of the repository that holds the memories. */
  readonly repository: string;
  readonly attributes: {
    readonly path: string;
    readonly line: string;
    readonly change: GitSetupPlan['attributes']['change'];
  };
  readonly driver: { readonly config: string; readonly line: string; readonly change: GitSetupPlan['driver'] };
  /** How git merges a memory by now: `engram`, `unspecified` (as text), or what another line asks for. */
  readonly mergeAttribute: string;
}

/**
 * Makes git merge memories field by field in the repository that holds them, or takes that away again (SY-46): one line of
 * `.gitattributes` in the memory directory, and a merge driver in the repository's own configuration. Where all is so
 * already, nothing is written.
 *
 * @throws EngramError `git.no-repository`, `git.driver-taken`, `git.failed`, `file.write`
 */
export function setUpGit({ memory, program, undo, dryRun }: GitSetupRequest): GitSetupReport {
  const repository = repositoryOf(memory);
  const attributes = join(memory, '.gitattributes');
  const line = driverLine(program);
  const state = { attributes: textOrNull(attributes), ...configuredDrivers(memory) };
  const plan = undo ? planGitUndo(state) : planGitSetup(state, line);
  if (plan.kind === 'taken') {
    throw new EngramError('git.driver-taken', `${plan.origin} has a merge driver ${DRIVER} that is not ours`, {
      hint: `Look at it: git -C ${shellWord(memory)} config --show-origin merge.${DRIVER}.driver`,
    });
  }
  if (!dryRun) apply(memory, attributes, plan, line);
  return {
    undo,
    dryRun,
    repository,
    attributes: { path: attributes, line: ATTRIBUTES_LINE, change: plan.attributes.change },
    driver: { config: configPath(memory), line: undo ? (state.localDriver ?? line) : line, change: plan.driver },
    mergeAttribute: mergeAttribute(memory),
  };
}

/** The driver first: a line that names a driver which does not exist would be harmless, but half of a setup. */
function apply(memory: string, attributes: string, plan: GitSetupPlan, line: string): void {
  if (plan.driver === 'set' || plan.driver === 'replaced') {
    done(memory, ['config', '--local', '--replace-all', `merge.${DRIVER}.name`, DRIVER_TITLE]);
    done(memory, ['config', '--local', '--replace-all', `merge.${DRIVER}.driver`, line]);
  }
  const { change, text } = plan.attributes;
  if (change !== 'unchanged' && text === null) removeFile(attributes);
  else if (change !== 'unchanged' && text !== null) replaceFile(attributes, new TextEncoder().encode(text));
  if (plan.driver === 'removed') {
    // The name may be missing already.
    runGit(memory, ['config', '--local', '--unset-all', `merge.${DRIVER}.name`]);
    done(memory, ['config', '--local', '--unset-all', `merge.${DRIVER}.driver`]);
  }
}

/** @throws EngramError `git.no-repository` */
function repositoryOf(memory: string): string {
  if (statSync(memory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new EngramError('git.no-repository', `${memory} does not exist`, {
      hint: 'Learn something first, or name the data root with --data-dir.',
    });
  }
  const found = runGit(memory, ['rev-parse', '--show-toplevel']);
  const hint = `Run: git -C ${shellWord(memory)} init`;
  if (found.status !== 0) {
    throw new EngramError('git.no-repository', `${memory} lies in no work tree of git: ${found.complaint}`, { hint });
  }
  const repository = found.stdout.replace(/\n$/, '');
  if (runGit(memory, ['check-ignore', '-q', 'feedback/memory.toml']).status === 0) {
    const reason = `${repository} ignores ${memory}, so git keeps no memories`;
    throw new EngramError('git.no-repository', reason, { hint });
  }
  return repository;
}

function configuredDrivers(memory: string): Pick<GitState, 'drivers' | 'localDriver'> {
  const key = `merge.${DRIVER}.driver`;
  const all = fields(runGit(memory, ['config', '--show-origin', '-z', '--get-all', key]));
  const drivers = all.flatMap((origin, at) => {
    const line = all[at + 1];
    return at % 2 === 1 || line === undefined ? [] : [{ line, origin: origin.replace(/^file:/, '') }];
  });
  const local = fields(runGit(memory, ['config', '--local', '-z', '--get-all', key]));
  return { drivers, localDriver: local.at(-1) ?? null };
}

/** Values that git ends with a NUL each; none when the key is not there. */
function fields({ stdout }: GitAnswer): string[] {
  return stdout.split('\0').slice(0, -1);
}

function configPath(memory: string): string {
  return resolve(memory, done(memory, ['rev-parse', '--git-path', 'config']).stdout.replace(/\n$/, ''));
}

function mergeAttribute(memory: string): string {
  const { stdout } = done(memory, ['check-attr', '-z', 'merge', '--', 'feedback/memory.toml']);
  return stdout.split('\0')[2] ?? 'unspecified';
}

/** @throws EngramError `git.failed` when git refuses */
function done(memory: string, args: readonly string[]): GitAnswer {
  const answer = runGit(memory, args);
  if (answer.status === 0) return answer;
  throw new EngramError('git.failed', `git ${args[0]} failed in ${memory}: ${answer.complaint}`, {
    hint: `See what git says: git -C ${shellWord(memory)} status`,
  });
}

function textOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return null;
    throw new EngramError('file.unreadable', `${path} cannot be read (${code ?? 'failed'})`, { cause: error });
  }
}

/** As it can be pasted into a shell. */
function shellWord(path: string): string {
  return /^[\w./+@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
