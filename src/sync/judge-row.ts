import { EngramError } from '../errors.ts';
import { selectNames } from '../files/memory-directory.ts';
import { differingKeys, type MemoryRecord, RECORD_KEYS, sameRecord } from '../memory/record.ts';
import { findRecordSecret } from '../memory/secrets.ts';
import { directoryOf, type MemoryName, slugOf } from '../memory/slug.ts';
import { validateRecord } from '../memory/validate.ts';
import { hasFoldEqualPath } from '../store/bases.ts';
import type { SqliteDatabase } from '../store/native.ts';
import { findSecrets } from '../text/secrets.ts';
import { defaultPath } from './context.ts';

/** Why a row is quarantined (SY-25). */
export interface RowProblem {
  readonly reason: 'invalid' | 'name' | 'name-clash' | 'secret';
  readonly message: string;
}

/**
 * What is wrong with a row that a shell may have written, or null.
 *
 * @param known - the last agreement, or the file's record at a first meeting: what a file was allowed to have is not
 * refused for standing in a row
 */
export function problemOfRecord(record: MemoryRecord, known: MemoryRecord | null): RowProblem | null {
  if (known !== null && sameRecord(record, known)) return null;
  const secret = findRecordSecret(record, known === null ? RECORD_KEYS : differingKeys(record, known));
  if (secret !== null) {
    return { reason: 'secret', message: `${secret.key} seems to hold a secret (${secret.kind}); UPDATE the row` };
  }
  try {
    validateRecord(record);
    return null;
  } catch (error) {
    if (error instanceof EngramError && error.code === 'memory.invalid') {
      return { reason: 'invalid', message: error.message };
    }
    throw error;
  }
}

/** Why no file can be made for a row with a new name: it would be refused, or taken for another memory (SY-1, MF-4). */
export function problemOfNewName(db: SqliteDatabase, name: MemoryName): RowProblem | null {
  if (findSecrets(name).length > 0) {
    return { reason: 'secret', message: 'the name seems to hold a secret; UPDATE it' };
  }
  if (name !== name.normalize('NFC')) {
    return { reason: 'name', message: 'the name is not in Unicode normal form C; UPDATE it to one that is' };
  }
  const [refused] = selectNames([`${slugOf(name)}.toml`]).quarantined;
  if (refused !== undefined) {
    return { reason: 'name', message: `a file of this name is refused (${refused.message}); UPDATE the name` };
  }
  if (hasFoldEqualPath(db, defaultPath(name))) {
    const message = `another memory of ${directoryOf(name)} has this name but for case; UPDATE the name`;
    return { reason: 'name-clash', message };
  }
  return null;
}
