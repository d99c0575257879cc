import type { MemoryRecord } from '../../memory/record.ts';
import { differingKeys } from '../../memory/record.ts';
import { redact } from '../../text/secrets.ts';
import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';
import type { Style } from '../render.ts';

interface Change {
  readonly at: string;
  readonly origin: string;
  readonly reason: string;
  /** What the memory said until then. */
  readonly record: MemoryRecord | null;
  /** The file until then, null when only the row was replaced. */
  readonly text: string | null;
}

interface MemoryHistory {
  readonly name: string;
  /** What it says now; null when it is archived. */
  readonly present: MemoryRecord | null;
  /** Newest first. */
  readonly changes: readonly Change[];
}

export const history: CommandDefinition = (parent, context) =>
  parent
    .command('history')
    .description('Show what a memory said before, newest change first')
    .argument('<name>', 'the memory, live or archived')
    .addHelpText(
      'after',
      '\nThe whole earlier files: engram history NAME --json\n\nExample:\n  $ engram history when-adding-a-column',
    )
    .action(async (text: string) => {
      const [{ listHistory }, { findBase }, { resolveName }, { recordFromJson }] = await Promise.all([
        import('../../store/history.ts'),
        import('../../store/bases.ts'),
        import('../../store/name-lookup.ts'),
        import('../../memory/record-json.ts'),
      ]);
      using engram = await context.engramToRead();
      await engram.refresh();
      const { db } = engram.context.store;
      const name = resolveName(db, text, 'ever');
      const changes = listHistory(db, name).map((row) => ({
        at: new Date(row.at_ms).toISOString(),
        origin: row.origin,
        reason: row.reason,
        record: row.record === null ? null : recordFromJson(row.record),
        text: row.bytes === null ? null : Buffer.from(row.bytes).toString('utf8'),
      }));
      // A row of a shell may have a secret for its name (SY-27).
      await context.print({ name: redact(name), present: findBase(db, name)?.record ?? null, changes }, renderHistory);
    });

function renderHistory({ name, present, changes }: MemoryHistory, style: Style): string {
  if (changes.length === 0) return visible(`${name}: nothing was replaced so far\n`);
  let next = present;
  const blocks = changes.map((change) => {
    const lines = change.record === null ? ['  (an unreadable text)'] : changedLines(change.record, next);
    next = change.record ?? next;
    return `${style.bold(change.at)}  ${change.reason}  by ${visible(change.origin)}\n${lines.join('\n')}\n`;
  });
  return blocks.join('');
}

function changedLines(before: MemoryRecord, after: MemoryRecord | null): string[] {
  if (after === null) return [`  - situation: ${visible(before.situation)}`];
  const keys = differingKeys(before, after);
  return keys.flatMap((key) => [
    `  - ${key}: ${visible(String(before[key] ?? '(none)'))}`,
    `  + ${key}: ${visible(String(after[key] ?? '(none)'))}`,
  ]);
}
