import type { WatcherState } from '../files/heartbeat.ts';
import type { SyncContext } from './context.ts';
import type { SyncStep } from './report.ts';
import type { watchDirectories } from './watch-directories.ts';

/** What a watcher tells about itself, for a status line or a log; never memory text. */
export type WatchEvent =
  /** Another process watches this store; this one takes over when it ends. */
  | { readonly kind: 'waiting'; readonly holder: string | null }
  | { readonly kind: 'started'; readonly files: number }
  | { readonly kind: 'synced'; readonly steps: readonly SyncStep[] }
  | { readonly kind: 'quarantined'; readonly path: string; readonly reason: string; readonly message: string }
  | { readonly kind: 'released'; readonly path: string }
  | { readonly kind: 'mode'; readonly mode: WatcherState['mode']; readonly reason: string }
  | { readonly kind: 'rearmed'; readonly reason: string }
  /** Another database lies where the open one did (SY-64). */
  | { readonly kind: 'reopened' }
  /** Writing this file goes round in circles: somebody changes it back each time (SY-44). */
  | { readonly kind: 'looping'; readonly name: string }
  /** The configuration has changed; a restart applies it (SY-71). */
  | { readonly kind: 'config' }
  /** Something failed and is tried again. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'stopped' };

export interface WatchOptions {
  /** How this process is named to others: `engram watch`. */
  readonly command: string;
  /** Ends the watch: what is under way is finished, then `watchStore` resolves. */
  readonly signal: AbortSignal;
  onEvent(event: WatchEvent): void;
  /** Opens the store anew; called when another database has been put in its place (SY-64). */
  reopen(): Promise<SyncContext>;
  /** Embeds what is missing, beside the passes; ends soon after `signal` is aborted. */
  embed?(): Promise<unknown>;
  /** Whether the configuration is another than when it was last asked, which happens at each full scan (SY-71). */
  configChanged?(): boolean;
  /** How directories are watched; as the system does it when not given. */
  readonly watchDirectories?: typeof watchDirectories;
}
