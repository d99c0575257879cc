import { normalPredicate } from '../learning/facts.ts';
import { labelledLine } from './intent-text.ts';

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

/** The facts of a `learned` message: `S -> P -> O` lines, and clear assertions as well (AG-39, AG-41). */
export function factsOfLearned(text: string, context: FactContext): FoundFact[] {
  const situation = situationOf(text, context);
  return text.split('\n').flatMap((line) => {
    const parts = line.split(/\s(?:->|→)\s/).map((part) => part.trim());
    const [subject = '', predicate = '', object = ''] = parts;
    if (parts.length === 3 && subject !== '' && object !== '')
      return [{ situation, subject, predicate: normalPredicate(predicate), object, sentence: line.trim() }];
    return assertions(line, situation, context);
  });
}

/** The clear assertions of an intent's `Situation:` or of a `done` (AG-41, AG-42). */
export function factsOfText(text: string, context: FactContext): FoundFact[] {
  const situation = situationOf(text, context);
  return text.split('\n').flatMap((line) => assertions(line, situation, context));
}

function situationOf(text: string, { thread, project }: FactContext): string {
  const named = labelledLine(text, ['situation', 'context']);
  return named ?? `When working on ${thread}${project === null ? '' : ` in ${project}`}`;
}

function assertions(line: string, situation: string, { project }: FactContext): FoundFact[] {
  if (/^\s*(?:>|\[FACT\]|\[User\]:)/i.test(line)) return [];
  return line.split(/(?<=[.!?])\s/).flatMap((sentence) => {
    const found = FORM.exec(sentence.trim());
    if (found === null || UNSURE.test(sentence)) return [];
    const [, said = '', verb = '', object = ''] = found;
    const subject = /^we$/i.test(said) ? project : said.replace(/^(?:the|our) /i, '');
    if (subject === null || /^(?:it|this|that|they|i|you)$/i.test(subject)) return [];
    return [{ situation, subject, predicate: normalPredicate(verb), object, sentence: sentence.trim() }];
  });
}

const UNSURE = /\?|\b(?:should|could|would|may|might|will|if|think|maybe)\b/i;
const FORM =
  /^((?:\S+ ){0,5}?\S+) (uses?|depends on|requires|runs on|listens on|returns|lives in|chose|rejected|was replaced by) ([^.!?]+(?:\.\w[^.!?]*)*)[.!]?$/i;
