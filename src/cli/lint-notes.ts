import type { LintFinding } from '../learning/lint.ts';
import { visible } from '../text/visible.ts';

/** One line of advice for each finding about a situation (SE-57), for stderr. */
export function lintNotes(findings: readonly LintFinding[]): string[] {
  return findings.map(({ rule, words, advice }) => visible(`situation ${rule} (${words}): ${advice}`));
}
