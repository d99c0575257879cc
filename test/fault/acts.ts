import type { ChildProcess } from 'node:child_process';
import { startChild } from '../support/child.ts';
import { BIN } from '../support/engram.ts';
import { type Counter, learntText, type Promised, type Promises } from './promises.ts';
import type { Random } from './random.ts';

/** The store that acts are played on. */
export interface Stage {
  readonly root: string;
  readonly random: Random;
  readonly promises: Promises;
  /** Memories that everybody counts and edits. */
  readonly names: readonly string[];
  /** The bundle of `children/write-until-killed.ts`. */
  readonly writer: string;
  /** What was killed before it answered, for its caller to repeat. */
  readonly unanswered: Part[];
  /** How long each kind of act takes when nobody kills it. */
  readonly usualMs: Map<string, number>;
}

/** One engram process. */
export interface Act {
  readonly process: ChildProcess;
  readonly usualMs: number;
  /** It must be killed, or it never ends. */
  readonly isEndless: boolean;
  readonly end: Promise<Ended>;
}

export interface Ended {
  readonly name: string;
  /** Null when it was killed. */
  readonly status: number | null;
  readonly stderr: string;
}

const KINDS = ['learn', 'count', 'count', 'edit', 'sync', 'watch', 'writer', 'writer', 'forget', 'repeat'] as const;
type Kind = (typeof KINDS)[number];

/** What a process is told to do, and what it promises by that. */
interface Part {
  readonly args: string[];
  readonly write: Promised | null;
}

/** @param key - of this act alone */
export function startAct(stage: Stage, key: string): Act {
  const kind = stage.random.pick(KINDS);
  const part = partOf(stage, kind, key);
  const { args, write } = part;
  const startedMs = Date.now();
  const child = startChild('env', ['ENGRAM_EMBED_PROVIDER=none', `HOME=${stage.root}`, process.execPath, ...args]);
  if (write !== null) stage.promises.begin(write);
  const usualMs = stage.usualMs.get(kind) ?? 150;
  const end = child.end.then(({ status, stdout, stderr }): Ended => {
    if (status === 0) {
      if (write !== null) stage.promises.keep(write);
      stage.usualMs.set(kind, usualMs + 0.3 * (Date.now() - startedMs - usualMs));
    } else if (write?.kind === 'count' || write?.kind === 'learn') stage.unanswered.push(part);
    if (kind === 'writer') noteWhatWasSaid(stage.promises, stdout);
    return { name: `${kind} ${key}`, status, stderr };
  });
  return { process: child.process, usualMs, isEndless: kind === 'watch', end };
}

function partOf(stage: Stage, kind: Kind, key: string): Part {
  const { root, random, names } = stage;
  const engram = (...args: string[]) => [BIN, ...args, '--data-dir', root, '--json'];
  const name = names[random.below(names.length)] ?? '';
  switch (kind) {
    case 'learn':
      return {
        args: engram('learn', 'feedback', '--everywhere', '--keep-both', ...draftOptions(key)),
        write: { kind, key },
      };
    case 'count': {
      const counter = random.pick(['followed', 'not-followed', 'missed', 'surfaced'] satisfies [Counter, ...Counter[]]);
      return { args: engram('outcome', name, counter, '--key', key), write: { kind, key, name, counter } };
    }
    case 'edit': {
      const text = `Edited by ${key}`;
      return { args: engram('edit', name, '--action', text), write: { kind, name, text } };
    }
    case 'forget':
      return forgetOne(stage, engram) ?? partOf(stage, 'learn', key);
    case 'repeat':
      return stage.unanswered.shift() ?? partOf(stage, 'count', key);
    case 'sync':
      return { args: engram('db', 'sync'), write: null };
    case 'watch':
      return { args: engram('watch'), write: null };
    case 'writer':
      return { args: [stage.writer, root, key, '12', '0', ...rotated(names, random.below(names.length))], write: null };
  }
}

function draftOptions(key: string): string[] {
  const fields = {
    situation: `When ${key} comes up`,
    behavior: `${key} was done`,
    impact: 'it broke',
    action: learntText(key),
  };
  return [...Object.entries(fields).flatMap(([field, text]) => [`--${field}`, text]), '--idempotency-key', key];
}

/** A learnt memory that nobody else has been told to forget. */
function forgetOne({ promises }: Stage, engram: (...args: string[]) => string[]) {
  const asked = new Set(promises.begun.flatMap((write) => (write.kind === 'forget' ? [write.name] : [])));
  for (const write of promises.kept) {
    if (write.kind !== 'learn') continue;
    const name = `feedback/when-${write.key}-comes-up`;
    if (!asked.has(name)) return { args: engram('forget', name), write: { kind: 'forget', name } as const };
  }
  return null;
}

/** Takes over what a `write-until-killed` child printed. */
export function noteWhatWasSaid(promises: Promises, stdout: string): void {
  for (const line of stdout.split('\n').slice(0, -1)) {
    const write = JSON.parse(line.slice(2)) as Promised;
    if (line.startsWith('+')) promises.begin(write);
    else promises.keep(write);
  }
}

function rotated<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
