import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryRecord } from '../../../src/memory/record.ts';
import { EMPTY_RECORD } from './records.ts';

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly group: string;
  /** Empty where the set has no kinds. */
  readonly kind: string;
  /** Ids of right documents; empty where nothing is right. */
  readonly right: ReadonlySet<string>;
  /** Id of the document that must not come back. */
  readonly mustNot: string | null;
}

/** One set of the data folder (SE-62), its documents as records by id. */
export interface RetrievalSet {
  readonly name: string;
  /** Each group is a store of its own (SE-63). */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, MemoryRecord>>;
  readonly queries: readonly Question[];
  readonly noMatch: readonly Question[];
  readonly forbidden: readonly Question[];
}

/** Names of the folders that are sets: those with queries. Null when the data folder is missing. */
export function listSets(data: string): string[] | null {
  if (!existsSync(data)) return null;
  return readdirSync(data)
    .filter((name) => existsSync(join(data, name, 'queries.jsonl')))
    .sort();
}

export function readSet(data: string, name: string): RetrievalSet {
  const file = (kind: string) => join(data, name, kind);
  const right = readQrels(file('qrels.tsv'));
  const groups = new Map<string, Map<string, MemoryRecord>>();
  for (const line of readLines(file('corpus.jsonl'))) {
    const group = line.group ?? '';
    const documents = groups.get(group) ?? new Map<string, MemoryRecord>();
    groups.set(group, documents.set(line.id, documentRecord(line)));
  }
  const asQuestion = (line: Line): Question => ({
    id: line.id,
    text: line.text ?? '',
    group: line.group ?? '',
    kind: line.kind ?? '',
    right: right.get(line.id) ?? new Set(),
    mustNot: line.must_not ?? null,
  });
  return {
    name,
    groups,
    queries: readLines(file('queries.jsonl')).map(asQuestion),
    noMatch: readLines(file('no_match.jsonl')).map(asQuestion),
    forbidden: readLines(file('must_not_return.jsonl')).map(asQuestion),
  };
}

/** Memories that have nothing to do with any set, to crowd a store with: seven of ten lines (SE-69). Null without them. */
export function readDistractors(data: string): ReadonlyMap<string, MemoryRecord> | null {
  const lines = readLines(join(data, 'distractors', 'corpus.jsonl')).filter((_, at) => at % 10 <= 6);
  return lines.length === 0 ? null : new Map(lines.map((line) => [`distractor:${line.id}`, documentRecord(line)]));
}

/** `situation` and `body` where there are; `text` is the situation alone, or the content beside a situation (SE-63). */
function documentRecord({ text, situation, body }: Line): MemoryRecord {
  if (situation === undefined) return { ...EMPTY_RECORD, situation: text ?? '', action: '' };
  return { ...EMPTY_RECORD, situation, action: body ?? text ?? '' };
}

interface Line {
  readonly id: string;
  readonly text?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly situation?: string;
  readonly body?: string;
  readonly must_not?: string;
}

function readLines(file: string): Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function readQrels(file: string): Map<string, Set<string>> {
  const right = new Map<string, Set<string>>();
  if (!existsSync(file)) return right;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [query, document, relevance] = line.split('\t');
    if (query === undefined || document === undefined || !(Number(relevance) > 0)) continue;
    right.set(query, (right.get(query) ?? new Set()).add(document));
  }
  return right;
}
