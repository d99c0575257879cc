import type { PresenceBook } from '../chat/presence.ts';
import { type Attempts, createAttempts, isDamage } from './attempts.ts';
import { conditionOf } from './condition.ts';
import { type Inbox, isAnswered, openInbox } from './inbox.ts';
import { createIntake, type Intake } from './intake.ts';
import { expired } from './intents.ts';
import type { ChatIdentity } from './journal.ts';
import { refuseOpenIntents } from './last-words.ts';
import { paused, takeLeave } from './leave.ts';
import { loadChat } from './load-chat.ts';
import { type AgentOptions, failure } from './options.ts';
import { foundAgain } from './outbox.ts';
import { INITIALIZED, renderReady, renderRecovered } from './render-presence.ts';
import { openSession, type Session } from './session.ts';
import { type Beginning, beginningOf, guardAt } from './start.ts';
import type { Condition } from './state.ts';
import { announce, toAll } from './timed.ts';
import type { Moment, Outgoing, Reaction } from './turn.ts';
import { createUpkeep, type Upkeep } from './upkeep.ts';
import { type AgentTools, warmUp } from './worker.ts';
import { createWorks, type Works } from './works.ts';

/** Until the next try to post, and after a failure; for counts that wait when the agent leaves. */
const [BLOCKED_MS, AGAIN_MS, SETTLE_MS] = [50, 250, 1000];

/** One agent, from lease to farewell. */
export class Agent {
  readonly #tools: AgentTools;
  readonly #options: AgentOptions;
  readonly #chat: ChatIdentity;
  readonly #book: PresenceBook;
  readonly #beginning: Beginning;
  readonly #inbox: Inbox;
  readonly #intake: Intake;
  readonly #session: Session;
  readonly #works: Works;
  readonly #upkeep: Upkeep;
  readonly #attempts: Attempts = createAttempts({
    onFailure: (what, error) => this.#report(what, error),
    onEnd: (error) => this.#end(error),
  });
  #stops = false;
  #failure: unknown = null;
  #replacements = 0;
  /** Messages that were taken. */
  #news = 0;
  #damagedCount = 0;
  #lacksVectors = false;
  #wake = () => {};

  constructor(tools: AgentTools, options: AgentOptions, chat: ChatIdentity, book: PresenceBook) {
    [this.#tools, this.#options, this.#chat, this.#book] = [tools, options, chat, book];
    const { store, clock } = tools.context();
    const { chatFile, name } = chat;
    const stored = loadChat(store.db, chatFile, name, clock());
    this.#beginning = beginningOf(chatFile, stored.state, stored.position, { nowMs: clock(), once: options.once });
    const { cursor, mode } = this.#beginning;
    this.#inbox = openInbox({
      ...{ chatFile, cursor, mode, clock },
      later: options.once ? 'once' : 'live',
      onMessage: (message) => book.note(message, message.suspect, clock()),
      onDamage: (range) => {
        this.#damagedCount += 1;
        this.#options.onEvent({ kind: 'damage', range });
      },
    });
    this.#intake = createIntake({
      ...{ chatFile, inbox: this.#inbox, budgetMs: options.answerBudgetMs },
      hasModel: tools.judge.kind !== 'builtin',
      session: () => this.#session,
      db: () => tools.context().store.db,
      moment: () => this.#moment(),
      onFailure: (message, error) => this.#report(`message ${message.id}`, error),
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
        pause: paused,
      },
    );
    this.#works = createWorks({
      ...{ tools, chatFile, learns: options.learns, project: options.project },
      budgetMs: options.answerBudgetMs,
      session: () => this.#session,
      moment: () => this.#moment(),
      // Whoever asks meanwhile waits for that (AG-4), and meets a failure again.
      loaded: warmUp(tools, options.project).catch((error) => this.#report('load', error)),
      onFound: (found) => {
        this.#lacksVectors = found.lacks.vectors;
      },
      onFailure: (work, error) => this.#report(work.key, error),
      onEnd: (error) => this.#end(error),
    });
    this.#works.add(stored.works);
    this.#upkeep = createUpkeep({
      ...{ tools, chat, session: this.#session },
      moment: () => this.#moment(),
      condition: () => this.#condition(),
      steadyMs: options.steadyMs ?? (() => performance.now()),
    });
  }

  async run(): Promise<void> {
    const { signal, broken, once } = this.#options;
    const stop = () => this.#wake();
    const breakDown = () => this.#end(broken?.reason);
    signal.addEventListener('abort', stop);
    broken?.addEventListener('abort', breakDown);
    try {
      await (once ? this.#attempts.tried('posting', () => this.#session.flush()) : this.#start());
      for (let isDone = false; !isDone && !this.#isOver(); ) isDone = await this.#step();
      if (once && this.#inbox.failure !== null) throw this.#inbox.failure;
      if (this.#failure !== null) {
        const tell = async () =>
          refuseOpenIntents(this.#chat.chatFile, this.#inbox, this.#session.state, this.#moment());
        if (isDamage(this.#failure)) await this.#attempts.tried('answering', tell);
        throw this.#failure;
      }
      if (once) return;
      await this.#attempts.tried('leaving', () => takeLeave(this.#session, this.#works, () => this.#moment()));
      this.#upkeep.settle(SETTLE_MS);
    } finally {
      signal.removeEventListener('abort', stop);
      broken?.removeEventListener('abort', breakDown);
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
    const { cursor, isCrash, mode } = this.#beginning;
    if (!isCrash) await this.#say('ready', toAll('lifecycle', 'ready', renderReady(this.#upkeep.memories())), true);
    await this.#session.apply((state) => expired(state, this.#moment(), mode));
    this.#inbox.read();
    const isReplaced = mode === 'replaced' || this.#inbox.replacements > 0;
    this.#replacements = this.#inbox.replacements;
    await this.#turn();
    const messages = this.#news;
    let isSettled = false;
    void this.#works.answersSettled().then(() => {
      isSettled = true;
    });
    while (!isSettled && !this.#isOver()) await this.#step();
    if (this.#isOver()) return;
    if (isCrash || isReplaced) await this.#sayRecovered('initialized', isReplaced ? 0 : cursor, messages);
    else await this.#say('initialized', toAll('lifecycle', 'info', INITIALIZED));
    this.#options.onEvent({ kind: 'ready', cursor, mode });
  }

  async #say(what: string, message: Outgoing, isReady = false): Promise<void> {
    const cause = `${what}:${this.#chat.epoch}`;
    await this.#session.apply((state) => announce(state, this.#moment(), cause, message, isReady));
  }

  #sayRecovered(what: string, cursor: number, messages: number): Promise<void> {
    const open = [...this.#session.state.arguments.values()].filter(({ state }) => state !== 'closed').length;
    return this.#say(what, toAll('lifecycle', 'info', renderRecovered(cursor, { messages, arguments: open })));
  }

  /** Does what is due and waits for more. True once nothing is left to do for whoever runs once. */
  async #step(): Promise<boolean> {
    const hasFailed = await this.#turn();
    if (this.#options.once && !hasFailed && this.#isDone()) return true;
    await (hasFailed ? this.#untilOver(paused(AGAIN_MS)) : this.#sleep());
    return false;
  }

  /** Everything that is due, one after the other. Returns whether something failed that may succeed later. */
  async #turn(): Promise<boolean> {
    const isRead = await this.#attempts.tried('reading', async () => {
      this.#inbox.read();
      const before = this.#news;
      this.#news += await this.#intake.take(() => this.#isOver());
      if (this.#session.blocked !== null) await this.#session.flush();
      if (this.#inbox.replacements === this.#replacements) return;
      this.#replacements = this.#inbox.replacements;
      await this.#sayRecovered(`replaced-${this.#replacements}`, 0, this.#news - before);
    });
    this.#works.start();
    const isKept = await this.#attempts.tried('upkeep', () =>
      this.#upkeep.due(this.#options.once, this.#works.isAnswering),
    );
    return !isRead || !isKept;
  }

  #onReaction({ works, done, stops }: Reaction): void {
    this.#works.add(works);
    this.#works.drop(done);
    this.#stops ||= stops;
  }

  #condition(): Condition {
    const known = { damagedCount: this.#damagedCount, lacksVectors: this.#lacksVectors };
    return conditionOf(this.#tools, this.#options, this.#inbox, this.#session, known);
  }

  #moment(): Moment {
    const nowMs = this.#tools.context().clock();
    const mode = this.#inbox?.mode ?? this.#beginning.mode;
    const isOnline = (name: string) => this.#book.of(name, nowMs).state === 'online';
    return { nowMs, mode, project: this.#options.project.name, isOnline, learns: this.#options.learns };
  }

  async #sleep(): Promise<void> {
    const ms = this.#session.blocked === null ? this.#upkeep.nextInMs() : Math.min(BLOCKED_MS, this.#upkeep.nextInMs());
    await this.#untilOver(this.#options.sleep?.(ms) ?? this.#inbox.changed(ms));
  }

  /** Waits for something, but not when the agent is to leave. */
  async #untilOver(awaited: Promise<unknown>): Promise<void> {
    if (this.#isOver()) return;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([awaited, woken]);
  }

  #end(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }

  #report(what: string, error: unknown): void {
    this.#options.onEvent(failure(what, error));
  }
}
