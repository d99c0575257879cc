import { EngramError } from '../../errors.ts';
import { effectiveness } from '../../memory/effectiveness.ts';
import { contentKeysOf, type MemoryRecord } from '../../memory/record.ts';
import type { QuarantineRow } from '../../store/quarantine.ts';
import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable, type Style } from '../render.ts';

interface ShownMemory {
  readonly name: string;
  readonly path: string | null;
  readonly record: MemoryRecord;
  readonly textUpdatedAt: string | null;
  readonly lastSurfacedAt: string | null;
  /** `clean`, `row_changed`, `quarantined`, `conflict` or `held`. */
  readonly state: string;
  readonly stale: boolean;
  /** Why its file or row is quarantined, while the last good record is shown; null when neither is. */
  readonly quarantine: string | null;
}

export const show: CommandDefinition = (parent, context) =>
  parent
    .command('show')
    .description('Show one memory with all its fields')
    .argument('<name>', 'the memory')
    .addHelpText('after', '\nExample:\n  $ engram show when-regenerating-the-api-client')
    .action(async (text: string) => {
      const [
        { findBadRow, inSqlite, refuseBadRow },
        { findRow },
        { findBase },
        { resolveName },
        { presentRecord },
        { fileState },
        { findQuarantined },
      ] = await Promise.all([
        import('../../sync/bad-row.ts'),
        import('../../store/memories.ts'),
        import('../../store/bases.ts'),
        import('../../store/name-lookup.ts'),
        import('../../sync/present-record.ts'),
        import('../../store/file-state.ts'),
        import('../../store/quarantine.ts'),
      ]);
      using engram = await context.engramToRead();
      const { stale, missing } = await engram.refresh();
      const { db } = engram.context.store;
      const name = resolveName(db, text);
      const row = findRow(db, name);
      if (row === null || missing.includes(name)) {
        throw new EngramError('memory.not-found', `${name}: its file is gone`, { hint: 'Run: engram db sync' });
      }
      refuseBadRow(db, name);
      const base = findBase(db, name);
      const badRow = findBadRow(db, name);
      const memory: ShownMemory = {
        name,
        path: base === null ? null : `memory/${base.path}`,
        record: presentRecord(db, name),
        textUpdatedAt: row.text_updated_at,
        lastSurfacedAt: row.last_surfaced_at,
        state: fileState(db, name),
        stale,
        quarantine:
          badRow === null
            ? quarantineOf(findQuarantined(db, 'file', name))
            : `its row: ${badRow.reason}: ${badRow.message}; run: ${inSqlite(badRow.update)}`,
      };
      await context.print(memory, renderMemoryDetails);
      if (stale) context.note('stale: somebody is writing a memory at this moment');
    });

function renderMemoryDetails(
  { name, path, record, state, lastSurfacedAt, quarantine }: ShownMemory,
  style: Style,
): string {
  const texts = contentKeysOf(record.type).map((key) => [key, record[key] ?? '']);
  const extra = record.extra === null ? [] : [['also', record.extra]];
  const rows = [
    ['situation', record.situation],
    ...texts,
    ['source', record.source === '' ? '(not said)' : record.source],
    ['applies', record.project_scoped ? `in ${record.project_slug}` : 'in any project'],
    ['core', record.core ? (record.core_origin === 'auto' ? 'promoted' : 'pinned') : 'no'],
    ['counts', countsOf(record)],
    ['confidence', record.initial_confidence === null ? 'unknown' : String(record.initial_confidence)],
    ['created', record.created_at ?? 'unknown'],
    ['updated', record.updated_at ?? 'unknown'],
    ['last shown', lastSurfacedAt ?? 'never'],
    ...extra,
    ['file', `${path ?? '(none)'}${state === 'clean' ? '' : `, ${state}`}`],
    ...(quarantine === null ? [] : [['quarantined', `${quarantine}; shown is the last good record`]]),
  ];
  const marks = record.needs_review ? '  needs_review' : '';
  return `${style.bold(visible(name))}${marks}\n${renderTable(rows)}`;
}

function quarantineOf(found: QuarantineRow | null): string | null {
  if (found === null || found.reason === 'in-progress') return null;
  return `its ${found.side}: ${found.reason}: ${found.message}`;
}

function countsOf(record: MemoryRecord): string {
  const figure = effectiveness(record);
  const share = figure === null ? '' : `, effectiveness ${figure.toFixed(2)}`;
  return (
    `shown ${record.surfaced_count}, followed ${record.followed_count}, not followed ${record.not_followed_count}, ` +
    `irrelevant ${record.irrelevant_count}, missed ${record.missed_count}${share}`
  );
}
