export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/**
 * Words that a query does without (SE-6): English function words, question words, what remains of contractions, and what
 * people say to an agent. They are never removed from an index.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been being but by can could did do does doing for from had has have having he her
  him his how i if in into is it its itself just let me my no nor not of off on or our ours out over own shall she
  should so some such than that the their them then there these they this those through to too until up us very was
  we were what when where which while who whom whose why will with would you your yours
  d don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain ll m re s t ve
  project please help want`.split(/\s+/),
);
