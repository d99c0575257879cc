import { EngramError, systemErrorCode } from '../errors.ts';

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

/** Whether permissions stand in the way: the same write fails until a person changes them. */
export function isForGood({ code, cause }: EngramError): boolean {
  return code === 'file.write' && ['EACCES', 'EROFS'].includes(systemErrorCode(cause) ?? '');
}
