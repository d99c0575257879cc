/** The sentence in which a message's sender goes back on what it did; null: none (AG-36). */
export function saysReverted(text: string): string | null {
  return sentenceWith(text, /\b(?:reverting|reverted|undoing|going back to|rolled back|rolling back|backing out)\b/i);
}

/** The sentence of a foreign `wait` that names an error, a failure, a regression or an exit status; null: none (AG-36). */
export function saysObjectedFailure(text: string): string | null {
  return sentenceWith(text, /\b(?:error|fail(?:s|ed|ure|ing)?|regression|exit (?:status|code))\b/i);
}

function sentenceWith(text: string, form: RegExp): string | null {
  return (
    text
      .split(/(?<=[.!?])\s|\n/)
      .find((sentence) => form.test(sentence))
      ?.trim() ?? null
  );
}
