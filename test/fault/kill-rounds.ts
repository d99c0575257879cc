import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepTemps } from '../../src/files/lock.ts';
import { checkStore } from '../../src/sync/check.ts';
import { syncExit } from '../../src/sync/report.ts';
import { bundleForChild } from '../support/bundle-for-child.ts';
import { runEngram } from '../support/engram.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';
import { type Act, type Ended, type Stage, startAct } from './acts.ts';
import { createReaper, drawFate } from './mortals.ts';
import { COUNTED_BY_SQL, createPromises } from './promises.ts';
import { seededRandom } from './random.ts';

export interface KillOptions {
  readonly rounds: number;
  /** The same seed draws the same acts and fates; when exactly a signal arrives is the machine's. */
  readonly seed: number;
  log(line: string): void;
}

/** What the rounds did. */
export interface KillReport {
  readonly killed: number;
  readonly lived: number;
  /** Rounds after which a lock or a temp file of a dead process was lying about. */
  readonly insideAWrite: number;
  readonly begun: number;
  readonly kept: number;
}

const MEMORIES = Array.from({ length: 8 }, (_, at) => `feedback/shared-${at}`);
/** Each store lives so long; a new one keeps the rounds equally fast. */
const ROUNDS_PER_STORE = 100;
const ACTS_AT_ONCE = 3;
const CHANCE_TO_LIVE = 0.25;

/**
 * Starts engram processes on one store, kills them with SIGKILL at random points, syncs, and checks that everything they
 * acknowledged is on both sides and nothing else is; again and again.
 *
 * @throws Error naming seed, round and everything that does not hold
 */
export async function killRounds({ rounds, seed, log }: KillOptions): Promise<KillReport> {
  const total = { killed: 0, lived: 0, insideAWrite: 0, begun: 0, kept: 0 };
  const startedMs = Date.now();
  for (let first = 0; first < rounds; first += ROUNDS_PER_STORE) {
    const end = Math.min(rounds, first + ROUNDS_PER_STORE);
    const campaign = await startCampaign(seed + first);
    try {
      for (let round = first; round < end; round += 1) {
        const { ended, inside } = await campaign.play(round);
        total.killed += ended.filter(({ status }) => status === null).length;
        total.lived += ended.filter(({ status }) => status !== null).length;
        total.insideAWrite += Number(inside);
        const broken = await campaign.examine(round, ended);
        if (broken.length > 0) throw new Error(`seed ${seed}, round ${round}, ${campaign.root}:\n${broken.join('\n')}`);
      }
    } catch (error) {
      log(`the store is left in ${campaign.root}`);
      throw error;
    }
    total.begun += campaign.promises.begun.length;
    total.kept += campaign.promises.kept.length;
    rmSync(campaign.root, { recursive: true });
    const { killed, insideAWrite, kept, begun } = total;
    const seconds = Math.round((Date.now() - startedMs) / 1000);
    log(`${end} rounds, ${seconds} s: ${killed} killed, ${insideAWrite} rounds in a write, ${kept} of ${begun} kept`);
  }
  return total;
}

async function startCampaign(seed: number) {
  const root = mkdtempSync(join(tmpdir(), 'engram-kills-'));
  const random = seededRandom(seed);
  const promises = createPromises();
  const first = await temporaryStore(root);
  for (const name of MEMORIES)
    first.write(`${name}.toml`, feedbackText({ situation: `"When ${name} matters"`, ...ZERO }));
  first.sync();
  first.context.store.close();
  const stage: Stage = {
    root,
    random,
    promises,
    names: MEMORIES,
    writer: bundleForChild(new URL('./children/write-until-killed.ts', import.meta.url)),
    unanswered: [],
    usualMs: new Map(),
  };
  const play = async (round: number) => {
    editByHand(stage, `r${round}`);
    using reaper = createReaper(root);
    const acts = Array.from({ length: ACTS_AT_ONCE }, (_, at): Act => startAct(stage, `r${round}-${at}`));
    for (const act of acts) {
      reaper.doom(act.process, drawFate(random, act.usualMs, act.isEndless ? 0 : CHANCE_TO_LIVE));
      // It may have been waiting for a change that never comes.
      if (act.isEndless) reaper.doom(act.process, { kind: 'after', ms: act.usualMs * 2 });
    }
    const ended = await Promise.all(acts.map((act) => act.end));
    return { ended, inside: litterOf(root).length > 0 };
  };
  return { root, promises, play, examine: (round: number, ended: readonly Ended[]) => examine(stage, round, ended) };
}

const ZERO = { surfaced_count: '0', followed_count: '0', not_followed_count: '0' };

/** What others do to both sides while no engram runs: acknowledged as soon as it is done. */
function editByHand({ root, random, promises }: Stage, key: string): void {
  const name = random.pick(MEMORIES as [string, ...string[]]);
  if (random.fraction() < 0.5) {
    const text = `Of SQL in ${key}`;
    shell(
      databaseOf(root),
      `UPDATE memories SET impact = '${text}', ${COUNTED_BY_SQL}_count = ${COUNTED_BY_SQL}_count + 1 WHERE name = '${name}';`,
    );
    promises.done({ kind: 'edit', name, text });
    promises.done({ kind: 'sql-count', name });
  }
  if (random.fraction() < 0.5) {
    const file = join(root, 'memory', `${name}.toml`);
    const text = `By hand in ${key}`;
    execFileSync('sed', ['-i', `s/^behavior = .*/behavior = "${text}"/`, file]);
    promises.done({ kind: 'edit', name, text });
  }
}

/** Everything that must hold once a sync came after the dead. */
async function examine({ root, promises }: Stage, round: number, ended: readonly Ended[]): Promise<string[]> {
  const broken = ended.flatMap(({ name, status, stderr }) => {
    // Others may hold the lock or the database for longer than is waited for.
    return status === null || status === 0 || status === 5 ? [] : [`${name} ended with ${status}: ${stderr}`];
  });
  // Mostly in this process, which is quicker to start.
  if (round % 4 === 0) {
    const synced = runEngram(root, ['db', 'sync', '--data-dir', root, '--json'], { env: WITHOUT_MODEL });
    if (synced.status !== 0) broken.push(`sync ended with ${synced.status}: ${synced.stderr}${synced.stdout}`);
  }
  const store = await temporaryStore(root);
  try {
    const status = syncExit(store.sync());
    if (status !== 0) broken.push(`sync ended with ${status}`);
    sweepLittleLater(root);
    const again = store.sync();
    return [
      ...broken,
      ...promises.broken(store),
      ...again.steps.map(({ action, name }) => `the second sync: ${action} ${name}`),
      ...again.unfinished.map(({ name, reason }) => `not finished: ${name}, ${reason}`),
      ...checkStore(store.context).map(({ kind, subject, message }) => `check: ${kind} ${subject}: ${message}`),
      ...litterOf(root).map((path) => `left behind: ${path}`),
      ...unsettled(store),
    ];
  } finally {
    store.context.store.close();
  }
}

const WITHOUT_MODEL = { ENGRAM_EMBED_PROVIDER: 'none' };

/** A temp file is swept when it is a minute old. */
function sweepLittleLater(root: string): void {
  for (const directory of ['feedback', 'facts']) {
    sweepTemps(join(root, 'memory', directory), { minimumAgeMs: 60_000 }, Date.now() + 61_000);
  }
}

function litterOf(root: string): string[] {
  return ['feedback', 'facts'].flatMap((directory) =>
    readdirSync(join(root, 'memory', directory)).filter((name) => !name.endsWith('.toml')),
  );
}

function unsettled(store: TestStore): string[] {
  return ['pending_writes', 'changes', 'quarantine', 'deletion_holds', 'conflicts'].flatMap((table) => {
    const [row] = store.sql(`SELECT count(*) AS n FROM ${table}`);
    return row?.n === 0 ? [] : [`${row?.n} rows in ${table}`];
  });
}
