import { dirname, join } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { realFileSystem } from '../files/file-system.ts';
import { lookUp } from '../files/memory-directory.ts';
import { prepareReplacement, replaceFile, writeFailure } from '../files/replace-file.ts';
import { readIdentityFile } from './git.ts';
import { identityKeys, lookAround, namedProject, type ProjectInput } from './identity.ts';

export interface InitiatedProject {
  readonly name: string;
  /** Absolute path of the file that says it. */
  readonly path: string;
  readonly change: 'created' | 'changed' | 'unchanged';
  /** What the file said before; null when it named no project. */
  readonly before: string | null;
}

/**
 * Gives the work tree around the working directory, or outside git the directory itself, its name for everybody who
 * checks it out: `project_name` in `.engram/config.json` (product.md section 6). Other keys of the file stay.
 *
 * @throws EngramError `project.invalid` for a name without a letter or digit or with a secret, for `$HOME`, `/` and the temp directory, and
 *   for a file that is no JSON object; `file.write`, `disk.full`
 */
export function initProject(input: ProjectInput, wanted: string): InitiatedProject {
  const name = namedProject(wanted, 'NAME');
  const { cwd, repository, isNever } = lookAround(input);
  const directory = repository === null ? cwd : repository.workTree;
  if (directory === null || isNever(directory)) {
    const what = directory === null ? 'a bare repository has no files' : 'it is never a project';
    throw new EngramError('project.invalid', `${directory ?? cwd} gets no name: ${what}`, {
      hint: 'Go to the directory of a project first.',
    });
  }
  const path = join(directory, '.engram', 'config.json');
  const text = readIdentityFile(path);
  const keys = text === null ? {} : identityKeys(path, text);
  const before = typeof keys.project_name === 'string' ? keys.project_name : null;
  if (before === name) return { name, path, change: 'unchanged', before };
  write(path, Buffer.from(`${JSON.stringify({ ...keys, project_name: name }, null, 2)}\n`), text === null);
  return { name, path, change: text === null ? 'created' : 'changed', before };
}

/** It is committed with the project, so others may read it. */
const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;

function write(path: string, bytes: Uint8Array, isNew: boolean): void {
  const directory = dirname(path);
  try {
    if (lookUp(directory) === 'absent') realFileSystem.mkdirSync(directory, { mode: DIRECTORY_MODE, recursive: false });
    if (!isNew) replaceFile(path, bytes);
    else if (!prepareReplacement(path, bytes, { mode: FILE_MODE }, realFileSystem).asNew()) {
      throw new EngramError('file.write', `${path} has just been made by somebody else`, { hint: 'Try again.' });
    }
  } catch (error) {
    if (error instanceof EngramError || systemErrorCode(error) === null) throw error;
    throw writeFailure(path, error);
  }
}
