import { CommanderError } from 'commander';
import { EngramError } from '../errors.ts';
import { exitOnInterrupt } from './interrupt.ts';
import { write } from './output.ts';
import { createProgram } from './program.ts';

const USAGE = 2;
const FAILED = 1;

exitOnInterrupt();
run(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});

/** Runs the command that `words` name; returns the exit status of the process (product.md section 4). */
async function run(words: readonly string[]): Promise<number> {
  try {
    const { command, context } = await createProgram(words);
    await command.parseAsync(words, { from: 'user' });
    return context.exitStatus;
  } catch (error) {
    return report(await understood(error), words);
  }
}

/** What SQLite throws outside a transaction gets the words of the store here. */
async function understood(error: unknown): Promise<unknown> {
  if (error instanceof EngramError || error instanceof CommanderError) return error;
  return (await import('../store/sqlite-errors.ts')).translateSqliteError(error);
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exit: number;
  readonly retryable: boolean;
}

/** Says on stderr what went wrong, with `--json` as an object, and returns the exit status. */
function report(error: unknown, words: readonly string[]): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  // Help that nobody asked for: a command is missing, and the help says which there are.
  if (error instanceof CommanderError && error.code === 'commander.help') return USAGE;
  const failure = describe(error);
  const given = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined);
  if (given.includes('--json')) write('stderr', `${JSON.stringify({ error: failure })}\n`);
  else write('stderr', `engram: ${failure.message}\n${failure.hint === null ? '' : `  ${failure.hint}\n`}`);
  const isExpected = error instanceof EngramError || error instanceof CommanderError;
  if ((given.includes('-v') || given.includes('--verbose')) && !isExpected && error instanceof Error) {
    write('stderr', `${error.stack ?? ''}\n`);
  }
  return failure.exit;
}

function describe(error: unknown): Failure {
  if (error instanceof EngramError) {
    const { code, message, hint, exitCode: exit, retryable } = error;
    return { code, message, hint, exit, retryable };
  }
  if (error instanceof CommanderError) {
    const [message = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
    const hint = suggestion === '' ? 'Run: engram --help' : suggestion.replace(/^\(|\)$/g, '');
    return { code: 'usage', message, hint, exit: USAGE, retryable: false };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = `unexpected failure: ${reason.split('\n', 1)[0]}`;
  return { code: 'unexpected', message, hint: 'Run it again with -v for the stack.', exit: FAILED, retryable: false };
}
