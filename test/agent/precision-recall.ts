import { expect } from 'vitest';

/** How a rule does on examples: those it should find, and those it should leave alone. */
export interface Score {
  readonly precision: number;
  readonly recall: number;
  readonly missed: readonly string[];
  readonly wronglyFound: readonly string[];
}

/** What `finds` makes of the examples, printed as one line. */
export function scoreOf(
  name: string,
  { positive, negative }: { readonly positive: readonly string[]; readonly negative: readonly string[] },
  finds: (text: string) => boolean,
): Score {
  const missed = positive.filter((text) => !finds(text));
  const wronglyFound = negative.filter(finds);
  const found = positive.length - missed.length;
  const precision = found / Math.max(1, found + wronglyFound.length);
  const recall = found / positive.length;
  const counts = `${positive.length} positive, ${negative.length} negative`;
  console.log(`${name}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} (${counts})`);
  return { precision, recall, missed, wronglyFound };
}

/** The known mistakes of a rule, by their words: a new one fails, and so does one that is cured and still listed. */
export function expectMistakes(score: Score, known: Partial<Pick<Score, 'missed' | 'wronglyFound'>> = {}): void {
  expect({ missed: score.missed, wronglyFound: score.wronglyFound }).toEqual({
    missed: known.missed ?? [],
    wronglyFound: known.wronglyFound ?? [],
  });
}
