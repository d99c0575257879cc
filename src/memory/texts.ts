import { placeOfKey } from './file-text.ts';
import { addNote, leaveAlone, type Reading } from './reading.ts';
import { CONTENT_KEYS, type ContentKey, contentKeysOf, type MemoryRecord, type MemoryType } from './record.ts';
import { type Quarantined, quarantined, type TomlTable } from './toml-table.ts';
import { M1_NAMES, m1Texts } from './variants.ts';

/** The texts a record is matched and shown by. */
export type Texts = Pick<MemoryRecord, 'situation' | ContentKey>;

const NO_TEXTS = { behavior: null, impact: null, action: null, subject: null, predicate: null, object: null };

/** The required texts of M2 to M5; the first one that is missing makes the file unusable (MF-23). */
export function readTexts(reading: Reading, type: MemoryType): Texts | Quarantined {
  const { table, layout } = reading;
  const own: readonly ContentKey[] = contentKeysOf(type);
  const texts = { situation: '', ...NO_TEXTS } as { -readonly [Key in keyof Texts]: Texts[Key] };
  const problem = takeText(reading, table, 'situation', texts, 'situation');
  if (problem !== null) return problem;
  for (const key of own) {
    const unread = takeText(reading, layout.fields, key, texts, `content.${key}`);
    if (unread !== null) return unread;
  }
  const foreign = CONTENT_KEYS.find((key) => !own.includes(key) && layout.fields[key] !== undefined);
  if (foreign !== undefined) addNote(reading, foreign, `does not belong to a ${type} memory and is not read`);
  return texts;
}

/** The texts of an M1 file: all but the situation may be missing (MF-14). */
export function readM1Texts(reading: Reading): Texts | Quarantined {
  const { table, text } = reading;
  if (table.title !== undefined && typeof table.title !== 'string') addNote(reading, 'title', 'no text; not read');
  for (const key of ['action', 'behavior', 'impact'] as const) {
    const value = table[M1_NAMES[key]];
    if (value !== undefined && typeof value !== 'string') leaveAlone(reading, key, `${M1_NAMES[key]} is no text`);
  }
  const texts = m1Texts(table);
  if (texts.action.trim() === '' || texts.situation.trim() === '') {
    return quarantined('invalid', 'content is empty', placeOfKey(text, 'content'));
  }
  return { ...NO_TEXTS, ...texts };
}

/** Texts that an import may leave empty until a person looked at the memory. Never the last one: a cut file must not pass. */
const MAY_WAIT: ReadonlySet<string> = new Set(['behavior', 'impact']);

function takeText(
  reading: Reading,
  from: TomlTable,
  key: 'situation' | ContentKey,
  texts: { -readonly [Key in keyof Texts]: Texts[Key] },
  path: string,
): Quarantined | null {
  const value = from[key];
  if (value === undefined) return quarantined('invalid', `${path} missing`);
  if (typeof value !== 'string') return quarantined('invalid', `${path} is no text`, placeOfKey(reading.text, key));
  const waits = MAY_WAIT.has(key) && reading.table.needs_review === true;
  if (value.trim() === '' && !waits) return quarantined('invalid', `${path} is empty`, placeOfKey(reading.text, key));
  texts[key] = value;
  return null;
}
