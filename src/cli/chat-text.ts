import { createReadStream } from 'node:fs';
import { EngramError, systemErrorCode } from '../errors.ts';
import type { CommandContext } from './context.ts';

/** As much as a message may hold, and one byte to see that there is more. */
const MOST_BYTES = (1 << 20) + 1;

/**
 * The text to post, exactly as given: `--text`, or `--text-file`, where `-` is stdin.
 *
 * @throws EngramError `usage` for none or both, and for a file that cannot be read or is not UTF-8
 */
export async function givenText(
  context: CommandContext,
  { text, textFile }: { readonly text?: string; readonly textFile?: string },
): Promise<string> {
  if (text !== undefined && textFile === undefined) return text;
  if (text !== undefined || textFile === undefined) {
    throw new EngramError('usage', 'a message has either --text or --text-file', {
      hint: 'Long texts: --text-file FILE, or --text-file - for stdin.',
    });
  }
  return textFile === '-' ? context.input() : readTextFile(textFile);
}

/** Also from `<(command)`, which is a pipe; Ctrl-C works meanwhile. */
async function readTextFile(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { end: MOST_BYTES - 1 })) chunks.push(chunk);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    const code = systemErrorCode(error);
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${code ?? error})`;
    throw new EngramError('usage', `--text-file ${path}: ${reason}`, {
      hint: 'Name a text file, or - for stdin.',
      cause: error,
    });
  }
}
