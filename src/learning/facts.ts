import { parseStatement } from './statement.ts';

/** One spelling of a predicate: lower case, `-` for blanks and `_`; `is a` is `is` (AG-44). */
export function normalPredicate(predicate: string): string {
  const joined = predicate
    .normalize('NFC')
    .toLowerCase()
    .trim()
    .replace(/[\s_-]+/g, '-')
    .replace(/^(?:the|has|has-the)-(?=.)/, '');
  return joined === 'is-a' || joined === 'is-an' ? 'is' : joined.replace(/(?<=..)-is$/, '');
}

/**
 * Whether a subject has only one object by this normal predicate; by all others it may have several (AG-46).
 *
 * @param singleValued - such predicates, separated by blanks; `step-N` are `step-1`, `step-2` ...
 */
export function isSingleValued(predicate: string, singleValued: string): boolean {
  const general = predicate.replace(/\d+/g, 'N');
  return singleValued
    .split(/\s+/)
    .some((each) => each !== '' && (normalPredicate(each) === predicate || each === general));
}

/**
 * What a sentence says is replaced: Z of `Y instead of Z`, `no longer Z`, `switched from Z to Y`, `Z was replaced by Y`
 * (AG-46); null for any other sentence.
 */
export function replacedIn(sentence: string): string | null {
  for (const form of REPLACING) {
    const found = form.exec(sentence)?.[1]?.trim();
    if (found !== undefined && parseStatement(found).content.length > 0) return found;
  }
  return null;
}

/**
 * What a fact that replaces another says in its place: Y of `Y instead of Z`, `switched from Z to Y`, `Z was replaced by Y`;
 * null where nothing takes the place, as in `no longer Z`.
 */
export function replacementIn(predicate: string, object: string): string | null {
  const words = predicate.replaceAll(/[-_]/g, ' ');
  if (/\bno\slonger\b/i.test(`${words} ${object}`)) return null;
  const [instead = ''] = object.split(/,?\s*\binstead\sof\s/i);
  const isMove = /\b(?:switched|moved|migrated|changed)\sfrom\b/i.test(`${words} ${object}`);
  const successor = isMove ? (/\bto\s(.+)$/i.exec(instead)?.[1] ?? '') : instead;
  return parseStatement(successor).content.length > 0 ? successor.trim() : null;
}

const REPLACING: readonly RegExp[] = [
  /\binstead\sof\s(.+?)[.,;]?$/i,
  /\bno\slonger\s(?:uses?\s|is\s|on\s|in\s|with\s)?(.+?)[.,;]?$/i,
  /\b(?:switched|moved|migrated|changed)[\s-]from\s(.+?)\sto\s/i,
  /^(.+?)\s(?:was|were|is|has\sbeen)[\s-]replaced[\s-](?:by|with)\s/i,
];
