import { readMemory } from '../memory/read-toml.ts';
import type { ReadNote } from '../memory/record.ts';
import { overlongTexts } from '../memory/validate.ts';
import { listAgreedFiles } from '../store/bases.ts';
import { listQuarantined } from '../store/quarantine.ts';
import { directoryOfPath, type SyncContext } from './context.ts';

/** Something about a file that is read all the same; `key` is null where it is about the whole file. */
export interface FileNote {
  readonly path: string;
  readonly key: string | null;
  readonly message: string;
}

/** What the owners of readable files should know (MF-27), from the bytes last agreed on. */
export function listFileNotes({ store: { db } }: SyncContext): FileNote[] {
  const quarantined = new Set(listQuarantined(db).map(({ path }) => path));
  return listAgreedFiles(db)
    .filter(({ path }) => !quarantined.has(path))
    .flatMap(({ path, bytes, isReadOnly }) => {
      const read = readMemory(bytes, directoryOfPath(path));
      if (read.kind !== 'ok') return [];
      const { notes, record, newerVersion } = read.memory;
      const noted: (ReadNote | Omit<FileNote, 'path'>)[] = [...notes, ...overlongTexts(record)];
      if (newerVersion) noted.unshift({ key: 'schema_version', message: 'read-only: written by a newer engram' });
      else if (isReadOnly) noted.unshift({ key: null, message: 'read-only: a link, which a rewrite would replace' });
      return noted.map(({ key, message }) => ({ path, key, message }));
    });
}
