import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngramError } from '../errors.ts';
import { stableRead } from '../files/stable-read.ts';
import { type EditOutcome, saveEditedCopy } from '../learning/edit.ts';
import { readMemory } from '../memory/read-toml.ts';
import { directoryOf, type MemoryName, slugOf } from '../memory/slug.ts';
import { findBase } from '../store/bases.ts';
import type { SyncContext } from '../sync/context.ts';
import { contentHash } from '../text/content-hash.ts';
import type { CommandContext } from './context.ts';

/**
 * Opens a copy of a memory's file in `$VISUAL` or `$EDITOR` without holding a lock, and takes over what was saved. A copy
 * that cannot be read is kept and named, so that nothing typed is lost.
 */
export async function editInEditor(
  { environment }: CommandContext,
  context: SyncContext,
  name: MemoryName,
): Promise<EditOutcome> {
  const editor = environment.VISUAL || environment.EDITOR;
  if (!editor) {
    throw new EngramError('usage', '$EDITOR is not set', { hint: 'Name fields instead, e.g. --action TEXT.' });
  }
  const before = readOriginal(context, name);
  const directory = mkdtempSync(join(tmpdir(), 'engram-edit-'));
  const copy = join(directory, `${slugOf(name)}.toml`);
  writeFileSync(copy, before.bytes, { mode: 0o600 });
  const { status, error } = spawnSync(`${editor} "$1"`, ['sh', copy], { shell: '/bin/sh', stdio: 'inherit' });
  if (error !== undefined || status !== 0) {
    throw new EngramError(
      'usage',
      `the editor ended with ${error?.message ?? `status ${status}`}; nothing was changed`,
      {
        hint: `Your copy is ${copy}`,
      },
    );
  }
  const bytes = readFileSync(copy);
  const read = readMemory(bytes, directoryOf(name));
  if (read.kind !== 'ok') {
    throw new EngramError('memory.invalid', `${copy}:${read.line ?? 1} ${read.reason}: ${read.message}`, {
      hint: 'Nothing was changed; your text is in that copy.',
    });
  }
  const outcome = saveEditedCopy(context, name, {
    before: before.record,
    replaces: contentHash(before.bytes),
    bytes,
    parsed: read.memory,
  });
  rmSync(directory, { recursive: true, force: true });
  return outcome;
}

function readOriginal(context: SyncContext, name: MemoryName) {
  const path = findBase(context.store.db, name)?.path ?? `${name}.toml`;
  const read = stableRead(join(context.paths.memory, path));
  const parsed = read.kind === 'file' ? readMemory(read.bytes, directoryOf(name)) : null;
  if (read.kind === 'file' && parsed?.kind === 'ok') return { bytes: read.bytes, record: parsed.memory.record };
  throw new EngramError('memory.quarantined', `${name}: its file ${path} cannot be read`, {
    hint: 'Run: engram db status (shows why)',
  });
}
