import type { Clock } from './clock.ts';
import type { MemoryType } from './memory/record.ts';
import type { EmbeddingSettings } from './search/embedder-source.ts';
import type { Policy } from './search/relevance.ts';

/** Where a store is, and who works with it for which project. No environment variable is read. */
export interface OpenOptions {
  /** Absolute path of the data root; made where it does not exist. */
  readonly root: string;
  /** How the caller is named in history and events; `library` when not given. */
  readonly origin?: string;
  /** The project's name; found from `cwd` as the command line does when not given. */
  readonly project?: string;
  /** The working directory; that of the process when not given. */
  readonly cwd?: string;
  readonly clock?: Clock;
  /** Who embeds; the model of the package when not given. */
  readonly embedding?: EmbeddingSettings;
}

/** How a question is asked; everything has the default of `engram query`. */
export interface QueryOptions {
  /** `query` finds much and ranks it; `surface` would rather say nothing than interrupt for little. */
  readonly policy?: Policy;
  readonly type?: MemoryType;
  /** 1 to 100; 10 when not given. */
  readonly limit?: number;
  readonly allProjects?: boolean;
  readonly archived?: boolean;
  readonly explain?: boolean;
}

/** What a new memory applies to, and what it takes the place of. */
export interface LearnOptions {
  /** In every project instead of the present one alone. */
  readonly everywhere?: boolean;
  /** Names of memories that are archived once the new one is written; naming one answers `needs_confirmation`. */
  readonly supersedes?: readonly string[];
  /** Writes it beside memories that say the same or the opposite; the other answer to `needs_confirmation`. */
  readonly keepBoth?: boolean;
  /** A repeated call with the same key gets the same answer. */
  readonly idempotencyKey?: string;
}
