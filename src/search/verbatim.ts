/**
 * Whether a normalised query stands in a normalised text word for word (Q18). Case and punctuation at both ends of the
 * query do not count.
 */
export function standsIn(query: string, text: string): boolean {
  const asked = query.toLowerCase().replace(AT_ENDS, '');
  if (asked === '') return false;
  const searched = text.toLowerCase();
  for (let at = searched.indexOf(asked); at !== -1; at = searched.indexOf(asked, at + 1)) {
    const [before, after] = [searched.slice(0, at), searched.slice(at + asked.length, at + asked.length + 2)];
    if (!ENDS_IN_WORD.test(before.slice(-2)) && !STARTS_WITH_WORD.test(after)) return true;
  }
  return false;
}

const AT_ENDS = /^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;
/** Two code units hold any one character. */
const ENDS_IN_WORD = /[\p{L}\p{M}\p{N}]$/u;
const STARTS_WITH_WORD = /^[\p{L}\p{M}\p{N}]/u;
