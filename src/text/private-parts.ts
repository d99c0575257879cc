import type { SecretPlace } from './secret-place.ts';

/**
 * What a person marked as private: all from a first mark to its end, or to the end of the text where none is. An end
 * without a beginning makes private what stands before it.
 */
export function privateParts(text: string): readonly SecretPlace[] {
  if (!PRIVATE.test(text)) return [];
  const end = LONE_END.exec(text);
  const before = end === null ? [] : [{ kind: 'private', start: 0, end: end[0].length }];
  // Where nothing ends a private part, a mark may be the argument of a type.
  const marks = END.test(text) ? text : text.replace(TYPE_ARGUMENT, (type) => ' '.repeat(type.length));
  const parts = Array.from(marks.matchAll(PRIVATE_PART), ({ 0: part, index }) => ({
    kind: 'private',
    start: index,
    end: index + part.length,
  }));
  return [...before, ...parts];
}

/** Most texts hold no such mark. */
const PRIVATE = /<\s*\/?\s*private\b/i;
const END = /<\s*\/\s*private\b/i;
const PRIVATE_PART = /<\s*private\b[\s\S]*?(?:<\s*\/\s*private\b[^>]*(?:>|$)|$)/gi;
const LONE_END = /^(?:(?!<\s*private\b)[\s\S])*?<\s*\/\s*private\b[^>]*(?:>|$)/i;
/**
 * `Box<private>` in code: the name of a type right before it, and after it what only code has there, or nothing more. A
 * word or a line end after it could begin what is private, so it stays a mark.
 */
const TYPE_ARGUMENT =
  /(?<=\b(?:[A-Z]\w*|\w+_\w+|\w+::\w+))<private>(?=\s*$|`|[),;>&]|::|\(\)|\[\]|\.\w+\(|["'.](?:[\s\]},]|$)| [=>{|&])/g;
