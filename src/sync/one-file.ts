import { EngramError } from '../errors.ts';

const CODES: ReadonlySet<string> = new Set([
  'lock.timeout',
  'write.contended',
  'file.write',
  'disk.full',
  'database.busy',
]);

/** Whether a failure leaves the other memories of a batch untouched: this one waits for the next sync, they go on. */
export function concernsOneFile(error: unknown): error is EngramError {
  return error instanceof EngramError && CODES.has(error.code);
}
