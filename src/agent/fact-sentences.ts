import { normalPredicate } from '../learning/facts.ts';
import { assertedTriples, type Triple } from './assertions.ts';
import { labelledLine, parseIntentText } from './intent-text.ts';
import { speechOf } from './speech.ts';

/** A triple that a text asserts. */
export interface FoundFact {
  readonly situation: string;
  readonly subject: string;
  /** Normal form (AG-44). */
  readonly predicate: string;
  readonly object: string;
  /** What was said, for `replacedIn`. */
  readonly sentence: string;
}

export interface FactContext {
  readonly thread: string;
  /** Null: no project, `we` is nobody then. */
  readonly project: string | null;
}

/**
 * The facts of a `learned` message: `S -> P -> O` lines, the numbered steps of a process, and what its sentences assert (AG-39 to
 * AG-41). The situation is its `Situation:` or `Context:` line, else that of its thread. Takes time in proportion to the text.
 */
export function factsOfLearned(text: string, context: FactContext): FoundFact[] {
  const situation = situationOf(text, context, ['situation', 'context']);
  const arrows: Said[] = [];
  const rest: string[] = [];
  for (const line of text.split('\n')) {
    const found = isOthers(line) || isLabel(line) ? null : arrowTriple(line);
    if (found !== null) arrows.push({ ...found, sentence: line.trim() });
    else if (!isLabel(line)) rest.push(line);
  }
  const prose = rest.join('\n');
  return located(
    [...arrows, ...stepsIn(prose, () => true), ...assertionsIn(prose, { ...context, quotes: true })],
    situation,
  );
}

/**
 * What the sentences of a `done`, or of an intent's `Situation:`, assert clearly (AG-39, AG-41); a plan, the `Behavior:` of an
 * intent, is left out. Takes time in proportion to the text.
 */
export function factsOfText(text: string, context: FactContext): FoundFact[] {
  const situation = situationOf(text, context, ['situation']);
  const isIntent = labelledLine(text, ['behavior', 'behaviour', 'planned-action']) !== null;
  const said = isIntent ? parseIntentText(text).situation : text.replace(/^\s{0,8}situation:/i, '');
  return located(
    [...stepsIn(said, (name) => PROCESS.test(name)), ...assertionsIn(said, { ...context, quotes: false })],
    situation,
  );
}

type Said = Triple & { readonly sentence: string };

/** AG-44. */
function situationOf(text: string, { thread, project }: FactContext, labels: readonly string[]): string {
  return labelledLine(text, labels) ?? `When working on ${thread}${project === null ? '' : ` in ${project}`}`;
}

/** The same triple said twice is one fact. */
function located(found: readonly Said[], situation: string): FoundFact[] {
  const seen = new Set<string>();
  return found.flatMap((each) => {
    const key = JSON.stringify([each.subject, each.predicate, each.object]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ situation, ...each }];
  });
}

function assertionsIn(text: string, how: { readonly project: string | null; readonly quotes: boolean }): Said[] {
  const { sentences, unmasked } = speechOf(text);
  return sentences.flatMap(({ text: sentence, isQuestion }) =>
    (isQuestion ? [] : assertedTriples(sentence, how)).map(({ subject, predicate, object }) => ({
      subject: unmasked(subject),
      predicate,
      object: predicate === 'says' ? unmasked(object).slice(1, -1) : unmasked(object),
      sentence: unmasked(sentence),
    })),
  );
}

/** Quoted lines and lines of the protocol are nobody's own (AG-42). */
const isOthers = (line: string): boolean => /^\s*(?:>|\[FACT\]|\[User\]:)/i.test(line);
const isLabel = (line: string): boolean => /^\s{0,8}(?:situation|context):/i.test(line);

/** `subject -> predicate -> object`, also with the arrow character (CH-28). */
function arrowTriple(line: string): Triple | null {
  const parts = line.replace(/^\s{0,12}(?:[-*•]|\d{1,3}[.)])\s/, '').split(/->|→/);
  const [subject = '', predicate = '', ...objects] = parts.map((part) => part.trim());
  const object = objects.join(' -> ');
  if (parts.length < 3 || subject === '' || predicate === '' || object === '') return null;
  return { subject, predicate: normalPredicate(predicate), object };
}

const PROCESS = /\b(?:process|procedure|steps|workflow|recipe|checklist|runbook|how to|order of)\b/i;
const MOST_STEPS = 50;

/** A numbered list below a line that names it: `step-1`, `step-2` ... of one subject (AG-40). */
function stepsIn(text: string, isProcess: (name: string) => boolean): Said[] {
  const found: Said[] = [];
  let subject: string | null = null;
  let count = 0;
  for (const line of text.split('\n')) {
    const [, number, step = ''] = /^\s{0,12}(\d{1,2})[.)] (.+)$/.exec(line) ?? [];
    if (number !== undefined && subject !== null && Number(number) === count + 1 && count < MOST_STEPS) {
      count += 1;
      found.push({ subject, predicate: `step-${count}`, object: step.trim(), sentence: line.trim() });
    } else if (line.trim() !== '') {
      const name = line.length < LONGEST_NAME && !isOthers(line) ? /^([^:]+):\s*$/.exec(line)?.[1]?.trim() : undefined;
      subject =
        name !== undefined && isProcess(name)
          ? name.replace(/^(?:the|our) /i, '').replace(/^steps (?:to|for) /i, '')
          : null;
      count = 0;
    }
  }
  return found;
}

const LONGEST_NAME = 80;
