import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryRecord } from '../../../src/memory/record.ts';
import { EMPTY_RECORD } from './records.ts';

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly group: string;
  /** Ids of right documents; empty where nothing is right. */
  readonly right: ReadonlySet<string>;
}

export interface ForbiddenPair {
  readonly text: string;
  readonly group: string;
  readonly mustNot: string;
}

/** One set of the data folder (SE-62), its documents as records by id. */
export interface RetrievalSet {
  readonly name: string;
  /** Each group is a store of its own (SE-63). */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, MemoryRecord>>;
  readonly queries: readonly Question[];
  readonly noMatch: readonly Question[];
  readonly forbidden: readonly ForbiddenPair[];
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
  const asQuestion = (line: Line): Question => ({ ...common(line), right: right.get(line.id) ?? new Set() });
  return {
    name,
    groups,
    queries: readLines(file('queries.jsonl')).map(asQuestion),
    noMatch: readLines(file('no_match.jsonl')).map(asQuestion),
    forbidden: readLines(file('must_not_return.jsonl')).map((line) => ({
      ...common(line),
      mustNot: line.must_not ?? '',
    })),
  };
}

/** `situation` and `body` where there are; `text` is the situation alone, or the content beside a situation (SE-63). */
function documentRecord({ text, situation, body }: Line): MemoryRecord {
  if (situation === undefined) return { ...EMPTY_RECORD, situation: text ?? '', action: '' };
  return { ...EMPTY_RECORD, situation, action: body ?? text ?? '' };
}

export interface Line {
  readonly id: string;
  readonly text?: string;
  readonly group?: string;
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

function common(line: Line): { id: string; text: string; group: string } {
  return { id: line.id, text: line.text ?? '', group: line.group ?? '' };
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
