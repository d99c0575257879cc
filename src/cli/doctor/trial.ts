import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engram, openEngram } from '../../engram.ts';
import { EngramError } from '../../errors.ts';
import { forget, restore } from '../../learning/forget.ts';
import { countOutcome } from '../../learning/outcomes.ts';
import type { MemoryName } from '../../memory/slug.ts';
import type { QueryAnswer } from '../../search/answer.ts';
import type { EmbeddingSettings } from '../../search/embedder-source.ts';
import { listNames } from '../../store/memories.ts';

/** One step of the loop, and why it failed; null when it did what it promises. */
export interface TrialStep {
  readonly step: 'learn' | 'sync' | 'words' | 'meaning' | 'edit' | 'outcome' | 'forget' | 'restore';
  readonly problem: string | null;
}

const DRAFT = {
  type: 'feedback',
  situation: 'When adding a column to a table that holds many rows',
  behavior: 'Adding it NOT NULL with a default in one migration',
  impact: 'The table was locked for nine minutes',
  action: 'Add it nullable, backfill in batches, then set NOT NULL',
} as const;
const BY_WORDS = 'adding a column to a table with many rows';
/** Shares one plain word with the memory. */
const BY_MEANING = 'altering a table with millions of records';
const EDITED = 'Ask the zeppelin captain first';
const NOWHERE = { name: null, aliases: [], paths: [], foundBy: 'none' } as const;

/** A directory for the trial; disposing removes it. */
export function makeScratch(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'engram-doctor-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Goes the whole way of a memory in a store of its own: learned, synced, found by its words and by its meaning, edited in
 * its file, counted, forgotten and restored. The first step that fails is the last; only meaning is nothing the others need.
 *
 * @param directory - exists; the store is made in it
 * @param embedding - with any other provider than the built-in one, meaning is left out: no server is sent a trial
 */
export async function tryWholeLoop(directory: string, embedding: EmbeddingSettings): Promise<TrialStep[]> {
  const hasModel = embedding.provider === 'built-in';
  using engram = await openEngram({
    root: join(directory, 'store'),
    origin: 'doctor',
    embedding: hasModel ? embedding : { provider: 'none' },
  });
  const steps: TrialStep[] = [];
  for (const [step, work] of Object.entries(STEPS) as [TrialStep['step'], Step][]) {
    if (step === 'meaning' && !hasModel) continue;
    const problem = await problemOf(() => work(engram));
    steps.push({ step, problem });
    if (problem !== null && step !== 'meaning') break;
  }
  return steps;
}

/** Says what is wrong, or null. */
type Step = (engram: Engram) => Promise<string | null>;

const STEPS: Readonly<Record<TrialStep['step'], Step>> = {
  learn: async (engram) => {
    const { kind } = await engram.learn(DRAFT, { project: NOWHERE, everywhere: true });
    return kind === 'created' ? null : `the answer was ${kind}`;
  },
  sync: async (engram) => {
    const { steps } = await engram.sync();
    return steps.length === 0 ? null : 'file and row were not equal after learning';
  },
  words: async (engram) => missed(await ask(engram, BY_WORDS), ({ words }) => words !== undefined && words > 0),
  meaning: async (engram) => {
    const modelError = await engram.embedNew();
    if (modelError !== null) throw modelError;
    return missed(await ask(engram, BY_MEANING), ({ meaning }) => (meaning ?? 0) > 0);
  },
  edit: async (engram) => {
    const file = fileOf(engram);
    writeFileSync(file, readFileSync(file, 'utf8').replace(DRAFT.action, EDITED));
    const { stale } = await engram.refresh();
    if (stale) await engram.sync();
    const answer = await ask(engram, BY_WORDS);
    return answer.hits[0]?.record.action === EDITED ? null : 'what was written into the file did not arrive';
  },
  outcome: async (engram) => {
    countOutcome(engram.context, nameIn(engram), { kind: 'followed' });
    return /^followed_count = 1$/m.test(readFileSync(fileOf(engram), 'utf8')) ? null : 'the file has not counted it';
  },
  forget: async (engram) => {
    forget(engram.context, nameIn(engram));
    return (await ask(engram, BY_WORDS)).hits.length === 0 ? null : 'it is found still';
  },
  restore: async (engram) => {
    restore(engram.context, NAME);
    return missed(await ask(engram, BY_WORDS), () => true);
  },
};

const NAME = 'feedback/when-adding-a-column-to-a-table-that-holds-many-rows' as MemoryName;

function ask(engram: Engram, text: string): Promise<QueryAnswer> {
  return engram.query({ text, project: NOWHERE });
}

function missed({ hits, degraded }: QueryAnswer, isBy: (arms: QueryAnswer['hits'][number]['arms']) => boolean) {
  const [hit] = hits;
  if (hit?.name === NAME && isBy(hit.arms)) return null;
  return `the memory was not found${degraded.length === 0 ? '' : ` (${degraded.join(', ')})`}`;
}

function nameIn({ context }: Engram): MemoryName {
  return listNames(context.store.db)[0] ?? NAME;
}

function fileOf({ context }: Engram): string {
  return join(context.paths.memory, `${NAME}.toml`);
}

async function problemOf(work: () => Promise<string | null>): Promise<string | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngramError) return error.hint === null ? error.message : `${error.message}. ${error.hint}`;
    return error instanceof Error ? error.message : String(error);
  }
}
