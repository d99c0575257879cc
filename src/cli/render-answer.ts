import type { Hit, QueryAnswer } from '../search/answer.ts';
import { visible } from '../text/visible.ts';
import type { Style } from './render.ts';
import { explanationLines } from './render-explanation.ts';

/**
 * The hits of an answer for a terminal (SE-46): position, relevance, name, marks; the situation; what to do, avoid and
 * why, or the triple; evidence and origin. Control characters are shown, not sent (SE-59); long text is cut with the
 * command that shows the rest (SE-61).
 */
export function renderAnswer(answer: QueryAnswer, style: Style): string {
  return answer.hits.map((hit, at) => renderHit(hit, at + 1, style)).join('\n');
}

/** What stands on stderr below the hits: why there is none, then modes, project, and anything degraded. */
export function answerNotes(answer: QueryAnswer): string[] {
  const notes = answer.abstained === null ? [] : [abstentionNote(answer.abstained, answer.query.terms)];
  for (const [word, replacements] of Object.entries(answer.query.rescued)) {
    notes.push(`read ${JSON.stringify(visible(shortened(word)))} as ${visible(replacements.join(', '))}`);
  }
  if (answer.elsewhere.length > 0) notes.push(elsewhereNote(answer.elsewhere));
  return [...notes, stateLine(answer)];
}

/** Longer texts are cut in the list of hits. */
const LONGEST_TEXT = 600;

function renderHit(hit: Hit, position: number, style: Style): string {
  const head = [`${position}`, hit.relevance.toFixed(2), style.bold(visible(hit.name)), hit.marks.join(' ')];
  const lines = textsOf(hit).map(([label, text]) => `   ${label.padEnd(6)} ${indented(text ?? '', hit.name)}`);
  const explained = hit.explain === null ? [] : explanationLines(hit.explain).map((line) => `   ${line}`);
  return `${[head.filter((part) => part !== '').join('  '), ...lines, `   ${evidenceLine(hit)}`, ...explained].join('\n')}\n`;
}

function textsOf({ record }: Hit): (readonly [string, string | null])[] {
  const triple = [record.subject, record.predicate, record.object].filter((part) => part !== null).join(' ');
  const texts: (readonly [string, string | null])[] =
    record.type === 'fact'
      ? [['fact', triple]]
      : [
          ['do', record.action],
          ['avoid', record.behavior],
          ['why', record.impact],
        ];
  return [['when', record.situation], ...texts];
}

/** `shown 9, followed 7 of 8 - user correction, 2026-03-28 - any project` */
function evidenceLine({ counts, record }: Hit): string {
  const judged = counts.followed_count + counts.not_followed_count;
  const followed = judged === 0 ? '' : `, followed ${counts.followed_count} of ${judged}`;
  const evidence =
    counts.surfaced_count === 0 && judged === 0 ? 'not shown yet' : `shown ${counts.surfaced_count}${followed}`;
  const scope = record.project_scoped ? record.project_slug : 'any project';
  return [evidence, record.source, scope]
    .filter((part) => part !== '')
    .map(oneLine)
    .join(' - ');
}

function indented(text: string, name: string): string {
  const characters = [...text];
  const cut = characters.length > LONGEST_TEXT;
  const shown = cut
    ? `${characters.slice(0, LONGEST_TEXT).join('').trimEnd()} [...] (all of it: engram show ${name})`
    : text;
  return visible(shown.trimEnd()).replaceAll('\n', `\n${' '.repeat(10)}`);
}

function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' '));
}

function abstentionNote(reason: NonNullable<QueryAnswer['abstained']>, terms: readonly string[]): string {
  switch (reason) {
    case 'no_terms':
      return 'no_terms: the text holds no word to search for';
    case 'nothing_stored':
      return 'nothing_stored: there are no memories yet; add one with engram learn feedback or engram learn fact';
    case 'thin_evidence':
      return 'thin_evidence: too few words to be sure of anything';
    case 'below_floor':
      return `below_floor: no memory fits well enough for ${visible(terms.slice(0, 12).map(shortened).join(', ') || 'this phrase')}`;
  }
}

const LONGEST_WORD = 60;

/** What somebody pasted may be one endless word. */
function shortened(word: string): string {
  const characters = [...word];
  return characters.length <= LONGEST_WORD ? word : `${characters.slice(0, LONGEST_WORD - 3).join('')}...`;
}

function elsewhereNote(elsewhere: QueryAnswer['elsewhere']): string {
  const projects = elsewhere.map(({ project, hits }) => `${visible(project)} (${hits})`).join(', ');
  return `elsewhere: ${projects}; engram query --all-projects shows them`;
}

function stateLine({ modes, project, degraded, stale, query, vectors }: QueryAnswer): string {
  const place = project.name === null ? 'no project' : `project ${visible(project.name)} (${project.found_by})`;
  const named = degraded.map((mode) => {
    if (mode === 'vectors_partial' && vectors !== null) return `${mode} ${vectors.present} of ${vectors.of}`;
    return mode === 'fts_damaged' ? `${mode}: engram db repair mends it` : mode;
  });
  const notes = [...named, ...(stale ? ['stale'] : []), ...(query.truncated ? ['query_truncated'] : [])];
  return [modes.join(', '), place, ...notes].join(' - ');
}
