/**
 * Sixty words that say nothing about any subject, in sentences such as agents write around what they mean (SE-69).
 * They are words of ours: none was taken from a set.
 */
const NEUTRAL_SENTENCES = [
  'So far all of this has gone about as well as I had hoped for.',
  'There is nothing else that anybody would have to know about it now.',
  'I have thought about it for quite a while and feel rather sure.',
  'It may well be that somebody has already said much the same before.',
  'As always I am going to go slowly and say what comes out.',
  'Nobody seems to be in any great hurry, so that is quite fine.',
  'Whatever comes of it, you will hear from me before very long.',
  'That is more or less everything there was to say at this moment.',
  'Perhaps it will turn out to be much easier than it seems today.',
  'Once that is over I will be back and we can go on together.',
  'I would rather be a little too careful here than sorry afterwards.',
  'Of course you may always stop me if you happen to disagree.',
];
const WORDS = 60;

/**
 * `text` with 60 neutral words, some before it and some after; the same for the same text.
 *
 * @param text - whose own words and their order stay as they are
 */
export function withNeutralWords(text: string): string {
  const sentences = shuffled(NEUTRAL_SENTENCES, seedOf(text));
  const words = sentences.join(' ').split(' ').slice(0, WORDS);
  const added = closed(words.join(' ')).match(/[^.]+\./g) ?? [];
  const before = added.slice(0, 2);
  return [...before, closed(text), ...added.slice(2)].map((part) => part.trim()).join(' ');
}

/** A sentence ends with its mark, so that it does not run into the next one. */
function closed(text: string): string {
  return /[.!?。！？]["')\]]?\s*$/u.test(text) ? text : `${text}.`;
}

function seedOf(text: string): number {
  let seed = 17;
  for (const character of text) seed = (Math.imul(seed, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return seed;
}

function shuffled<T>(values: readonly T[], seed: number): T[] {
  let state = seed;
  const keyed = values.map((value) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { value, key: state };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
