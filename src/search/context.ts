import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { type Tier, tierOf } from '../memory/tiers.ts';
import type { ProjectScope } from '../project/names.ts';
import { admit } from '../store/admitted.ts';
import { listAdmittedRows } from '../store/candidates.ts';
import { updateIndexes } from '../store/indexes.ts';
import { listSecretFiles } from '../store/quarantine.ts';
import type { Transactable } from '../store/transaction.ts';
import { scopeRule } from './project-scope.ts';
import { completedRecord } from './row-record.ts';

/** A memory that a session may start with. */
export interface ContextMemory {
  readonly name: MemoryName;
  readonly record: MemoryRecord;
  readonly tier: Tier;
}

export interface ContextRequest {
  readonly project: ProjectScope;
  readonly nowMs: number;
  readonly without?: readonly MemoryName[];
}

/**
 * The memories a session in this project may start with, best first: core, recent, then the rest, within a tier by the
 * last change of their text (MF-47). The project rule of SE-31 holds; what needs review is never among them (MF-14),
 * nor what has a file with a secret.
 */
export function listContext(store: Transactable, { project, nowMs, without }: ContextRequest): ContextMemory[] {
  updateIndexes(store);
  const rule = scopeRule(store.db, { project, allProjects: false, type: null, without: without ?? [] });
  admit(store.db, rule.filter);
  const memories = listAdmittedRows(store.db).map((row) => {
    const record = completedRecord(row);
    return { name: row.name as MemoryName, record, tier: tierOf(record, row.text_updated_at, nowMs) };
  });
  const secret = listSecretFiles(store.db);
  const shown = memories.filter(({ name, record }) => !record.needs_review && !secret.has(name));
  return TIERS.flatMap((tier) => shown.filter((memory) => memory.tier === tier));
}

/** How one memory is shown: in full, or its title alone. */
export interface ContextEntry {
  readonly memory: ContextMemory;
  readonly text: string;
  readonly full: boolean;
}

export interface ContextSelection {
  readonly entries: readonly ContextEntry[];
  /** Memories that are not shown at all. */
  readonly left: number;
  /** What says so, with the command that shows the rest; empty when nothing is left out or cut to its title. */
  readonly mark: string;
}

/** The texts of the two forms, each ending in a line break, and the mark for what was left out (SE-61). */
export interface ContextTexts {
  title(memory: ContextMemory): string;
  full(memory: ContextMemory): string;
  mark(left: number, titlesOnly: number): string;
}

/**
 * Chooses what fits into `budgetBytes` of UTF-8: titles first, as many as fit, then the best of them in full as long as
 * there is room (SE-61). What is left out or cut is said in a mark, which counts too.
 */
export function selectContext(
  memories: readonly ContextMemory[],
  budgetBytes: number,
  texts: ContextTexts,
): ContextSelection {
  const everything = memories.map((memory) => entry(memory, texts, true));
  if (size(everything) <= budgetBytes) return { entries: everything, left: 0, mark: '' };
  const room = budgetBytes - bytes(texts.mark(memories.length, memories.length));
  const titles: ContextEntry[] = [];
  let used = 0;
  for (const memory of memories) {
    const title = entry(memory, texts, false);
    if (used + bytes(title.text) > room) break;
    used += bytes(title.text);
    titles.push(title);
  }
  const entries = titles.map((title) => {
    const full = entry(title.memory, texts, true);
    const more = bytes(full.text) - bytes(title.text);
    if (used + more > room) return title;
    used += more;
    return full;
  });
  const left = memories.length - entries.length;
  return { entries, left, mark: texts.mark(left, entries.filter((one) => !one.full).length) };
}

const TIERS = ['core', 'recent', 'on-demand'] as const satisfies readonly Tier[];
const encoder = new TextEncoder();
const bytes = (text: string): number => encoder.encode(text).length;
const size = (entries: readonly ContextEntry[]): number => entries.reduce((sum, { text }) => sum + bytes(text), 0);

function entry(memory: ContextMemory, texts: ContextTexts, full: boolean): ContextEntry {
  return { memory, text: full ? texts.full(memory) : texts.title(memory), full };
}
