import type { ConflictSide, ShownConflict } from '../learning/conflict-sides.ts';
import { contentKeysOf } from '../memory/record.ts';
import { visible } from '../text/visible.ts';
import { oneLine, renderTable, type Style } from './render.ts';

/** One line for each conflict; of two memories that contradict, what each says. */
export function renderConflicts(conflicts: readonly ShownConflict[]): string {
  const rows = conflicts.map(({ id, name, field, reason, other, resolution }) => [
    String(id),
    name,
    field,
    other === null ? reason : `contradicts ${other}`,
    resolution ?? 'open',
  ]);
  // A row is one line, since line breaks are shown as `\n`.
  const lines = renderTable(rows).trimEnd().split('\n');
  return conflicts.map((conflict, at) => `${lines[at]}\n${briefSides(conflict)}`).join('');
}

function briefSides({ sides, field }: ShownConflict): string {
  if (sides === null) return '';
  const brief = (title: string, side: ConflictSide) => {
    const text = field === 'action' ? side.record?.action : side.record?.object;
    return `   ${title}: ${oneLine(text ?? '')} (${standing(side)})\n`;
  };
  return brief('this', sides.this) + brief('other', sides.other);
}

/** Both texts of a conflict, or both memories, and how to end it. */
export function renderConflict(conflict: ShownConflict, style: Style): string {
  const { id, name, other, field, resolution, sides } = conflict;
  const state = resolution === null ? 'open' : `resolved: ${resolution}`;
  const title = other === null ? `${name}  ${field}` : `${name}  contradicts  ${other}`;
  const way = sides === null ? `take one: engram conflicts resolve ${id} --take file|db|FILE` : null;
  const end = way ?? `decide: engram conflicts resolve ${id} --keep this|other|both`;
  return [
    `${style.bold(visible(title))}  ${state}\n`,
    ...(sides === null
      ? textsOf(conflict, style)
      : [sideOf('this', sides.this, style), sideOf('other', sides.other, style)]),
    resolution === null ? `${end}\n` : '',
  ].join('');
}

function textsOf({ base_value, file_value, row_value }: ShownConflict, style: Style): string[] {
  const part = (title: string, value: string | null) => `${style.dim(title)}\n${visible(value ?? '(none)')}\n`;
  return [part('before', base_value), part('file', file_value), part('db', row_value)];
}

function sideOf(title: string, side: ConflictSide, style: Style): string {
  const { name, record } = side;
  const head = `${style.dim(title)}  ${visible(name)}  ${standing(side)}\n`;
  if (record === null) return head;
  const texts = contentKeysOf(record.type).map((key) => [key, record[key] ?? '']);
  return head + renderTable([['situation', record.situation], ...texts, ['source', record.source || '(not said)']]);
}

function standing({ state, record }: ConflictSide): string {
  if (record === null) return state;
  const confidence = `confidence ${record.initial_confidence ?? 'unknown'}`;
  const scope = record.project_scoped ? `in ${record.project_slug}` : 'in any project';
  const marks = [...(state === 'live' ? [] : [state]), ...(record.core ? ['core'] : []), confidence, oneLine(scope)];
  return marks.join(', ');
}
