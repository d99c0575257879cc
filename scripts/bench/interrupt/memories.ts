import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyRecord, type MemoryRecord, type MemoryType } from '../../../src/memory/record.ts';
import { type MemoryName, parseMemoryName } from '../../../src/memory/slug.ts';

/** An intent and the feedback memories that speak against it; none where nothing is to be said. */
export interface IntentQuestion {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly right: ReadonlySet<MemoryName>;
  /** Some memory is about it, and it is none that speaks against it: a fact. */
  readonly isAboutFact: boolean;
}

export interface IntentSet {
  readonly memories: ReadonlyMap<MemoryName, MemoryRecord>;
  readonly intents: readonly IntentQuestion[];
}

type Line = {
  readonly id: string;
  readonly kind?: string;
  readonly text: string;
  readonly type?: MemoryType;
} & Readonly<
  Partial<Record<'situation' | 'behavior' | 'impact' | 'action' | 'subject' | 'predicate' | 'object', string>>
>;

/** Null where the data are missing. */
export function readIntents(data: string): IntentSet | null {
  const file = (name: string) => join(data, 'intents', name);
  if (!existsSync(file('corpus.jsonl'))) return null;
  const memories = new Map<MemoryName, MemoryRecord>();
  const names = new Map<string, MemoryName>();
  for (const line of readLines(file('corpus.jsonl'))) {
    const name = parseMemoryName(`${line.type === 'fact' ? 'facts' : 'feedback'}/${line.id.toLowerCase()}`);
    names.set(line.id, name);
    memories.set(name, recordOf(line));
  }
  const right = new Map<string, MemoryName[]>();
  for (const line of readFileSync(file('qrels.tsv'), 'utf8').split('\n')) {
    const [query = '', document = '', relevance] = line.split('\t');
    const name = names.get(document);
    if (name !== undefined && Number(relevance) > 0) right.set(query, [...(right.get(query) ?? []), name]);
  }
  const intents = [...readLines(file('queries.jsonl')), ...readLines(file('no_match.jsonl'))].map((line) => {
    const all = right.get(line.id) ?? [];
    const feedback = all.filter((name) => name.startsWith('feedback/'));
    return {
      id: line.id,
      kind: line.kind ?? '',
      text: line.text,
      right: new Set(feedback),
      isAboutFact: all.length > 0 && feedback.length === 0,
    };
  });
  return { memories, intents };
}

/** Rules that have nothing to do with the intents: the first sentence is the situation, the others are dealt to the other texts. */
export function readUnrelated(
  data: string,
  { rules, intents }: { readonly rules: number; readonly intents: number },
): { readonly memories: ReadonlyMap<MemoryName, MemoryRecord>; readonly texts: readonly string[] } | null {
  const [corpus, others] = [join(data, 'distractors', 'corpus.jsonl'), join(data, 'skilltrig', 'no_match.jsonl')];
  if (!existsSync(corpus) || !existsSync(others)) return null;
  const all = readLines(corpus);
  const memories = new Map<MemoryName, MemoryRecord>();
  // Neighbours come from one file: what was done wrong is the rule before.
  for (let at = 1; at < all.length && memories.size < rules; at += Math.max(1, Math.floor(all.length / rules))) {
    const [wrong, right] = [all[at - 1]?.text ?? '', all[at]?.text ?? ''];
    memories.set(parseMemoryName(`feedback/rule-${at}`), {
      ...emptyRecord('feedback', '2026-01-01T00:00:00Z'),
      situation: `When ${right.slice(0, 1).toLowerCase()}${right.slice(1, 200)}`,
      behavior: `Did otherwise: ${wrong}`,
      impact: 'The review asked for changes.',
      action: right,
      initial_confidence: 1,
    });
  }
  const clinc = join(data, 'clinc150', 'no_match.jsonl');
  const texts = [...readLines(others), ...(existsSync(clinc) ? readLines(clinc) : [])].map(({ text }) => text);
  return { memories, texts: texts.slice(0, intents) };
}

function recordOf(line: Line): MemoryRecord {
  const empty = emptyRecord(line.type ?? 'feedback', '2026-01-01T00:00:00Z');
  const given = Object.fromEntries(
    Object.keys(empty).flatMap((key) => (key in line ? [[key, line[key as keyof Line]]] : [])),
  );
  return { ...empty, ...given, initial_confidence: 1 };
}

function readLines(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
