import { CommanderError } from 'commander';
import { EngramError, systemErrorCode } from '../errors.ts';
import { redact } from '../text/secrets.ts';
import { asksFor } from './command-words.ts';
import { exitOnInterrupt } from './interrupt.ts';
import { write } from './output.ts';
import { createProgram, helpCall } from './program.ts';

const USAGE = 2;
const FAILED = 1;

exitOnInterrupt();
// Everything is written and closed by now; taking the heap apart first would cost a quarter of a bare start.
run(process.argv.slice(2)).then((status) => process.exit(status));

/** Runs the command that `words` name; returns the exit status of the process (product.md section 4). */
async function run(words: readonly string[]): Promise<number> {
  try {
    const { command, words: understood, context } = await createProgram(words);
    await command.parseAsync(understood, { from: 'user' });
    return context.exitStatus;
  } catch (error) {
    return report(await inOurWords(error), words);
  }
}

/** What SQLite throws outside a transaction gets the words of the store here; a directory below our feet may be gone anywhere. */
async function inOurWords(error: unknown): Promise<unknown> {
  if (error instanceof EngramError || error instanceof CommanderError) return error;
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return new EngramError(
      'file.unreadable',
      `the working directory does not exist or cannot be read (${systemErrorCode(error)})`,
      {
        hint: 'Go to another directory first, e.g. cd ~',
        cause: error,
      },
    );
  }
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
  const isJson = asksFor(words, '--json');
  if (error instanceof CommanderError && error.code === 'commander.help' && !isJson) return USAGE;
  const failure = withoutSecrets(describe(error, `Run: ${helpCall(words)}`));
  if (isJson) write('stderr', `${JSON.stringify({ error: failure })}\n`);
  else write('stderr', `engram: ${failure.message}\n${failure.hint === null ? '' : `  ${failure.hint}\n`}`);
  const isExpected = error instanceof EngramError || error instanceof CommanderError;
  if (asksFor(words, '-v', '--verbose') && !isExpected && error instanceof Error) {
    write('stderr', `${redact(error.stack ?? '')}\n`);
  }
  return failure.exit;
}

/** What a message quotes may have been typed into the wrong place; messages end up in logs (D14). */
function withoutSecrets(failure: Failure): Failure {
  const { message, hint } = failure;
  return { ...failure, message: redact(message), hint: hint === null ? null : redact(hint) };
}

function describe(error: unknown, helpHint: string): Failure {
  if (error instanceof EngramError) {
    const { code, message, exitCode: exit, retryable } = error;
    const hint = error.hint ?? (exit === USAGE ? helpHint : 'Run: engram db check');
    return { code, message, hint: hint === '' ? null : hint, exit, retryable };
  }
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help') {
      return { code: 'usage', message: 'a command is missing', hint: helpHint, exit: USAGE, retryable: false };
    }
    const [message = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
    const hint = suggestion === '' ? helpHint : suggestion.replace(/^\(|\)$/g, '');
    return { code: 'usage', message, hint, exit: USAGE, retryable: false };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = `unexpected failure: ${reason.split('\n', 1)[0]}`;
  return { code: 'unexpected', message, hint: 'Run it again with -v for the stack.', exit: FAILED, retryable: false };
}
