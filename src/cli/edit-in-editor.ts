import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EngramError, systemErrorCode } from '../errors.ts';
import { type CopyOutcome, saveEditedCopy } from '../learning/edit.ts';
import { readMemory } from '../memory/read-toml.ts';
import { directoryOf, type MemoryName, slugOf } from '../memory/slug.ts';
import type { SyncContext } from '../sync/context.ts';
import { memoryFile } from '../sync/memory-file.ts';
import { redact } from '../text/secrets.ts';
import type { CommandContext } from './context.ts';
import { leaveInterruptsToChild } from './interrupt.ts';

export interface EditorOutcome extends CopyOutcome {
  /** Where the copy still lies, because its layout could not be taken over; else null. */
  readonly copy: string | null;
}

/**
 * Opens a copy of a memory's file in `$VISUAL` or `$EDITOR` without holding a lock, and takes over what was saved. A copy
 * that cannot be taken over is kept and named, so that nothing typed is lost.
 *
 * @throws EngramError `editor.failed`; `memory.invalid` for a copy that is no memory, and those of `saveEditedCopy`; the hint names the copy
 */
export function editInEditor(
  { environment }: Pick<CommandContext, 'environment'>,
  context: SyncContext,
  name: MemoryName,
): EditorOutcome {
  const editor = environment.VISUAL || environment.EDITOR;
  if (!editor) {
    throw new EngramError('usage', '$EDITOR is not set', { hint: 'Name fields instead, e.g. --action TEXT.' });
  }
  const before = memoryFile(context, name);
  const directory = mkdtempSync(join(tmpdir(), 'engram-edit-'));
  const copy = join(directory, `${slugOf(name).slice(0, 100)}.toml`);
  writeFileSync(copy, before.bytes, { mode: 0o600 });
  const outcome = keepingCopy(copy, before.bytes, () => {
    runEditor(editor, copy);
    const bytes = readCopy(copy);
    if (bytes === null) throw new EngramError('editor.failed', 'the editor left no file behind');
    return saveEditedCopy(context, name, { before, bytes, parsed: parseCopy(copy, bytes, name) });
  });
  if (!outcome.textKept) return { ...outcome, copy };
  rmSync(directory, { recursive: true, force: true });
  return { ...outcome, copy: null };
}

function runEditor(editor: string, copy: string): void {
  leaveInterruptsToChild();
  const { status, signal, error } = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', copy], { stdio: 'inherit' });
  if (error === undefined && status === 0) return;
  const end = error?.message ?? (signal === null ? `status ${status}` : `signal ${signal}`);
  throw new EngramError('editor.failed', `the editor ended with ${end}`);
}

/** The bytes of the copy, null when the editor removed it. */
function readCopy(copy: string): Buffer | null {
  try {
    return readFileSync(copy);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return null;
    throw new EngramError('editor.failed', `${copy} cannot be read (${code ?? 'failed'})`, { cause: error });
  }
}

function parseCopy(copy: string, bytes: Uint8Array, name: MemoryName) {
  const read = readMemory(bytes, directoryOf(name));
  if (read.kind === 'ok') return read.memory;
  const place = read.line === null ? '' : `:${read.line}${read.column === null ? '' : `:${read.column}`}`;
  throw new EngramError('memory.invalid', `${copy}${place} ${read.reason}: ${read.message}`);
}

/** Whatever fails, what was typed stays, and the error says where. A copy into which nothing was typed goes. */
function keepingCopy<T>(copy: string, before: Uint8Array, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EngramError)) throw error;
    const isTyped = hasNewText(copy, before);
    if (!isTyped) rmSync(dirname(copy), { recursive: true, force: true });
    const isRedacted = isTyped && redactCopy(copy);
    const hint = isTyped
      ? `Nothing was changed; your text ${isRedacted ? 'without its secrets ' : ''}is in ${copy}`
      : 'Nothing was changed. Try again, set another $EDITOR, or name fields, e.g. --action TEXT.';
    throw new EngramError(error.code, error.message, { hint, cause: error });
  }
}

/** The copy stays, so a secret in it would too (D14). Returns whether there was one. */
function redactCopy(copy: string): boolean {
  const text = (readCopy(copy) ?? Buffer.alloc(0)).toString('utf8');
  const redacted = redact(text);
  if (redacted === text) return false;
  writeFileSync(copy, redacted, { mode: 0o600 });
  return true;
}

/** A copy that cannot be read counts as typed into, so that it stays. */
function hasNewText(copy: string, before: Uint8Array): boolean {
  try {
    const bytes = readCopy(copy);
    return bytes !== null && Buffer.compare(bytes, before) !== 0;
  } catch {
    return true;
  }
}
