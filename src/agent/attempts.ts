import { EngramError } from '../errors.ts';
import { translateSqliteError } from '../store/sqlite-errors.ts';

/** Work that is done again and again, and may fail for a while. */
export interface Attempts {
  /**
   * Does it, and says what went wrong, though not again and again.
   *
   * @returns false where it failed, and may succeed later
   */
  tried(what: string, work: () => Promise<void>): Promise<boolean>;
}

export interface AttemptsOptions {
  onFailure(what: string, error: unknown): void;
  /** What no later try would cure. */
  onEnd(error: unknown): void;
}

export function createAttempts({ onFailure, onEnd }: AttemptsOptions): Attempts {
  const said = new Map<string, string>();
  return {
    async tried(what, work) {
      try {
        await work();
        said.delete(what);
        return true;
      } catch (raw) {
        const error = translateSqliteError(raw);
        if (isFatal(error)) {
          onEnd(error);
          return false;
        }
        if (said.get(what) !== String(error)) onFailure(what, error);
        said.set(what, String(error));
        return false;
      }
    },
  };
}

/** What ends the agent: it has lost the chat, or the database is damaged (AG-51). */
export function isFatal(error: unknown): boolean {
  return isDamage(error) || (error instanceof EngramError && error.code === 'agent.lost');
}

export function isDamage(error: unknown): boolean {
  return error instanceof EngramError && error.code === 'database.damaged';
}
