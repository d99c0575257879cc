import { SINGLE_VALUED } from '../config-keys.ts';
import type { MemoryRecord } from '../memory/record.ts';
import type { Blocker } from './blockers.ts';
import { isOppositeAdvice } from './contradictions.ts';
import { blockersOf, isSameText, readText } from './duplicates.ts';
import { isSingleValued, normalPredicate, replacedIn } from './facts.ts';

/** What a draft is to a memory (SE-52). `related` and the others are nominated by similarity; it alone decides nothing. */
export type Relation = 'same' | 'opposite' | 'related' | 'none';

/** `sim` of the situations and of what is said about them (SE-37). */
export interface Similarities {
  readonly situation: number;
  readonly content: number;
}

export interface Related {
  readonly relation: Relation;
  /** What rules out that they are the same, whatever the relation is. */
  readonly blockers: readonly Blocker[];
}

type Keys =
  | 'type'
  | 'project_scoped'
  | 'project_slug'
  | 'situation'
  | 'behavior'
  | 'action'
  | 'subject'
  | 'predicate'
  | 'object';
export type RelatedRecord = Pick<MemoryRecord, Keys>;

/** From this `sim` on two texts are near enough to be named; the floor at which `surface` interrupts (SE-41). */
export const NEAR = 0.55;
/** From this `sim` on situations are taken for one when their actions contradict (AG-45). */
const SAME_SITUATION = 0.8;

/**
 * The relation of a draft to a memory (SE-52, AG-45), by this table; the first line that fits.
 *
 * | feedback | fact | relation |
 * |---|---|---|
 * | same situation, same action, no blocker | same subject, predicate and object, no blocker | `same` |
 * | situations the same or sim 0.80, opposite action | single-valued predicate of the same subject, other object; or the draft replaces the object | `opposite` |
 * | sim of situation or content 0.55 | same subject and predicate; or sim of content 0.55 and one of subject and object the same | `related` |
 *
 * @param singleValued - predicates of facts that have one object at a time, separated by blanks
 */
export function relationOf(
  draft: RelatedRecord,
  known: RelatedRecord,
  sim: Similarities,
  singleValued: string = SINGLE_VALUED,
): Related {
  if (draft.type !== known.type) return { relation: 'none', blockers: ['type'] };
  return draft.type === 'feedback'
    ? feedbackRelation(draft, known, sim)
    : factRelation(draft, known, sim, singleValued);
}

function feedbackRelation(draft: RelatedRecord, known: RelatedRecord, sim: Similarities): Related {
  const [a, b] = [readFeedback(draft), readFeedback(known)];
  const pairs = [
    [a.situation, b.situation],
    [a.action, b.action],
    [a.behavior, b.behavior],
  ] as const;
  const blockers = [...blockersOf(pairs), ...scopeBlocker(draft, known)];
  const sameSituation = isSameText(a.situation, b.situation);
  const opposite = isOppositeAdvice(
    { behavior: a.behavior.statement, action: a.action.statement },
    { behavior: b.behavior.statement, action: b.action.statement },
  );
  if (sameSituation && isSameText(a.action, b.action) && blockers.length === 0) return { relation: 'same', blockers };
  if ((sameSituation || sim.situation >= SAME_SITUATION) && opposite) return { relation: 'opposite', blockers };
  return { relation: Math.max(sim.situation, sim.content) >= NEAR ? 'related' : 'none', blockers };
}

function factRelation(draft: RelatedRecord, known: RelatedRecord, sim: Similarities, singleValued: string): Related {
  const [a, b] = [readFact(draft), readFact(known)];
  const blockers = [
    ...blockersOf([
      [a.subject, b.subject],
      [a.object, b.object],
    ]),
    ...scopeBlocker(draft, known),
  ];
  const sameSubject = isSameText(a.subject, b.subject);
  const sameObject = isSameText(a.object, b.object);
  const samePredicate = a.predicate === b.predicate;
  if (sameSubject && samePredicate && sameObject && blockers.length === 0) return { relation: 'same', blockers };
  const replaces = a.replaced !== null && isSameText(a.replaced, b.object) && (sameSubject || a.isAboutReplaced);
  if (replaces || (sameSubject && samePredicate && !sameObject && isSingleValued(a.predicate, singleValued))) {
    return { relation: 'opposite', blockers };
  }
  const near = sim.content >= NEAR && (sameSubject || sameObject);
  return { relation: near || (sameSubject && samePredicate) ? 'related' : 'none', blockers };
}

function readFeedback({ situation, behavior, action }: RelatedRecord) {
  return { situation: readText(situation), behavior: readText(behavior ?? ''), action: readText(action ?? '') };
}

function readFact({ subject, predicate, object }: RelatedRecord) {
  const replaced = replacedIn([subject, (predicate ?? '').replaceAll(/[-_]/g, ' '), object].join(' '));
  return {
    subject: readText(subject ?? ''),
    predicate: normalPredicate(predicate ?? ''),
    object: readText(object ?? ''),
    replaced: replaced === null ? null : readText(replaced),
    /** `npm was replaced by pnpm`: its subject is another memory's object. */
    isAboutReplaced: replaced !== null && isSameText(readText(replaced), readText(subject ?? '')),
  };
}

function scopeBlocker(a: RelatedRecord, b: RelatedRecord): Blocker[] {
  const scopeOf = ({ project_scoped, project_slug }: RelatedRecord): string | null =>
    project_scoped ? project_slug : null;
  return scopeOf(a) === scopeOf(b) ? [] : ['scope'];
}
