import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { DEEPEST_NESTING, isNestedTooDeeply } from './nesting.ts';
import type { QuarantineReason, ReadResult } from './record.ts';

export type { TomlTable, TomlValue };

export type Quarantined = Extract<ReadResult, { kind: 'quarantined' }>;

/** Lines that git, Mercurial and Jujutsu leave in a file whose merge is not done. */
const MERGE_MARKER = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/;

/**
 * The generic table of a TOML text with LF line ends, or where and why it is none (MF-18, MF-23). Integers outside
 * the safe range are bigints, so that a foreign key cannot make a file unreadable.
 */
export function parseTable(text: string): TomlTable | Quarantined {
  const known = recent.find((one) => one.text === text);
  if (known !== undefined) return known.table;
  const table = parsed(text);
  recent[next] = { text, table };
  next = (next + 1) % MOST_RECENT;
  return table;
}

/** One write reads the same two versions of a file ten times in all. Nobody changes a table. */
const MOST_RECENT = 3;
const recent: { readonly text: string; readonly table: TomlTable | Quarantined }[] = [];
let next = 0;

function parsed(text: string): TomlTable | Quarantined {
  try {
    const table = parse(text, { integersAsBigInt: 'asNeeded' });
    return isNestedTooDeeply(table) ? nestedTooDeeply() : table;
  } catch (error) {
    // The stack of the parser, which recurses as well.
    if (error instanceof RangeError) return nestedTooDeeply();
    if (!(error instanceof TomlError)) return quarantined('syntax', 'TOML that cannot be parsed');
    const { line, column } = error;
    if (MERGE_MARKER.test(text.split('\n')[line - 1] ?? '')) {
      return quarantined('merge-markers', 'a merge that is not finished', { line, column: 1 });
    }
    return quarantined('syntax', reasonOf(error), { line, column });
  }
}

/** Valid TOML, but no memory (MF-23). */
export function nestedTooDeeply(): Quarantined {
  return quarantined('invalid', `nested deeper than ${DEEPEST_NESTING} levels`);
}

export function isQuarantined(value: TomlTable | Quarantined): value is Quarantined {
  // A parsed table has no prototype.
  return Object.getPrototypeOf(value) !== null;
}

export function quarantined(
  reason: QuarantineReason,
  message: string,
  place: { readonly line: number; readonly column: number } | null = null,
): Quarantined {
  return { kind: 'quarantined', reason, line: place?.line ?? null, column: place?.column ?? null, message };
}

export function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}

/** The first line without the library's prefix; what follows quotes the file. */
function reasonOf(error: TomlError): string {
  return (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
}
