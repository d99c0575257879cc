import type { CheckFinding } from '../sync/finding.ts';
import { renderTable } from './render.ts';

const REMEDIES = {
  repair: 'engram db repair',
  sync: 'engram db sync',
  rebuild: 'engram db rebuild',
  person: null,
} as const satisfies Record<CheckFinding['remedy'], string | null>;

const MOST_SHOWN = 100;

/** One line a finding, then the commands that help. Empty when there is none. */
export function renderFindings(findings: readonly CheckFinding[]): string {
  const shown = findings.slice(0, MOST_SHOWN).map(({ kind, subject, message }) => [kind, subject, message]);
  const more = findings.length > MOST_SHOWN ? [['...', `${findings.length - MOST_SHOWN} more, see --json`, '']] : [];
  const commands = new Set(findings.map(({ remedy }) => REMEDIES[remedy]).filter((command) => command !== null));
  return renderTable([...shown, ...more]) + [...commands].map((command) => `next: ${command}\n`).join('');
}
