import { timestampMs } from '../memory/timestamps.ts';
import { foldedName, principalName } from './message.ts';
import type { PresenceEvidence } from './parse-reading.ts';
import { CLOCK_TOLERANCE_MS } from './parse-suspicion.ts';

/** Whether somebody would answer. `left`: said so, and has written nothing since. */
export type PresenceState = 'online' | 'offline' | 'left';

/** Holders of the memory agent's lease by folded name: whether the process lives (CH-35). */
export type Leases = ReadonlyMap<string, 'alive' | 'dead'>;

const NO_LEASES: Leases = new Map();

/** What is known of one name. */
export interface Presence {
  /** As it was written first. */
  readonly name: string;
  readonly state: PresenceState;
  /** Time and type of the newest usable message; null without one. */
  readonly lastTs: string | null;
  readonly lastType: string | null;
  /** What the state rests on. */
  readonly evidence: 'message' | 'lease';
}

/** What the messages of a chat say about who is there (CH-34). Messages may be told more than once. */
export interface PresenceBook {
  /**
   * Takes in a message; in the order of the file.
   *
   * @param suspect - it may be a quotation (CH-19)
   * @param nowMs - epoch milliseconds
   */
  note(message: PresenceEvidence, suspect: boolean, nowMs: number): void;
  of(name: string, nowMs: number): Presence;
  /** What the leases are by now. */
  hold(leases: Leases): void;
  /** Everybody who ever wrote, or holds a lease, by name. */
  all(nowMs: number): readonly Presence[];
}

/** Who sent a message within it is online. */
const ONLINE_MS = 15 * 60_000;

export function createPresenceBook(held: Leases = NO_LEASES): PresenceBook {
  let leases = held;
  const senders = new Map<string, Sender>();
  /** Under every way a name is written: a file of 20 MB has tens of thousands of messages of few. */
  const spelled = new Map<string, Sender>();
  let place = 0;
  const senderOf = (from: string): Sender => {
    const known = spelled.get(from);
    if (known !== undefined) return known;
    const key = senderKey(from);
    const sender = senders.get(key) ?? { name: principalName(from), newest: null, backAt: 0, ahead: [] };
    senders.set(key, sender);
    spelled.set(from, sender);
    return sender;
  };
  const of = (name: string, nowMs: number): Presence => {
    const key = senderKey(name);
    return judge(name, senders.get(key) ?? null, leases.get(key) ?? null, nowMs);
  };
  return {
    note(message, suspect, nowMs) {
      // A farewell behind damage may be a quotation, and damage makes nobody offline (CH-20).
      if (message.ts === null || (suspect && isFarewell(message))) return;
      const sender = senderOf(message.from);
      const { ts, type } = message;
      place += 1;
      const sighting = { tsMs: timestampMs(ts), ts, type, place, isFarewell: isFarewell(message) };
      if (isUsable(sighting, nowMs)) take(sender, sighting);
      else sender.ahead.push(sighting);
    },
    of,
    hold(now) {
      leases = now;
    },
    all(nowMs) {
      const names = new Map([...leases.keys()].map((key) => [key, key]));
      for (const [key, { name }] of senders) names.set(key, name);
      const byName = [...names].sort(([one], [other]) => (one < other ? -1 : 1));
      return byName.map(([, name]) => of(name, nowMs));
    },
  };
}

interface Sighting {
  readonly tsMs: number;
  readonly ts: string;
  readonly type: string;
  /** In the order they were told. */
  readonly place: number;
  /** The final `done`. */
  readonly isFarewell: boolean;
}

interface Sender {
  readonly name: string;
  newest: Sighting | null;
  /** Place of the last message that is no farewell. */
  backAt: number;
  /** Not yet usable: their time has not come. */
  ahead: Sighting[];
}

function senderKey(name: string): string {
  return foldedName(principalName(name));
}

function isFarewell({ type, thread }: PresenceEvidence): boolean {
  return type === 'done' && thread === 'lifecycle';
}

function isUsable({ tsMs }: Sighting, nowMs: number): boolean {
  return tsMs <= nowMs + CLOCK_TOLERANCE_MS;
}

function take(sender: Sender, sighting: Sighting): void {
  const { newest } = sender;
  const { tsMs, place } = sighting;
  if (newest === null || tsMs > newest.tsMs || (tsMs === newest.tsMs && place > newest.place)) sender.newest = sighting;
  if (!sighting.isFarewell) sender.backAt = Math.max(sender.backAt, place);
}

function judge(name: string, sender: Sender | null, lease: 'alive' | 'dead' | null, nowMs: number): Presence {
  if (sender !== null && sender.ahead.length > 0) {
    for (const sighting of sender.ahead) if (isUsable(sighting, nowMs)) take(sender, sighting);
    sender.ahead = sender.ahead.filter((sighting) => !isUsable(sighting, nowMs));
  }
  const newest = sender?.newest ?? null;
  const known = { name: sender?.name ?? name, lastTs: newest?.ts ?? null, lastType: newest?.type ?? null };
  if (lease !== null) return { ...known, state: lease === 'alive' ? 'online' : 'offline', evidence: 'lease' };
  return { ...known, state: stateOf(newest, sender?.backAt ?? 0, nowMs), evidence: 'message' };
}

/** Who wrote something behind its farewell is back, also with a clock that was set back. */
function stateOf(newest: Sighting | null, backAt: number, nowMs: number): PresenceState {
  if (newest === null) return 'offline';
  if (newest.isFarewell && backAt < newest.place) return 'left';
  return newest.tsMs > nowMs - ONLINE_MS ? 'online' : 'offline';
}
