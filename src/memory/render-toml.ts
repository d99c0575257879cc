import { COUNTER_KEYS, contentKeysOf, type MemoryRecord } from './record.ts';
import { renderExtra } from './render-extra.ts';
import { basicString, floatText, multiLineString } from './toml-values.ts';

const utf8 = new TextEncoder();

/**
 * The bytes of a new file that says `record`, in the canonical form (MF-31): only for new files and explicit
 * conversion, since an existing file keeps its layout (`editMemory`).
 *
 * Content comes last, so that a torn file cannot pass for a whole one (MF-32). Unknown timestamps are left out like an
 * unknown confidence: no token could say it. Callers validate first.
 */
export function renderMemory(record: MemoryRecord): Uint8Array {
  const extra = renderExtra(record.extra);
  const lines = [
    ...topLines(record),
    ...extra.top,
    '',
    '[content]',
    ...contentKeysOf(record.type).map((key) => `${key} = ${text(record[key] ?? '')}`),
    ...extra.content,
    ...extra.tables,
  ];
  return utf8.encode(`${lines.join('\n')}\n`);
}

function topLines(record: MemoryRecord): string[] {
  const lines = [
    `schema_version = ${record.schema_version}`,
    `type = ${basicString(record.type)}`,
    `source = ${text(record.source)}`,
    `core = ${record.core}`,
  ];
  if (record.core_origin !== null) lines.push(`core_origin = ${basicString(record.core_origin)}`);
  if (record.needs_review) lines.push('needs_review = true');
  lines.push(`situation = ${text(record.situation)}`);
  lines.push(`project_scoped = ${record.project_scoped}`);
  lines.push(`project_slug = ${text(record.project_slug)}`);
  if (record.created_at !== null) lines.push(`created_at = ${basicString(record.created_at)}`);
  if (record.updated_at !== null) lines.push(`updated_at = ${basicString(record.updated_at)}`);
  for (const key of COUNTER_KEYS) lines.push(`${key} = ${record[key]}`);
  if (record.initial_confidence !== null) lines.push(`initial_confidence = ${floatText(record.initial_confidence)}`);
  return lines;
}

function text(value: string): string {
  return value.includes('\n') ? multiLineString(value) : basicString(value);
}
