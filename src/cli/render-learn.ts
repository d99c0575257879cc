import type { LearnOutcome } from '../learning/learn.ts';
import type { MemoryRecord } from '../memory/record.ts';
import { visible } from '../text/visible.ts';
import type { GivenFields } from './memory-fields.ts';

/** What became of a draft, for a terminal; `given` are its fields. */
export function renderLearnOutcome(outcome: LearnOutcome, given: GivenFields): string {
  if (outcome.kind === 'duplicate') return visible(renderDuplicate(outcome, given));
  if (outcome.kind === 'needs_confirmation') return visible(renderQuestion(outcome));
  const { name, record } = outcome;
  const lines = [`learned ${name}`, `  applies ${record.project_scoped ? `in ${record.project_slug}` : 'everywhere'}`];
  if (outcome.kind === 'superseded') {
    for (const old of outcome.archived) lines.push(`  archived ${old}`);
    for (const { name: old, reason } of outcome.stillLive) lines.push(`  still live: ${old} (${reason})`);
    lines.push(...twinLines(outcome.nearTwins));
  }
  lines.push(...relatedLines(outcome.related));
  return visible(`${lines.join('\n')}\n`);
}

type Question = Extract<LearnOutcome, { kind: 'needs_confirmation' }>;

const SAYS = { same: 'says the same', opposite: 'says the opposite', related: 'is related' } as const;

function renderQuestion({ name, matches, related }: Question): string {
  const lines = matches.flatMap((match) => [
    `not learned yet: ${match.name} ${SAYS[match.relation]}`,
    ...textsOf(match.record).map(([label, text]) => `  ${label.padEnd(6)} ${oneLine(text ?? '')}`),
    `  sim    ${match.sim.situation.toFixed(2)} of the situation, ${match.sim.content.toFixed(2)} of the content${differing(match.blockers)}`,
    ...twinLines(match.nearTwins),
  ]);
  lines.push(...relatedLines(related), `  answer with --keep-both, or with --supersedes ${name}`);
  return `${lines.join('\n')}\n`;
}

function differing(blockers: readonly string[]): string {
  return blockers.length === 0 ? '' : `; they differ in ${blockers.join(', ')}`;
}

function textsOf(record: MemoryRecord): (readonly [string, string | null])[] {
  const triple = [record.subject, record.predicate, record.object].join(' ');
  if (record.type === 'fact')
    return [
      ['when', record.situation],
      ['fact', triple],
    ];
  return [
    ['when', record.situation],
    ['do', record.action],
    ['avoid', record.behavior],
  ];
}

function twinLines(twins: readonly { readonly name: string; readonly relevance: number }[]): string[] {
  return twins.map(({ name, relevance }) => `  near twin of it, unchanged: ${name} (${relevance.toFixed(2)})`);
}

function relatedLines(related: Question['related']): string[] {
  return related.map(({ name, relation }) => `  ${relation === 'related' ? 'related' : SAYS[relation]}: ${name}`);
}

const LONGEST_TEXT = 200;

function oneLine(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return characters.length <= LONGEST_TEXT
    ? characters.join('')
    : `${characters.slice(0, LONGEST_TEXT).join('').trimEnd()} [...]`;
}

function renderDuplicate({ name, differs }: LearnOutcome & { readonly kind: 'duplicate' }, given: GivenFields): string {
  if (differs.length === 0) return `known already: ${name}\n`;
  const options = differs.map((field) => `--${field} ${shellWord(String(given[field] ?? ''))}`).join(' ');
  const fields = `its ${differs.join(', ')} ${differs.length === 1 ? 'differs and stays' : 'differ and stay'}`;
  return `known already: ${name}\n  ${fields}; to take yours over: engram edit ${name} ${options}\n`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
