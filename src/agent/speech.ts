/** One sentence of a text, without what others said. */
export interface Sentence {
  /** Inline code, quotations and URLs are marks here; `unmasked` puts them back. White space runs are one blank. */
  readonly text: string;
  readonly isQuestion: boolean;
}

/** What somebody says in their own words. */
export interface Speech {
  readonly sentences: readonly Sentence[];
  /** `part` of a sentence as it was written. */
  unmasked(part: string): string;
}

/** A longer run is no sentence that a rule was made for; it bounds every expression used on one. */
const LONGEST_SENTENCE = 1000;

/**
 * The sentences that the writer of `text` says: no code blocks, quoted lines, comments of code or lines of logs (AG-32, AG-42).
 * Takes time in proportion to the text.
 */
export function speechOf(text: string): Speech {
  const masked: string[] = [];
  const mask = (found: string): string => `${OPEN}${masked.push(found) - 1}${CLOSE}`;
  const own = ownLines(text.replace(MARKS, ' ').replaceAll('’', "'").replaceAll(/[“”]/g, '"'));
  const sentences = own
    .map((paragraph) => paragraph.replace(MASKED, mask).replace(SINGLE_QUOTED, mask).replace(EMPHASIS, '$2'))
    .flatMap(sentencesOf)
    .filter((sentence) => sentence.length <= LONGEST_SENTENCE)
    .map((sentence) => ({ text: sentence, isQuestion: isQuestion(sentence) }));
  return { sentences, unmasked: (part) => part.replace(MASK, (_, at: string) => masked[Number(at)] ?? '') };
}

const OPEN = '\uE000';
const CLOSE = '\uE001';
const MARKS = /[\uE000\uE001]/g;
const MASK = /\uE000(\d+)\uE001/g;
const MASKED =
  /`[^`\n]{1,300}`|"[^"\n]{1,300}"|\b(?:https?:\/\/|ssh:\/\/|file:\/\/|git:\/\/|www\.)\S{0,2000}[^\s.,;:!?)]/g;
const SINGLE_QUOTED = /(?<=^|[\s(:])'[^'\n]{2,200}'(?=[\s.,;:)!?]|$)/g;
const EMPHASIS = /(?<![\w*])(\*{1,2}|__|_)(?=[^\s*_])([^*_\n]{1,200})\1(?![\w*])/g;

/** Paragraphs: lines that belong to one text joined, everything that is not said left out. */
function ownLines(text: string): string[] {
  const paragraphs: string[] = [];
  let fence: string | null = null;
  let goesOn = false;
  for (const written of text.split('\n')) {
    // Far from the border nobody writes; and runs of blanks are what slows expressions down.
    const line = written.trimEnd().replace(/^\s{9,}/, '        ');
    const opened = /^\s{0,8}(?:[-*] )?(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (opened?.startsWith(fence)) fence = null;
      continue;
    }
    if (opened !== null) fence = opened;
    if (opened !== null || NOT_SAID.test(line)) {
      goesOn = false;
      continue;
    }
    const said = line.replace(LIST_MARK, '').trim();
    const last = paragraphs.at(-1);
    if (goesOn && last !== undefined && /^[a-z\uE000(]/.test(said) && !LIST_MARK.test(line)) {
      paragraphs[paragraphs.length - 1] = `${last} ${said}`;
    } else if (said !== '') paragraphs.push(said);
    goesOn = said.length >= WRAPPED_FROM && !/[.!?:;]$/.test(said);
  }
  return paragraphs;
}

/** A line so long may have been wrapped; the next one then goes on with it. */
const WRAPPED_FROM = 50;
const LIST_MARK = /^\s{0,12}(?:[-*•]|\d{1,3}[.)])\s+/;
/** Quoted lines, our own lines, shells, logs, traces, comments of code and code. */
const NOT_SAID = new RegExp(
  [
    /^\s*(?:>|\[FACT\]|\[User\]:|\||\$ |% |#|\/\/|\/\*|<!--|@@ |diff --git|[+-]{3} )/,
    /^\s*(?:at \S+ ?\(|File "|Traceback|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d)/,
    /^\s*(?:npm |\[)?(?:ERR!|ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|PASS|FAIL)\b/,
    /^\s*(?:\w*(?:Error|Exception|Warning)|error(?:\[\w+\])?|warning|fatal|remote|hint|note|stderr|stdout): /,
    /^\s{2,9}\S.*[;{}]$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

function sentencesOf(paragraph: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const end of paragraph.matchAll(SENTENCE_END)) {
    const to = end.index + end[0].length;
    if (end[0] === '.' && ABBREVIATED.test(paragraph.slice(Math.max(0, to - 8), to))) continue;
    found.push(paragraph.slice(from, to));
    from = to;
  }
  found.push(paragraph.slice(from));
  return found.map((sentence) => sentence.replace(/\s+/g, ' ').trim()).filter((sentence) => sentence !== '');
}

const SENTENCE_END = /(?:[.!?]{1,5}|…)[)\]]?(?=\s|$)/g;
const ABBREVIATED = /(?:^|[\s(])(?:e\.g|i\.e|vs|cf|approx|incl|resp|mr|mrs|dr)\.$/i;

/** By its sign, unless that belongs to a tag (`..., ok?`); without one by its first words. */
function isQuestion(sentence: string): boolean {
  if (sentence.endsWith('?')) return !TAG.test(sentence);
  return ASKS.test(sentence);
}

const TAG =
  /, ?(?:ok|okay|alright|all right|right|please|yes|yeah|deal|got it|got that|understood|clear|will you)\?+$/i;
const ASKS =
  /^(?:(?:and|so|but|hey|hm+|ok|well|also),? )?(?:(?:is|are|was|were|does|did|can|could|would|will|should|has|have|isn't|aren't|doesn't|didn't|couldn't|wouldn't|shouldn't|won't|don't|do) (?:you|we|i|it|they|he|she|this|that|there|the|these|those|any(?:one|body)?|some(?:one|body)?)\b|(?:why|where|who|whose|which)\b|how (?:come|do|does|did|can|could|many|much|about|is|are|would|should)\b|what (?:is|are|was|were|do|does|did|about|if|would|should|can|happens|kind|else)\b|what's\b)/i;
