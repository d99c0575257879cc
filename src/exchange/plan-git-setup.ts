import { ATTRIBUTES_LINE, isOwnDriver } from './merge-driver.ts';

/** What there is, before anything is changed. */
export interface GitState {
  /** The text of `.gitattributes` in the memory directory; null when there is none. */
  readonly attributes: string | null;
  /** Every driver of our name that git sees here, with the configuration file. */
  readonly drivers: readonly { readonly line: string; readonly origin: string }[];
  /** The one in the configuration of this repository; null when there is none. */
  readonly localDriver: string | null;
}

export interface GitSetupPlan {
  readonly kind: 'changes';
  readonly attributes: {
    readonly change: 'added' | 'removed' | 'unchanged';
    /** The new text; null for no file. */
    readonly text: string | null;
  };
  readonly driver: 'set' | 'replaced' | 'removed' | 'unchanged';
}

/** Somebody else gave this name to a driver of theirs. */
export interface DriverTaken {
  readonly kind: 'taken';
  readonly line: string;
  readonly origin: string;
}

/** What has to be written so that git merges memories by `driver` (SY-46); nothing where it is so already. */
export function planGitSetup(state: GitState, driver: string): GitSetupPlan | DriverTaken {
  const taken = foreignDriver(state);
  if (taken !== null) return taken;
  const isThere = lines(state.attributes ?? '').includes(ATTRIBUTES_LINE);
  const { localDriver } = state;
  return {
    kind: 'changes',
    attributes: isThere ? unchanged(state) : { change: 'added', text: withLine(state.attributes ?? '') },
    driver: localDriver === driver ? 'unchanged' : localDriver === null ? 'set' : 'replaced',
  };
}

/** What has to be taken away again; the file goes when nothing else is in it. */
export function planGitUndo(state: GitState): GitSetupPlan | DriverTaken {
  // A foreign one beside ours is no reason to keep ours.
  const isOurs = state.localDriver !== null && isOwnDriver(state.localDriver);
  const taken = isOurs ? null : foreignDriver(state);
  if (taken !== null) return taken;
  const left = state.attributes === null ? null : withoutLine(state.attributes);
  return {
    kind: 'changes',
    attributes: left === state.attributes ? unchanged(state) : { change: 'removed', text: left === '' ? null : left },
    driver: state.localDriver === null ? 'unchanged' : 'removed',
  };
}

function foreignDriver({ drivers }: GitState): DriverTaken | null {
  const foreign = drivers.find(({ line }) => !isOwnDriver(line));
  return foreign === undefined ? null : { kind: 'taken', ...foreign };
}

function unchanged({ attributes }: GitState): GitSetupPlan['attributes'] {
  return { change: 'unchanged', text: attributes };
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => line.trim());
}

/** A text without a last line end stays without one, so that taking the line away gives the same text again. */
function withLine(text: string): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  return text === '' || text.endsWith('\n') ? text + ATTRIBUTES_LINE + lineEnd : text + lineEnd + ATTRIBUTES_LINE;
}

function withoutLine(text: string): string {
  const parts = text.split(/(?<=\n)/);
  const kept = parts.filter((part) => part.trim() !== ATTRIBUTES_LINE);
  if (kept.length === parts.length) return text;
  const wasOpenEnded = parts.at(-1) === ATTRIBUTES_LINE;
  return wasOpenEnded ? kept.join('').replace(/\r?\n$/, '') : kept.join('');
}
