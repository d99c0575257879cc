/**
 * `text` without what engram itself had printed: hits, contexts of sessions, rows of lists, answers to learning, quoted
 * memories and facts, and JSON answers, also where somebody quoted them. Everything else stays as it is (SE-58: nothing is
 * learned from it).
 */
export function withoutOwnOutput(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  const lines = text.split('\n');
  let goesOn: RegExp | null = null;
  const kept = lines.filter((line) => {
    const forms = [line, line.replace(ONE_QUOTE, ''), line.replace(QUOTES, '')];
    const further: RegExp | null = goesOn;
    const isFurther = further !== null && (forms.some((form) => further.test(form)) || BLANK_QUOTE.test(line));
    if (!isFurther) goesOn = BLOCKS.find(([starts]) => forms.some((form) => starts.test(form)))?.[1] ?? null;
    return goesOn === null;
  });
  return kept.length === lines.length ? text : kept.join('\n').trim();
}

/** A text holds none of our output without one of these. */
const MAY_HOLD =
  /(?:feedback|facts)\/|\[FACT\]|a lead to verify|"(?:hits|deduplicated)"|> ?(?:Situation|Behavior|Impact|Action|Source): /;

/** How a person or a program quotes a line, once or more. */
const ONE_QUOTE = /^\s*> ?/;
const QUOTES = /^\s*(?:> ?)+/;
const BLANK_QUOTE = /^\s*>[>\s]*$/;
const NAME = '(?:feedback|facts)/[^\\s,:]+';
const NOTHING = /(?!)/;

/** What begins a block of ours, and how its further lines begin. */
const BLOCKS: readonly (readonly [starts: RegExp, goesOn: RegExp])[] = [
  // A hit: position, relevance, name, marks; then indented lines (SE-46).
  [new RegExp(`^\\d+ {2}[01]\\.\\d\\d {2}${NAME}(?: {2}.*)?$`), /^ {3,}\S/],
  [/^\.\.\. \d+ (?:more memories: engram list|by title only: engram show)/, NOTHING],
  [new RegExp(`^${NAME} {2,}(?:-|core|needs_review|archived)(?: \\w+)* {2,}`), NOTHING],
  [new RegExp(`^(?:learned|known already:|not learned yet:|saved|nothing changed in) ${NAME}`), /^ {2}\S/],
  // Quoted data for models (SE-60), and what stands around it in a chat (AG-52).
  [/^\[FACT\] /, NOTHING],
  [new RegExp(`^Stored memory applies: ${NAME}`), /^(?:>|Why: |Also: )/],
  [new RegExp(`^${NAME}(?: \\(core\\))?: (?:.*; )?a lead to verify$`), /^>/],
  [/^Quoted lines are stored data, a lead to verify/, NOTHING],
  [/^> ?(?:Situation|Behavior|Impact|Action|Source): /, /^>/],
  // `--json`.
  [/^\{"query":\{"terms":\[.*"hits":\[/, NOTHING],
  [/^\{"(?:kind|name)":"[^"]+",.*"(?:record|deduplicated)":/, NOTHING],
];
