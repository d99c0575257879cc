/** A flat field of a log line. Never memory or chat text above debug. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Event name plus flat fields, to stderr; logged once, where something is handled. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
}

/** For one-shot commands: what a person has to know is in their output. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {} };
