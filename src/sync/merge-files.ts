import { EngramError } from '../errors.ts';
import { decodeFile } from '../memory/file-text.ts';
import { type FoldedTexts, foldValues } from '../memory/folded-values.ts';
import { readMemory } from '../memory/read-toml.ts';
import {
  emptyRecord,
  type MemoryDirectory,
  type MemoryRecord,
  type ParsedMemory,
  RECORD_KEYS,
  type RecordKey,
} from '../memory/record.ts';
import { effectiveFileRecord, mergeFirstMeeting, mergeRecords } from './merge.ts';
import { bytesSaying } from './new-bytes.ts';

/** Three versions of one memory file: what both sides come from, and what each made of it. An empty base is none. */
export interface ThreeFiles {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/**
 * Three versions in which every field that merges by itself says the merged value already. What they still differ in is
 * for a merge by lines: comments, order, unknown keys, and the texts that clash.
 */
export interface SettledFiles {
  readonly kind: 'settled';
  readonly files: ThreeFiles;
  /** The memory file of what was merged from these. */
  toFile(merged: Uint8Array): Uint8Array;
  /** Whether that file says what the fields merged to. False for what lines alone got wrong, a key that both sides added. */
  isTrueTo(file: Uint8Array): boolean;
  /** Texts, or the project, that both sides changed to something else: a person has to choose. */
  readonly clashes: readonly RecordKey[];
  /** Other fields that both sides changed to something else: one value stays by rule, git has the other. */
  readonly decided: readonly RecordKey[];
}

export type Settlement = SettledFiles | { readonly kind: 'not-memories'; readonly reason: string };

/**
 * Merges the fields of three files (SY-15, SY-46): counters add both deltas, times, core and scope by their rules. Writes
 * the result in place into each of the three, in its own layout. Without a base both sides meet for the first time.
 *
 * @param directory - where the memory lies; decides its type only where nothing in the file does
 * @returns `not-memories` when one of the files is no memory that engram may edit, with the reason
 */
export function settleFields(files: ThreeFiles, directory: MemoryDirectory): Settlement {
  try {
    const base = files.base.length === 0 ? null : parsed('base', files.base, directory);
    const ours = parsed('ours', files.ours, directory);
    const theirs = parsed('theirs', files.theirs, directory);
    const versions = base === null ? [ours, theirs] : [base, ours, theirs];
    if (new Set(versions.map(({ record }) => record.type)).size > 1) throw notMemory('the type of the memory changed');
    return settle(files, directory, { base, ours, theirs });
  } catch (error) {
    if (error instanceof EngramError) return { kind: 'not-memories', reason: error.message };
    throw error;
  }
}

interface ThreeMemories {
  readonly base: ParsedMemory | null;
  readonly ours: ParsedMemory;
  readonly theirs: ParsedMemory;
}

function settle(files: ThreeFiles, directory: MemoryDirectory, { base, ours, theirs }: ThreeMemories): SettledFiles {
  const ourRecord = effectiveFileRecord(ours, base, endsWithNewline(files.ours));
  const theirRecord = effectiveFileRecord(theirs, base, endsWithNewline(files.theirs));
  const merge =
    base === null ? mergeFirstMeeting(ourRecord, theirRecord) : mergeRecords(base.record, ourRecord, theirRecord);
  const clashes = merge.clashes.map((clash): RecordKey => clash.field);
  const open = new Set<RecordKey>([...clashes, ...[base, ours, theirs].flatMap((each) => each?.unusable ?? [])]);
  // A scoped memory without its project would be none.
  if (open.has('project_slug')) open.add('project_scoped');
  const known = (base?.present ?? []).filter((key) => !open.has(key));
  const settled = (bytes: Uint8Array, version: ParsedMemory): string => {
    const own = Object.fromEntries([...open].map((key) => [key, version.record[key]]));
    return textOf(bytesSaying({ ...merge.record, ...own }, { parsed: version, bytes }, known));
  };
  const { texts, unfold } = folded({
    base: base === null ? '' : settled(files.base, base),
    ours: settled(files.ours, ours),
    theirs: settled(files.theirs, theirs),
  });
  const hasBom = files.ours[0] === 0xef;
  return {
    kind: 'settled',
    files: { base: encoded(texts.base), ours: encoded(texts.ours), theirs: encoded(texts.theirs) },
    toFile: (merged) => encoded((hasBom ? '\ufeff' : '') + unfold(textOf(merged))),
    isTrueTo: (file) => clashes.length === 0 && saysAlike(file, directory, merge.record, open),
    clashes,
    decided: decidedKeys(base?.record ?? emptyRecord(ours.record.type, null), ourRecord, theirRecord, open),
  };
}

/** @throws EngramError `memory.invalid`, `memory.read-only` */
function parsed(which: keyof ThreeFiles, bytes: Uint8Array, directory: MemoryDirectory): ParsedMemory {
  const read = readMemory(bytes, directory);
  if (read.kind !== 'ok') throw notMemory(`${which} is no memory (${read.message})`);
  if (read.memory.newerVersion) throw notMemory(`${which} is of a newer engram`);
  return read.memory;
}

function notMemory(reason: string): EngramError {
  return new EngramError('memory.invalid', reason);
}

function folded(texts: Readonly<Record<keyof ThreeFiles, string>>): FoldedTexts<keyof ThreeFiles> {
  try {
    return foldValues(texts);
  } catch (error) {
    // The two parsers differ in a few corners.
    throw new EngramError('memory.layout', 'a file cannot be taken apart', { cause: error });
  }
}

function textOf(bytes: Uint8Array): string {
  const decoded = decodeFile(bytes);
  if (decoded.kind !== 'text') throw notMemory('a byte that is not UTF-8');
  return decoded.text;
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function endsWithNewline(bytes: Uint8Array): boolean {
  return bytes.at(-1) === 0x0a;
}

/** Layout and what only this file knows; compared by nobody. */
const NOT_MERGED: ReadonlySet<RecordKey> = new Set<RecordKey>(['extra', 'schema_version']);

function saysAlike(
  file: Uint8Array,
  directory: MemoryDirectory,
  record: MemoryRecord,
  open: ReadonlySet<RecordKey>,
): boolean {
  const read = readMemory(file, directory);
  if (read.kind !== 'ok') return false;
  const found = read.memory.record;
  return RECORD_KEYS.every((key) => NOT_MERGED.has(key) || open.has(key) || found[key] === record[key]);
}

const DECIDED_BY_RULE = [
  'source',
  'core',
  'core_origin',
  'project_scoped',
  'project_slug',
  'initial_confidence',
] as const satisfies readonly RecordKey[];

function decidedKeys(
  base: MemoryRecord,
  ours: MemoryRecord,
  theirs: MemoryRecord,
  open: ReadonlySet<RecordKey>,
): RecordKey[] {
  return DECIDED_BY_RULE.filter(
    (key) => !open.has(key) && ours[key] !== base[key] && theirs[key] !== base[key] && ours[key] !== theirs[key],
  );
}
