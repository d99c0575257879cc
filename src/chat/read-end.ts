import { type Clock, systemClock } from '../clock.ts';
import { openChatFile } from './chat-file.ts';
import { type ChatFollower, followChat } from './follow.ts';
import { findLine } from './line-count.ts';
import type { Message } from './message.ts';
import type { DamagedRange } from './parse.ts';

/** The end of a chat. */
export interface ChatEnd {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Behind the first of the messages; all there is where the file has no more of them. */
  readonly damaged: readonly DamagedRange[];
  /** Goes on behind it; the caller closes it. */
  readonly follower: ChatFollower;
}

/** So many lines from the end are read first; only then the whole file. */
const LINES = [1000, 50_000];

/**
 * The last `count` messages that match.
 *
 * @throws EngramError those of `followChat`
 */
export function readChatEnd(
  path: string,
  count: number,
  matches: (message: Message) => boolean,
  clock: Clock = systemClock,
): ChatEnd {
  const lines = countLines(path);
  for (const back of [...LINES.filter((each) => each < lines), lines]) {
    const follower = followChat(path, lines - back, clock);
    try {
      const { messages, damaged } = readAll(follower);
      const found = messages.filter(matches);
      if (found.length < count && back < lines) {
        follower[Symbol.dispose]();
        continue;
      }
      const shown = count === 0 ? [] : found.slice(-count);
      const first = found.length > shown.length ? (shown[0]?.line ?? Infinity) : 0;
      return { messages: shown, damaged: damaged.filter((range) => range.first >= first), follower };
    } catch (error) {
      follower[Symbol.dispose]();
      throw error;
    }
  }
  return { messages: [], damaged: [], follower: followChat(path, null, clock) };
}

/** All there is to read by now. */
export function readAll(follower: ChatFollower) {
  const messages: Message[] = [];
  const damaged: DamagedRange[] = [];
  for (let isAll = false; !isAll; ) {
    const news = follower.read();
    messages.push(...news.messages);
    damaged.push(...news.damaged);
    isAll = news.isAll;
  }
  return { messages, damaged };
}

function countLines(path: string): number {
  using file = openChatFile(path);
  return file === null ? 0 : findLine(file, null).lines;
}
