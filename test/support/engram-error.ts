import { expect } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';

/** For `toThrow`: an EngramError with this code. */
export function engramError(code: ErrorCode): unknown {
  return expect.objectContaining({ name: 'EngramError', code });
}
