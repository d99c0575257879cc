/** The library: everything a program needs to work with a store. Named exports only. */
export { EngramError, type ErrorCode } from './errors.ts';
