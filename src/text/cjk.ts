/** Runs of the scripts that are written without spaces between words, each as its characters (SE-5). */
export function cjkRuns(text: string): string[][] {
  return ASCII.test(text) ? [] : (text.match(runPattern()) ?? []).map((run) => [...run]);
}

/** `text` with every such run replaced by a space, so that a word ends at the border. */
export function withoutCjk(text: string): string {
  return ASCII.test(text) ? text : text.replace(runPattern(), ' ');
}

/** Character bigrams and single characters of the runs, as they are indexed. */
export function grams(runs: readonly (readonly string[])[]): { bigrams: string[]; singles: string[] } {
  return { bigrams: runs.flatMap(bigrams), singles: runs.flat() };
}

/** The bigrams of one run; none for a run of one character. */
export function bigrams(run: readonly string[]): string[] {
  return run.slice(1).map((character, i) => `${run[i]}${character}`);
}

const ASCII = /^[\x00-\x7f]*$/;
const SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
/** Script extensions bring in the length mark of Katakana, but also punctuation, hence the look-ahead. */
const CHARACTER = `(?=[\\p{L}\\p{M}\\p{N}])[${SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]`;
let madePattern: RegExp | null = null;

/** Made for the first text outside ASCII: compiling it takes two milliseconds. */
function runPattern(): RegExp {
  madePattern ??= new RegExp(`(?:${CHARACTER})+`, 'gu');
  return madePattern;
}
