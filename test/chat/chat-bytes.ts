import type { Moment } from '../../src/chat/parse.ts';

/** The lines of a block, with the line ends a writer gives them and the blank line before. */
export function block(...lines: readonly string[]): string {
  return ['', ...lines, ''].join('\n');
}

export interface Written {
  readonly from?: string;
  readonly to?: string;
  readonly thread?: string;
  readonly type?: string;
  readonly ts?: string;
  readonly re?: string;
  readonly text?: string;
}

/** A block as engram and careful shells write it; the values are not escaped. */
export function canonicalBlock(written: Written = {}): string {
  const { from = 'executor', to = 'all', thread = 'schema', type = 'info', ts = '2026-04-03T14:30:00Z' } = written;
  return block(
    '[[message]]',
    `from = "${from}"`,
    `to = "${to}"`,
    `thread = "${thread}"`,
    `type = "${type}"`,
    `ts = "${ts}"`,
    ...(written.re === undefined ? [] : [`re = "${written.re}"`]),
    'text = """',
    written.text ?? 'good',
    '"""',
  );
}

/** Some time after every message of these tests. */
export const NOW_MS = Date.parse('2026-06-01T00:00:00Z');

/** The file was written just now. */
export const FRESH: Moment = { nowMs: NOW_MS, unchangedMs: 0 };

/** Nobody has written for a minute. */
export const QUIET: Moment = { nowMs: NOW_MS, unchangedMs: 60_000 };
