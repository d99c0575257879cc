import type { Hit, QueryAnswer } from '../search/answer.ts';
import { visible } from '../text/visible.ts';
import type { Style } from './render.ts';

/** The hits of an answer for a terminal (SE-46); control characters are shown, not sent (SE-59). */
export function renderAnswer(answer: QueryAnswer, style: Style): string {
  return answer.hits.map((hit, at) => renderHit(hit, at + 1, style)).join('');
}

function renderHit(hit: Hit, position: number, style: Style): string {
  const { record } = hit;
  const marks = hit.marks.length === 0 ? '' : `  ${hit.marks.join(' ')}`;
  const texts =
    record.type === 'feedback'
      ? [
          ['do', record.action],
          ['avoid', record.behavior],
          ['why', record.impact],
        ]
      : [['fact', [record.subject, record.predicate, record.object].join(' ')]];
  const lines = [['when', record.situation], ...texts].map(([label = '', text]) => `   ${label.padEnd(6)} ${visible(text ?? '')}`);
  return `${position}  ${hit.relevance.toFixed(2)}  ${style.bold(visible(hit.name))}${marks}\n${lines.join('\n')}\n`;
}

/** What stands on stderr below the hits: why there is none, modes, project, and anything degraded. */
export function answerNotes(answer: QueryAnswer): string[] {
  return [`${answer.modes.join(', ')} - project ${answer.project.name ?? '(none)'} (${answer.project.found_by})`];
}
