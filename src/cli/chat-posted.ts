import { EngramError } from '../errors.ts';

/**
 * Prints what follows from a message that is in the chat already. Where that fails, the error says so: whoever only saw
 * that the command failed would post it again.
 *
 * @param what - cannot be printed: `its cursor`
 * @param known - what a caller would have read there: `Its cursor is 412.`
 */
export async function printPosted(what: string, known: string, print: () => Promise<void>): Promise<void> {
  try {
    await print();
  } catch (error) {
    if (!(error instanceof EngramError)) throw error;
    throw new EngramError(error.code, `posted, but ${what} could not be printed: ${error.message}`, {
      hint: `Do not post it again. ${known}`,
      cause: error,
    });
  }
}
