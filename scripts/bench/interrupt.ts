/**
 * How often the agent would interrupt, and how often it is right (AG-16, AG-17, AG-22).
 *
 *   npm run bench -- interrupt [--data DIR] [--applies-at N] [--apart N]
 *
 * Reads the set `intents` of `../shared/data/retrieval`; without it, it says so and exits 3. The perfect judge knows the right answers:
 * what it misses was no candidate. Exits 1 where a bar is missed.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBuiltInJudge } from '../../src/agent/judge/built-in.ts';
import type { Applies, Judge } from '../../src/agent/judge/judge.ts';
import { APART, APPLIES_AT } from '../../src/config-agent.ts';
import { type AgentStore, objections, openAgentStore } from './interrupt/agent-store.ts';
import { type IntentQuestion, readIntents, readUnrelated } from './interrupt/memories.ts';
import { type CachedEmbedder, openCachedEmbedder } from './retrieval/embedding-cache.ts';
import { percentile, share } from './retrieval/statistics.ts';

/** The bundle runs from a directory directly below the project. */
const DEFAULT_DATA = fileURLToPath(new URL('../../shared/data/retrieval', import.meta.url));

type Asked = Pick<Judge, 'applies' | 'kind'>;

interface Row {
  readonly what: string;
  readonly hits: readonly boolean[];
  readonly bar: number;
  readonly isMost: boolean;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: DEFAULT_DATA },
      'applies-at': { type: 'string', default: String(APPLIES_AT) },
      apart: { type: 'string', default: String(APART) },
    },
  });
  const set = readIntents(values.data);
  if (set === null) {
    console.error(`no set intents in ${values.data}: nothing is measured (--data DIR names another folder)`);
    return 3;
  }
  const settings = { appliesAt: Number(values['applies-at']), apart: Number(values.apart) };
  const embedder = openCachedEmbedder();
  let met = true;
  {
    using store = await openAgentStore(set.memories, embedder);
    const own = { kind: 'builtin', ...openBuiltInJudge(settings, store) } as const;
    console.log(
      `\nbuilt-in judge, applies_at ${settings.appliesAt}, apart ${settings.apart}, ${set.memories.size} memories`,
    );
    met = print(await rowsOf(store, () => own, set.intents, [75, 50, 15, 15, 3])) && met;
    console.log('\nperfect judge');
    met = print(await rowsOf(store, perfect, set.intents, [95, 90, 80, 0, 0])) && met;
  }
  met = (await unrelated(values.data, settings, embedder)) && met;
  await embedder.close();
  return met ? 0 : 1;
}

/** A test double that knows what is right. */
function perfect({ right, kind }: IntentQuestion): Asked {
  const speaksAgainst = (name: string) => kind !== 'follows' && [...right].some((one) => one === name);
  const applies: Asked['applies'] = async (_, memories) =>
    memories.map(
      ({ name }): Applies => ({
        verdict: speaksAgainst(name) ? 'applies' : 'unrelated',
        score: 1,
        reason: '',
        by: 'model',
      }),
    );
  return { kind: 'command', applies };
}

async function rowsOf(
  store: AgentStore,
  judgeFor: (question: IntentQuestion) => Asked,
  questions: readonly IntentQuestion[],
  [near = 0, long = 0, paraphrase = 0, follows = 0, noMatch = 0]: readonly number[],
): Promise<Row[]> {
  const right = new Map<string, boolean[]>();
  const any = { follows: [] as boolean[], noMatch: [] as boolean[], facts: [] as boolean[] };
  for (const question of questions) {
    const { names } = await objections(store, judgeFor(question), question.text);
    if (question.kind === 'follows') any.follows.push(names.length > 0);
    else if (question.isAboutFact) any.facts.push(names.length > 0);
    else if (question.right.size === 0) any.noMatch.push(names.length > 0);
    else
      right.set(question.kind, [...(right.get(question.kind) ?? []), names.some((name) => question.right.has(name))]);
  }
  const hits = (kind: string) => right.get(kind) ?? [];
  return [
    { what: 'right wait, near', hits: hits('near'), bar: near, isMost: false },
    { what: 'right wait, long', hits: hits('long'), bar: long, isMost: false },
    { what: 'right wait, paraphrase', hits: hits('paraphrase'), bar: paraphrase, isMost: false },
    { what: 'any wait, follows', hits: any.follows, bar: follows, isMost: true },
    { what: 'any wait, no match', hits: any.noMatch, bar: noMatch, isMost: true },
    { what: 'any wait, only a fact is right', hits: any.facts, bar: 100, isMost: true },
  ];
}

/** 200 intents that nothing of 1,000 memories is about, and what the verdicts on 8 candidates take. */
async function unrelated(
  data: string,
  settings: { readonly appliesAt: number; readonly apart: number },
  embedder: CachedEmbedder,
): Promise<boolean> {
  const crowd = readUnrelated(data, { rules: 1000, intents: 200 });
  if (crowd === null) {
    console.log('\nno distractors: the unrelated intents are left out');
    return true;
  }
  using store = await openAgentStore(crowd.memories, embedder);
  const judge = { kind: 'builtin', ...openBuiltInJudge(settings, store) } as const;
  const hits: boolean[] = [];
  const times: number[] = [];
  for (const text of crowd.texts) {
    hits.push((await objections(store, judge, text)).names.length > 0);
    const eight = (await store.candidates(text, 'query')).slice(0, 8);
    if (eight.length < 8) continue;
    const startedMs = performance.now();
    await judge.applies({ situation: text, behavior: text }, eight);
    times.push(performance.now() - startedMs);
  }
  console.log(`\nunrelated intents, ${crowd.memories.size} memories`);
  const met = print([{ what: 'any wait, unrelated', hits, bar: 2, isMost: true }]);
  const [p50, p95] = [percentile(times, 0.5).toFixed(1), percentile(times, 0.95).toFixed(1)];
  console.log(`  verdicts on 8 candidates, vector known: p50 ${p50} ms, p95 ${p95} ms (n ${times.length})`);
  return met;
}

function print(rows: readonly Row[]): boolean {
  const percent = (value: number) => `${(100 * value).toFixed(0)}%`;
  let met = true;
  for (const { what, hits, bar, isMost } of rows) {
    const { value, low, high, n } = share(hits);
    const isMet = n === 0 || (isMost ? 100 * value <= bar : 100 * value >= bar);
    met &&= isMet;
    const line = `  ${what.padEnd(32)} ${percent(value).padStart(4)}  [${percent(low)}, ${percent(high)}]  n ${n}`;
    console.log(`${line.padEnd(66)} ${isMost ? 'at most' : 'at least'} ${bar}%${isMet ? '' : '  MISSED'}`);
  }
  return met;
}

process.exitCode = await main();
