import { fstatSync, statSync, writeSync } from 'node:fs';
import { EngramError, systemErrorCode } from '../errors.ts';

export type Stream = 'stdout' | 'stderr';

const DESCRIPTORS = { stdin: 0, stdout: 1, stderr: 2 } as const satisfies Record<Stream | 'stdin', number>;
const gone = new Set<Stream>();

/**
 * Writes all of `text` before it returns. The descriptors are used directly: making `process.stdout` costs more than
 * writing a query's answer. A reader that went away (`engram list | head -1`) is no failure; what follows is dropped.
 *
 * @throws EngramError `disk.full`, `file.write` when stdout leads to a file that takes no more
 */
export function write(stream: Stream, text: string): void {
  if (gone.has(stream)) return;
  let rest: Uint8Array = Buffer.from(text, 'utf8');
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(DESCRIPTORS[stream], rest));
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'EAGAIN') waitForReader();
      else if (code === 'EPIPE' || code === 'EBADF') return void gone.add(stream);
      // There is nowhere left to say it.
      else if (stream === 'stderr') return void gone.add(stream);
      else throw unwritable(code, error);
    }
  }
}

/** Whether a person sits at the stream. `node:tty` (4 ms) is loaded only where a terminal is possible. */
export async function isTerminal(stream: Stream | 'stdin'): Promise<boolean> {
  try {
    const stats = fstatSync(DESCRIPTORS[stream]);
    if (!stats.isCharacterDevice() || stats.rdev === statSync('/dev/null').rdev) return false;
  } catch {
    return false;
  }
  return (await import('node:tty')).isatty(DESCRIPTORS[stream]);
}

function unwritable(code: string | null, cause: unknown): EngramError {
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EngramError('disk.full', 'stdout cannot be written: the disk is full', {
      hint: 'Free some space, then run it again.',
      cause,
    });
  }
  return new EngramError('file.write', `stdout cannot be written (${code ?? 'failed'})`, {
    hint: 'Send it elsewhere, then run it again.',
    cause,
  });
}

/** A pipe that another process made non-blocking is full. */
function waitForReader(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}
