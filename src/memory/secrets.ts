import { findSecrets, mayNameSecret, redact, type SecretFinding } from '../text/secrets.ts';
import { placeOfKey } from './file-text.ts';
import { type MemoryRecord, RECORD_KEYS, type RecordKey } from './record.ts';
import { isTable, type TomlTable, type TomlValue } from './toml-table.ts';
import { M1_KEYS } from './variants.ts';

/** A secret in a record: in which key, of what kind, and in which line of that key's text. */
interface RecordSecret extends SecretFinding {
  readonly key: TextKey;
}

const TEXT_KEYS = [
  'situation',
  'behavior',
  'impact',
  'action',
  'subject',
  'predicate',
  'object',
  'source',
  'project_slug',
  'extra',
] as const satisfies readonly RecordKey[];
type TextKey = (typeof TEXT_KEYS)[number];

/**
 * The first secret in the texts of a record, or null (MF-12). The parts of a fact are also read as the sentence they are:
 * `deploy password`, `is` and the password make one together.
 *
 * @param keys - which texts are looked at; all when not given
 */
export function findRecordSecret(record: MemoryRecord, keys: readonly RecordKey[] = TEXT_KEYS): RecordSecret | null {
  for (const key of TEXT_KEYS) {
    const [finding] = keys.includes(key) ? findSecrets(record[key] ?? '') : [];
    if (finding !== undefined) return { key, ...finding };
  }
  const kind = keys.includes('object') ? kindInFact(record.subject, record.predicate, record.object) : null;
  return kind === null ? null : { key: 'object', kind, line: 1 };
}

/**
 * The record with a mark in place of every secret, for what is kept of a text that is not to come in as it is. Unknown keys
 * that hold one are left out as a whole.
 */
export function withoutSecrets(record: MemoryRecord): MemoryRecord {
  const found = findRecordSecret(record);
  if (found === null) return record;
  const { key, kind } = found;
  if (key === 'extra') return withoutSecrets({ ...record, extra: null });
  const text = redact(record[key] ?? '');
  return withoutSecrets({ ...record, [key]: text === record[key] ? `[redacted:${kind}]` : text });
}

/** A secret in a file; `key` is null where it stands in a comment or below a key that is not engram's. */
interface FileSecret {
  readonly key: string | null;
  readonly kind: string;
  /** Of the file, from 1. */
  readonly line: number;
}

/**
 * The first secret in the text of a file, comments and unknown keys included (MF-23). Its values are also looked at as TOML
 * reads them: an escape, or a line that goes on, would hide one from whoever looks at the text alone.
 *
 * @param table - what the text says; null where it cannot be parsed
 */
export function findFileSecret(text: string, table: TomlTable | null): FileSecret | null {
  const [found] = findSecrets(text);
  if (found !== undefined) return { ...found, key: keyAtLine(text, found.line) };
  if (table === null) return null;
  return (text.includes('\\') ? secretInValues(table, text) : null) ?? secretInFact(table, text);
}

/** The key that the line belongs to: the last one that is set at or before it. */
function keyAtLine(text: string, line: number): string | null {
  const lines = text.split('\n').slice(0, line);
  if (lines.at(-1)?.trimStart().startsWith('#') === true) return null;
  const key = lines.map((each) => SET_KEY.exec(each)?.[1]).findLast((each) => each !== undefined);
  return key !== undefined && OUR_KEYS.has(key) ? key : null;
}

const SET_KEY = /^\s*(?:content\.)?["']?([\w-]+)["']?\s*=/;
/** Others are not named: a key may be the secret. */
const OUR_KEYS: ReadonlySet<string> = new Set<string>([...RECORD_KEYS, ...M1_KEYS]);

function secretInValues(table: TomlTable, text: string): FileSecret | null {
  for (const [key, value] of Object.entries(table)) {
    const kind = isTable(value) ? null : kindIn(key, value);
    const inside = isTable(value) ? secretInValues(value, text) : null;
    if (inside !== null) return inside;
    if (kind !== null) return { ...placeOf(OUR_KEYS.has(key) ? key : null, text), kind };
  }
  return null;
}

function kindIn(key: string, value: TomlValue | undefined): string | null {
  if (Array.isArray(value)) {
    for (const each of value) {
      const kind = isTable(each) ? (secretInValues(each, '')?.kind ?? null) : kindIn(key, each);
      if (kind !== null) return kind;
    }
    return null;
  }
  return typeof value === 'string' ? (findSecrets(`${key} = ${value}`)[0]?.kind ?? null) : null;
}

function secretInFact(table: TomlTable, text: string): FileSecret | null {
  const { subject, predicate, object } = isTable(table.content) ? table.content : table;
  const kind = kindInFact(subject, predicate, object);
  return kind === null ? null : { ...placeOf('object', text), kind };
}

function placeOf(key: string | null, text: string): { readonly key: string | null; readonly line: number } {
  return { key, line: (key === null ? null : placeOfKey(text, key)?.line) ?? 1 };
}

/** `deploy password`, `is` and the password, each in its own field, make a secret together. */
function kindInFact(subject: unknown, predicate: unknown, object: unknown): string | null {
  if (typeof subject !== 'string' || typeof object !== 'string') return null;
  const named = typeof predicate === 'string' ? `${subject} ${predicate}: ${object}\n` : '';
  // Each field has been looked at by itself: together they say more only where one names what another holds.
  if (!mayNameSecret(`${subject} ${named}`)) return null;
  return findSecrets(`${named}${subject}: ${object}`)[0]?.kind ?? null;
}
