/** A sentence without the reason it gives. */
export interface Reasoned {
  readonly main: string;
  /** What follows because, since or otherwise; null: no reason is given. */
  readonly reason: string | null;
}

/** Takes the reason out of a sentence, in front or behind (AG-35). A point in time behind `since` is none. */
export function splitReason(sentence: string): Reasoned {
  const front = FRONT_REASON.exec(sentence);
  if (front !== null) return { main: front[2] ?? '', reason: trimmedEnd(front[1] ?? '') };
  const found = REASON.exec(sentence);
  if (found === null) return { main: sentence, reason: null };
  const before = sentence.slice(0, found.index);
  const behind = sentence.slice(found.index + found[0].length);
  const further = FURTHER_DEMAND.exec(behind);
  const reason = trimmedEnd(further === null ? behind : behind.slice(0, further.index));
  if (reason === '') return { main: sentence, reason: null };
  if (before.trim() === '') return { main: '', reason };
  return { main: further === null ? before : `${before}, ${behind.slice(further.index + further[0].length)}`, reason };
}

const NO_TIME = String.raw`(?!then\b|when\b|yesterday|last\b|this\b (?:morning|week|month|year)|v?\d|the (?:last|first|beginning|start|release|update|upgrade|change|migration|deploy|merge)\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|may|june|july|august|september|october|november|december)\b)`;
const REASON = new RegExp(
  `(?:^|[,;(]? )(?:because of|because|'cause|cuz|(?<!ever )since ${NO_TIME}|otherwise,?|or else,?) ?`,
  'i',
);
const FRONT_REASON = new RegExp(`^(?:because|since ${NO_TIME}) ?([^,]+), (.+)$`, 'i');
const FURTHER_DEMAND =
  /[,;] (?=(?:so )?(?:please|maybe|perhaps|always|never|don't|do not|use|run|put|stop|instead)\b)/i;

/**
 * Where a demand may begin in a sentence: what stands there up to the sentence's end, without words of address and greeting.
 * Behind if, when and the like nothing is demanded before the next comma.
 */
export function clauseStarts(sentence: string): string[] {
  const starts: string[] = [];
  const reported = reportedFrom(sentence);
  let segment = 0;
  for (const { index, sign, to } of bordersOf(sentence)) {
    if (to > reported || starts.length >= MOST_STARTS) break;
    if (sign) segment = to;
    const head = sentence.slice(segment, index).slice(0, 200);
    if (!sign && (SUBORDINATE.test(head) || OF_OTHERS.test(head) || !DEMANDING.test(withoutFillers(head)))) continue;
    const rest = withoutFillers(sentence.slice(to));
    if (rest !== '' && !SUBORDINATE.test(rest) && rest !== starts.at(-1)) starts.push(rest);
  }
  return starts;
}

/** Where a sentence begins to tell what somebody else says; Infinity: nowhere. */
export function reportedFrom(sentence: string): number {
  return REPORTED.exec(sentence)?.index ?? Number.POSITIVE_INFINITY;
}

const REPORTED =
  /(?<!\b(?:i|we|i've|already|just|clearly|explicitly|you) )\b(?:says?|said|saying|states?|claims?|claimed|complains?|complained|mentions?|mentioned|recommends?|recommended|suggests?|suggested|warns?|warned|wrote|writes|insists?|insisted|thinks|tells (?:me|us|you)|told (?:me|us|them)|asks (?:me|us)|according to|documented as|reads:?)\b|\b(?:the|an?|this|that) (?:error|log|message|comment|warning|docs|documentation|readme|linter)(?: \w+)? ?(?:is|was|:)/i;

function bordersOf(sentence: string): { readonly index: number; readonly sign: boolean; readonly to: number }[] {
  const found = [...sentence.matchAll(BORDER)].map((border) => ({
    index: border.index,
    sign: !/^ \w/.test(border[0]),
    to: border.index + border[0].length,
  }));
  return [{ index: 0, sign: true, to: 0 }, ...found];
}

const MOST_STARTS = 40;
const BORDER = /[,;:(!] | ?[–—] ?| -+ | (?:and|but|so|then|or) (?=\S)/gi;
const SUBORDINATE =
  /^(?:and |but |so )?(?:if|when(?:ever)?|while|because|since|although|though|unless|until|as soon as|in case|suppose|supposing|imagine|assuming|what if|whether|that(?! (?:is|isn't|was|wasn't|one|goes)\b)|which|who|where|as|even if|even though|i thought) /i;
const OF_OTHERS = /^(?:they|it|he|she|this|these|those|everyone|people|users|customers) /i;
/** How a clause begins that goes on demanding behind `and`. */
const DEMANDING =
  /^(?:please|always|never|don't|do not|no|not|only|stop|we|you|let's|i (?:want|need|expect)|from|in future|going|next time|use|[a-z]+ (?:the|a|an|all|every|your|our|it|this|that|to|in|into|\uE000))\b|^(?:ok|thanks|great|good|nice|fine|cool|well|yes|right)?[.!]?$/i;

/** `clause` without greeting, filler and place in front: `ok, and please` (AG-32). */
export function withoutFillers(clause: string): string {
  let rest = clause.trim();
  for (let turn = 0; turn < MOST_FILLERS; turn++) {
    const found = FILLER.exec(rest)?.[0] ?? '';
    if (found === '') break;
    rest = rest.slice(found.length);
  }
  return rest;
}

const MOST_FILLERS = 8;
const FILLER = new RegExp(
  `^(?:(?:${[
    'please|pls|plz|ok|okay|hey|hi|hello|oh|ah|well|hm+|look|listen|so|and|but|also|btw|by the way|fyi|note|nb|yes|yeah|yep|sure',
    'thanks(?: a lot)?|thank you|great|good|nice|cool|fine|sorry|sigh|ugh|argh|grr+|just|really|seriously|kindly|honestly',
    'for the (?:last|nth|second|third|hundredth) time|to be clear|to be honest|as (?:i )?(?:already )?(?:said|mentioned)(?: before)?|like i said',
    'one (?:more )?(?:thing|request|note)(?: though)?|(?:a )?(?:small|quick|minor) (?:thing|note|request)|important|reminder|attention|careful|generally',
    'in general|in short|first(?: of all)?|second(?:ly)?|lastly|finally|next|again|then|instead|though|however|and remember|and yes',
    '(?:in|for|on|within|across) (?:this|our|the|any|every|all|my|these)(?: [\\w-]+){0,2} (?:repo|repository|project|codebase|team|company|package|monorepo|org)s?',
    "i(?:'ve| have)? (?:already )?(?:said|told you)(?: (?:it|this|that))?(?: (?:before|already|twice|many times))?(?=[:,])",
    '@[\\w-]+|engram-agent|executor|claude|(?:agent|team|all|everyone|folks|guys|man|dude)(?=[,:!])',
  ].join('|')})(?:[\\s,:.!–—-]+|$))`,
  'i',
);

/** Cuts and cleans what is demanded: up to the next clause, without courtesies and signs at the end. */
export function clauseOf(rest: string): string {
  const end = CLAUSE_END.exec(rest);
  let clause = end === null ? rest : rest.slice(0, end.index);
  for (let turn = 0; turn < MOST_FILLERS; turn++) {
    const shorter = trimmedEnd(clause).replace(TAIL, '');
    if (shorter === clause) break;
    clause = shorter;
  }
  return clause.trim();
}

const CLAUSE_END = new RegExp(
  [
    `[;!?]| [-–—]+ |[.] `,
    String.raw`,? (?:but|though|although) (?!not\b)`,
    String.raw`, (?:it|it's|that|that's|this|they|we|you|i|i'm|he|she|there|there's|these|those|which|who|so|as|please|thanks|thank|ok|okay|keep (?:that|this|it) in mind|always|never|don't|do not|no matter|even if|the|our|just|(?:and|then) (?:please|always|never|don't|it|that|we|i|the))\b`,
    String.raw`,? and (?:please|always|never|don't|do not|stop|it|we|i|that's)\b`,
    String.raw`, (?:[\w\uE000\uE001-]+ ){1,4}?(?:is|are|was|were|keeps?|has|have|does|doesn't|don't|can|can't|cannot|will|won't|would|must|should|goes|still|breaks?|needs?|belongs?|always|never)\b`,
    String.raw`, (?!(?:in|on|at|to|for|from|with|by|of|not|or|and|but|as|even|only|like|unless|if|when|into|under|after|before|without|especially|including|except|both|nor|than|via|per)\b)[a-z]+ (?:the|a|an|it|them|your|our|all|every)\b`,
    String.raw`, (?:use|run|put|ask|open|create|call|go|take|keep|write|prefer|do) (?=\S)`,
  ].join('|'),
  'i',
);
const TAIL =
  /(?:,? (?:please|pls|though|thanks|thank you|ok|okay|alright|right|ever|from (?:now|here) on(?:wards)?|going forward|moving forward|in (?:the )?future|(?:for )?next time|as a (?:general )?rule|henceforth|instead|anymore|any more|again|ever|:-?\)|:D))$/i;

/** Without signs and white space at the end; closing brackets belong to their opening ones. */
function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.,;:!?…–—-]/.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end).trimStart();
}
