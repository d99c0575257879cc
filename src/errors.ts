/**
 * Every way engram can fail. The code decides the exit status (`product.md` section 4) and whether the same call may
 * succeed later; nobody reads message texts to decide.
 */
const CODES = {
  usage: { exit: 2, retryable: false },
  'config.invalid': { exit: 2, retryable: false },
  'data-root.invalid': { exit: 1, retryable: false },
  'data-root.network': { exit: 1, retryable: false },
  'data-root.read-only': { exit: 1, retryable: false },
  'memory.invalid': { exit: 2, retryable: false },
  'memory.name': { exit: 2, retryable: false },
  'memory.ambiguous': { exit: 2, retryable: false },
  'memory.not-found': { exit: 3, retryable: false },
  'memory.read-only': { exit: 1, retryable: false },
  'memory.quarantined': { exit: 6, retryable: false },
  'memory.layout': { exit: 1, retryable: false },
  'memory.exists': { exit: 1, retryable: false },
  'conflict.not-found': { exit: 3, retryable: false },
  'editor.failed': { exit: 1, retryable: false },
  'project.invalid': { exit: 2, retryable: false },
  'chat.place': { exit: 2, retryable: false },
  'chat.draft': { exit: 2, retryable: false },
  'chat.secret': { exit: 2, retryable: false },
  'chat.cursor': { exit: 6, retryable: false },
  'chat.damaged': { exit: 6, retryable: false },
  'agent.running': { exit: 1, retryable: false },
  'agent.lost': { exit: 1, retryable: false },
  'lock.timeout': { exit: 5, retryable: true },
  'write.contended': { exit: 5, retryable: true },
  'file.unreadable': { exit: 1, retryable: true },
  'file.write': { exit: 1, retryable: true },
  'disk.full': { exit: 1, retryable: true },
  'database.busy': { exit: 5, retryable: true },
  'database.damaged': { exit: 6, retryable: false },
  'database.newer': { exit: 1, retryable: false },
  'database.failed': { exit: 1, retryable: false },
  'native-module': { exit: 1, retryable: false },
  'git.failed': { exit: 1, retryable: true },
  'git.no-repository': { exit: 1, retryable: false },
  'git.driver-taken': { exit: 1, retryable: false },
  'model.off': { exit: 1, retryable: false },
  'model.missing': { exit: 1, retryable: false },
  'model.damaged': { exit: 1, retryable: false },
  'model.unreachable': { exit: 1, retryable: true },
  'model.refused': { exit: 1, retryable: false },
  'model.answer': { exit: 1, retryable: false },
} as const satisfies Record<string, { exit: number; retryable: boolean }>;

/** What went wrong, for programs; `exitCode` and `retryable` of an `EngramError` follow from it. */
export type ErrorCode = keyof typeof CODES;

/**
 * A failure somebody can act on: one line that names the subject and the reason, and a hint with the next command.
 * The only error class of the project; vendor errors are translated by the folder that owns the vendor.
 */
export class EngramError extends Error {
  override readonly name = 'EngramError';
  readonly code: ErrorCode;
  /** What to do next. Empty: the message says it; null: nothing particular. */
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? null;
  }

  /** Exit status of a command that ends with this error. */
  get exitCode(): number {
    return CODES[this.code].exit;
  }

  /** Whether the same call may succeed later without anybody changing anything. */
  get retryable(): boolean {
    return CODES[this.code].retryable;
  }
}

/** The `code` of a Node system error (`ENOENT`, `EACCES` ...), or null for anything else. */
export function systemErrorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
