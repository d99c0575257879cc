const INTERRUPTED = 130;

function exit(): void {
  process.exit(INTERRUPTED);
}

/** From here on Ctrl-C ends the process with status 130 as soon as the running piece of work is done. */
export function exitOnInterrupt(): void {
  process.once('SIGINT', exit);
}

/**
 * Before work that runs long without a pause: Ctrl-C ends the process on the spot, which a shell shows as 130 too. Every
 * step on disk is made for a process that dies in it.
 */
export function interruptAtOnce(): void {
  process.removeListener('SIGINT', exit);
}

/** While a program of the user has the terminal, Ctrl-C is for that program. */
export function leaveInterruptsToChild(): void {
  process.removeListener('SIGINT', exit);
  process.on('SIGINT', () => {});
}

/** For a command that runs for days: Ctrl-C or SIGTERM asks it to finish, a second Ctrl-C ends it on the spot. */
export function endRequest(): AbortSignal {
  process.removeListener('SIGINT', exit);
  const controller = new AbortController();
  const end = () => controller.abort();
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  return controller.signal;
}
