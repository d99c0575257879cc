/**
 * Whether a normalised query stands in a normalised text word for word (Q18). Case and punctuation at both ends of the
 * query do not count.
 */
export function standsIn(query: string, text: string): boolean {
  // Written where they are used: few questions come here, and these take two milliseconds to compile.
  const asked = query.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '');
  if (asked === '') return false;
  const searched = text.toLowerCase();
  for (let at = searched.indexOf(asked); at !== -1; at = searched.indexOf(asked, at + 1)) {
    // Two code units hold any one character.
    const before = searched.slice(Math.max(0, at - 2), at);
    const after = searched.slice(at + asked.length, at + asked.length + 2);
    const endsInWord = /[\p{L}\p{M}\p{N}]$/u.test(before);
    if (!endsInWord && !/^[\p{L}\p{M}\p{N}]/u.test(after)) return true;
  }
  return false;
}
