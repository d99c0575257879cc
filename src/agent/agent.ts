import type { Message } from '../chat/message.ts';
import type { PresenceBook } from '../chat/presence.ts';
import { EngramError } from '../errors.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';
import { reactToAll } from './batch.ts';
import { conditionOf } from './condition.ts';
import { type Inbox, isAnswered, openInbox } from './inbox.ts';
import type { ChatIdentity, ChatPosition } from './journal.ts';
import { loadChat } from './load-chat.ts';
import { type AgentOptions, failure } from './options.ts';
import { foundAgain } from './outbox.ts';
import { INITIALIZED, renderReady, renderRecovered } from './render-presence.ts';
import { openSession, type Session } from './session.ts';
import { type Beginning, beginningOf, guardAt } from './start.ts';
import { announce, onStop, toAll } from './timed.ts';
import type { Moment, Outgoing, Reaction } from './turn.ts';
import { createUpkeep, type Upkeep } from './upkeep.ts';
import { type AgentTools, warmUp } from './worker.ts';
import { createWorks, type Works } from './works.ts';

/** Messages that are stored together. */
const BATCH = 100;
const BLOCKED_MS = 50;
/** For answers under way when the agent is asked to leave, and for counts that wait. */
const [FINISH_MS, SETTLE_MS] = [3000, 1000];

/** One agent, from lease to farewell. */
export class Agent {
  readonly #tools: AgentTools;
  readonly #options: AgentOptions;
  readonly #chat: ChatIdentity;
  readonly #book: PresenceBook;
  readonly #beginning: Beginning;
  readonly #inbox: Inbox;
  readonly #session: Session;
  readonly #works: Works;
  readonly #upkeep: Upkeep;
  #stops = false;
  #failure: unknown = null;
  #expired = 0;
  #damagedCount = 0;
  #lacksVectors = false;
  #wake = () => {};

  constructor(tools: AgentTools, options: AgentOptions, chat: ChatIdentity, book: PresenceBook) {
    [this.#tools, this.#options, this.#chat, this.#book] = [tools, options, chat, book];
    const { store, clock } = tools.context();
    const { chatFile, name } = chat;
    const { once } = options;
    const stored = loadChat(store.db, chatFile, name, clock());
    this.#beginning = beginningOf(chatFile, stored.state, stored.position, { nowMs: clock(), once });
    const { cursor, mode } = this.#beginning;
    this.#inbox = openInbox({
      ...{ chatFile, cursor, mode, clock },
      later: once ? 'once' : 'live',
      onMessage: (message) => book.note(message, message.suspect, clock()),
      onDamage: (range) => {
        this.#damagedCount += 1;
        this.#options.onEvent({ kind: 'damage', range });
      },
    });
    const state = foundAgain(store, chat, stored.state, this.#moment(), clock);
    const position = stored.position ?? { cursor, cursorOffset: 0, ...guardAt(chatFile, 0) };
    this.#session = openSession(
      { state, position },
      {
        chat,
        store: () => tools.context().store,
        clock,
        moment: () => this.#moment(),
        endCursor: () => this.#inbox.cursor,
        isAnswered: (group) => isAnswered(group, this.#inbox, this.#session.state),
        onReaction: (reaction) => this.#onReaction(reaction),
        onRefused: (group, error) => this.#report(`post ${group[0]?.cause}`, error),
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      },
    );
    this.#works = createWorks({
      ...{ tools, chatFile, learns: options.learns, project: options.project },
      budgetMs: options.answerBudgetMs,
      session: () => this.#session,
      moment: () => this.#moment(),
      loaded: this.#load(),
      onFound: ({ lacks }) => {
        this.#lacksVectors = lacks.vectors;
      },
      onFailure: (work, error) => this.#report(work.key, error),
      onEnd: (error) => this.#end(error),
    });
    this.#works.add(stored.works);
    this.#upkeep = createUpkeep({
      ...{ tools, chat, session: this.#session },
      moment: () => this.#moment(),
      condition: () =>
        conditionOf({
          ...{ tools, options, inbox: this.#inbox, session: this.#session },
          damagedCount: this.#damagedCount,
          lacksVectors: this.#lacksVectors,
        }),
      steadyMs: options.steadyMs ?? (() => performance.now()),
    });
  }

  async run(): Promise<void> {
    const { signal, once } = this.#options;
    const stop = () => this.#wake();
    signal.addEventListener('abort', stop);
    try {
      if (!once) await this.#start();
      while (!this.#isOver()) {
        await this.#turn();
        if (once && this.#isDone()) break;
        await this.#sleep();
      }
      if (this.#failure !== null) throw this.#failure;
      if (!once) await this.#leave();
    } finally {
      signal.removeEventListener('abort', stop);
      this.#inbox[Symbol.dispose]();
      this.#options.onEvent({ kind: 'stopped' });
    }
  }

  #isOver(): boolean {
    return this.#failure !== null || this.#stops || this.#options.signal.aborted;
  }

  /** With `once`: everything that the file holds is processed, and nothing is left to do. */
  #isDone(): boolean {
    return (
      this.#inbox.waiting.length === 0 && this.#works.isIdle && this.#session.blocked === null && this.#upkeep.isIdle
    );
  }

  /** Presence first, then what happened meanwhile, then the word that it is done (AG-4, AG-7). */
  async #start(): Promise<void> {
    const { cursor, isCrash } = this.#beginning;
    if (isCrash) await this.#session.flush();
    else await this.#say('ready', toAll('lifecycle', 'ready', renderReady(this.#upkeep.memories())), true);
    this.#inbox.read();
    const { mode } = this.#inbox;
    const messages = this.#inbox.waiting.length;
    await this.#process();
    await this.#works.answersSettled();
    if (this.#failure !== null) return;
    const open = [...this.#session.state.arguments.values()].filter(({ state }) => state !== 'closed').length;
    const recovered = renderRecovered(cursor, { messages, arguments: open, missed: this.#expired });
    const text = isCrash || mode === 'replaced' ? recovered : INITIALIZED;
    await this.#say('initialized', toAll('lifecycle', 'info', text), false);
    this.#options.onEvent({ kind: 'ready', cursor, mode });
  }

  async #say(what: string, message: Outgoing, isReady: boolean): Promise<void> {
    const cause = `${what}:${this.#chat.epoch}`;
    await this.#session.apply((state) => announce(state, this.#moment(), cause, message, isReady));
  }

  /** Everything that is due, one after the other. */
  async #turn(): Promise<void> {
    try {
      this.#inbox.read();
      await this.#process();
      if (this.#session.blocked !== null) await this.#session.flush();
      this.#works.start();
      await this.#upkeep.due(this.#options.once, this.#works.isAnswering);
    } catch (raw) {
      const error = translateSqliteError(raw);
      if (!(error instanceof EngramError) || !error.retryable) return this.#end(error);
      this.#report('turn', error);
    }
  }

  /** Takes in what waits, in the order of the file. */
  async #process(): Promise<void> {
    while (this.#inbox.waiting.length > 0 && !this.#isOver()) {
      const messages = this.#inbox.waiting.slice(0, BATCH);
      let batch: ReturnType<typeof reactToAll> | null = null;
      await this.#session.apply(
        (state) => {
          batch = reactToAll(state, messages, {
            db: this.#tools.context().store.db,
            chatFile: this.#chat.chatFile,
            moment: this.#moment(),
            hasModel: this.#tools.judge.kind !== 'builtin',
            budgetMs: this.#options.answerBudgetMs,
            onFailure: (message, error) => this.#report(`message ${message.id}`, error),
          });
          return batch.reaction;
        },
        () => ({ processed: batch?.processed ?? [], position: this.#positionAfter(messages.slice(0, batch?.count)) }),
      );
      this.#inbox.drop(batch === null ? 0 : (batch as ReturnType<typeof reactToAll>).count);
    }
    this.#works.start();
  }

  #positionAfter(messages: readonly Message[]): ChatPosition {
    const last = messages.at(-1);
    if (last === undefined) return this.#session.position;
    return { cursor: last.cursor, cursorOffset: last.end, ...guardAt(this.#chat.chatFile, last.end) };
  }

  #onReaction({ works, done, intents, stops }: Reaction): void {
    this.#works.add(works);
    this.#works.drop(done);
    this.#expired += intents.filter(({ state }) => state === 'expired').length;
    this.#stops ||= stops;
  }

  #moment(): Moment {
    const nowMs = this.#tools.context().clock();
    const { project, learns } = this.#options;
    const mode = this.#inbox?.mode ?? this.#beginning.mode;
    const isOnline = (name: string) => this.#book.of(name, nowMs).state === 'online';
    return { nowMs, mode, project: project.name, isOnline, learns };
  }

  /** Whoever asks meanwhile waits for that inside its budget (AG-4). */
  #load(): Promise<void> {
    // Each question meets the failure again, and says so in its answer.
    return warmUp(this.#tools, this.#options.project).catch((error) => this.#report('load', error));
  }

  async #sleep(): Promise<void> {
    if (this.#isOver()) return;
    const ms = this.#session.blocked === null ? this.#upkeep.nextInMs() : Math.min(BLOCKED_MS, this.#upkeep.nextInMs());
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const changed = this.#options.sleep?.(ms) ?? this.#inbox.changed(ms);
    await Promise.race([changed, woken]);
  }

  /** Takes its leave (AG-8). */
  async #leave(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, FINISH_MS).unref());
    await Promise.race([this.#works.answersSettled(), late]);
    await this.#session.apply((state) => onStop(state, this.#moment()));
    this.#upkeep.settle(SETTLE_MS);
  }

  #end(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }

  #report(what: string, error: unknown): void {
    this.#options.onEvent(failure(what, error));
  }
}
