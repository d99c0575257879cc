/** Lets a few searches be under way at a time, those of the oldest intents first. */
export interface SearchTurns {
  /**
   * Does one piece of a search once it is its turn.
   *
   * @param place - who asked earlier has the lower one
   * @param isWanted - asked then; a piece that nobody waits for any more is not begun
   * @throws what `work` throws, and an `Error` where it is not begun
   */
  take<T>(place: number, work: () => Promise<T>, isWanted: () => boolean): Promise<T>;
}

/**
 * Searching takes the processor, and many at once would all be ready at the end, too late. A few, since where a server
 * embeds they wait more than they work.
 */
const MOST_AT_ONCE = 4;

interface Waiting {
  readonly place: number;
  begin(): void;
}

export function createSearchTurns(): SearchTurns {
  const waiting: Waiting[] = [];
  let free = MOST_AT_ONCE;
  const next = (): void => {
    // The event loop first: deadlines, and what came in meanwhile.
    setImmediate(() => {
      const [first, ...others] = waiting;
      if (first === undefined) {
        free += 1;
        return;
      }
      const oldest = others.reduce((one, other) => (other.place < one.place ? other : one), first);
      waiting.splice(waiting.indexOf(oldest), 1);
      oldest.begin();
    });
  };
  return {
    take: (place, work, isWanted) =>
      new Promise((resolve, reject) => {
        const begin = () => {
          if (!isWanted()) {
            reject(new Error('nobody waits for it any more'));
            next();
            return;
          }
          work().then(resolve, reject).finally(next);
        };
        waiting.push({ place, begin });
        if (free === 0) return;
        free -= 1;
        next();
      }),
  };
}
