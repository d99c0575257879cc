import { ALL, foldedName, principalName } from '../chat/message.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { AgentIntent, AgentState, Argument, ChatMemo, CorrectionDraft, Heard, Metrics } from './state.ts';
import type { Work } from './work.ts';

/** In which situation messages are read (AG-7, AG-9). */
export type Mode = 'live' | 'after-stop' | 'after-crash' | 'replaced' | 'once';

/** The moment of a turn, and what is known besides the chat. */
export interface Moment {
  readonly nowMs: number;
  readonly mode: Mode;
  /** The project whose agent this is; null: none. */
  readonly project: string | null;
  /** Whether somebody would answer (CH-34). */
  isOnline(name: string): boolean;
  /** False with `--no-learn`. */
  readonly learns: boolean;
}

/** A message to be posted. */
export interface Outgoing {
  readonly to: string;
  readonly thread: string;
  readonly type: 'ack' | 'wait' | 'info' | 'escalate' | 'ready' | 'done';
  readonly re: string | null;
  readonly text: string;
}

/** Messages that go out together, once for what caused them (AG-10). */
export interface PostGroup {
  /** What causes them, and by which text; the same cause posts once. */
  readonly cause: string;
  /** The argument or draft they belong to: `sub-3`, `draft-1`. */
  readonly about: string | null;
  readonly messages: readonly Outgoing[];
}

/** A count that is decided (D3); the same key counts once, for ever. */
export interface CountEvent {
  readonly key: string;
  readonly name: MemoryName;
  readonly kind: 'surfaced' | 'followed' | 'not-followed' | 'irrelevant' | 'missed' | 'considered';
  readonly situation: string | null;
  readonly thread: string;
}

/** What a turn leads to: the next state, and everything that is stored and done because of it, at once or not at all. */
export interface Reaction {
  readonly state: AgentState;
  readonly intents: readonly AgentIntent[];
  readonly arguments: readonly Argument[];
  readonly drafts: readonly CorrectionDraft[];
  readonly posts: readonly PostGroup[];
  /** Causes of planned groups that are no longer wanted. */
  readonly cancels: readonly string[];
  readonly counts: readonly CountEvent[];
  readonly works: readonly Work[];
  /** Keys of work that is done or no longer wanted. */
  readonly done: readonly string[];
  /** Somebody asked the agent to leave (AG-8). */
  readonly stops: boolean;
}

/** Collects a reaction. The state it begins with is never changed. */
export class Turn {
  readonly moment: Moment;
  #state: AgentState;
  readonly #intents = new Map<string, AgentIntent>();
  readonly #arguments = new Map<number, Argument>();
  readonly #drafts = new Map<number, CorrectionDraft>();
  readonly #posts: PostGroup[] = [];
  readonly #cancels: string[] = [];
  readonly #counts: CountEvent[] = [];
  readonly #works: Work[] = [];
  readonly #done: string[] = [];
  #stops = false;

  constructor(state: AgentState, moment: Moment) {
    this.#state = state;
    this.moment = moment;
  }

  get state(): AgentState {
    return this.#state;
  }

  get nowMs(): number {
    return this.moment.nowMs;
  }

  put(state: Partial<AgentState>): void {
    this.#state = { ...this.#state, ...state };
  }

  putIntent(intent: AgentIntent): void {
    this.put({ intents: new Map(this.#state.intents).set(intent.key, intent) });
    this.#intents.set(intent.key, intent);
  }

  putArgument(argument: Argument): void {
    this.put({ arguments: new Map(this.#state.arguments).set(argument.number, argument) });
    this.#arguments.set(argument.number, argument);
  }

  putDraft(draft: CorrectionDraft): void {
    this.put({ drafts: new Map(this.#state.drafts).set(draft.number, draft) });
    this.#drafts.set(draft.number, draft);
  }

  memo(memo: Partial<ChatMemo>): void {
    this.put({ memo: { ...this.#state.memo, ...memo } });
  }

  /** Adds to the counts since `ready`. */
  add(key: Exclude<keyof Metrics, 'answerMs'>, more = 1): void {
    const { metrics } = this.#state.memo;
    this.memo({ metrics: { ...metrics, [key]: metrics[key] + more } });
  }

  post(cause: string, messages: readonly Outgoing[], about: string | null = null): void {
    this.#posts.push({ cause, about, messages });
    const { nowMs } = this;
    const texts = messages.map(({ thread, text }) => ({ thread, text, atMs: nowMs }));
    this.put({ posted: [...this.#state.posted.filter(({ atMs }) => atMs > nowMs - OWN_TEXT_MS), ...texts] });
  }

  cancel(cause: string): void {
    this.#cancels.push(cause);
  }

  count(event: CountEvent): void {
    this.#counts.push(event);
  }

  work(work: Work): void {
    this.#works.push(work);
  }

  done(key: string): void {
    this.#done.push(key);
  }

  stop(): void {
    this.#stops = true;
  }

  end(): Reaction {
    return {
      state: this.#state,
      intents: [...this.#intents.values()],
      arguments: [...this.#arguments.values()],
      drafts: [...this.#drafts.values()],
      posts: this.#posts,
      cancels: this.#cancels,
      counts: this.#counts,
      works: this.#works,
      done: this.#done,
      stops: this.#stops,
    };
  }
}

const OWN_TEXT_MS = 24 * 60 * 60 * 1000;

/** One sender, however it is written. */
export function senderKey(name: string): string {
  return foldedName(principalName(name));
}

export function isSameName(one: string, other: string): boolean {
  return foldedName(one) === foldedName(other);
}

/** Who gets a text that has no author to go to. */
export const EVERYBODY = ALL;

const MOST_HEARD = 40;

/** Remembers that a message was heard, for the ones that come after it. */
export function hear(turn: Turn, heard: Heard): void {
  const key = senderKey(heard.from);
  const known = turn.state.senders.get(key) ?? [];
  turn.put({ senders: new Map(turn.state.senders).set(key, [...known, heard].slice(-MOST_HEARD)) });
}
