const HELP = ['--help', '-h'];
const TAKE_A_VALUE = ['--data-dir', '--project'];

/** The words of the arguments that are no global option: the command first. Options of commands stay unknown here. */
export function operandsOf(words: readonly string[]): readonly string[] {
  return operandPlaces(words).map((at) => words[at] ?? '');
}

/** Whether the arguments ask for `option`, one that every command takes. */
export function asksFor(words: readonly string[], ...option: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).some((word) => option.includes(word));
}

/**
 * The same arguments with every way to ask for help brought to one: `help db sync` and `--help db sync` become
 * `db sync --help`. What `isKnown` refuses is left without `--help`, so that the mistake is said instead of covered by the
 * help of something else.
 */
export function withHelpLast(words: readonly string[], isKnown: (operands: readonly string[]) => boolean): string[] {
  const [first] = operandPlaces(words);
  if (first === undefined) return [...words];
  const asksByName = words[first] === 'help';
  const asksBefore = asksFor(words.slice(0, first), ...HELP);
  const plain = words.filter((word, at) => !(at < first && HELP.includes(word)) && !(asksByName && at === first));
  const operands = operandsOf(plain);
  if (!asksByName && !asksBefore && !(asksFor(words, ...HELP) && !isKnown(operands))) return [...words];
  const unasked = plain.filter((word) => !HELP.includes(word));
  return operands.length === 0 || isKnown(operands) ? [...unasked, '--help'] : unasked;
}

function operandPlaces(words: readonly string[]): number[] {
  const places: number[] = [];
  for (let at = 0; at < words.length && words[at] !== '--'; at++) {
    const word = words[at] ?? '';
    if (TAKE_A_VALUE.includes(word)) at++;
    else if (!word.startsWith('-')) places.push(at);
  }
  return places;
}
