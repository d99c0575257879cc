import { clauseOf, withoutFillers } from './clauses.ts';
import { isCommandVerb, mayBeBaseVerb, withBaseForm } from './verbs.ts';

/** What a clause wants to be done or left; both null: something, but it does not say what. */
export interface Demand {
  readonly demanded: string | null;
  /** In the base form: `run the seed script`. */
  readonly prohibited: string | null;
}

export const NOTHING_SAID: Demand = { demanded: null, prohibited: null };

/** Words that address whoever shall do something, in front of a demand. */
export const ADDRESS = `(?:i (?:really |also |just )?(?:want|need|expect|would like|'d like|ask|asked|told) you to|i'd like you to|you (?:really |just )?(?:should|must|need to|have to|ought to|are to|shall)|you'd better|we (?:should|must|need to|have to)|let's|try to|(?:make|be) sure (?:to|you|that you|we|that we)|it(?:'s| is) (?:best|better|important) to|the rule is(?: to| that)?:?) `;

const ADDRESSED = new RegExp(`^${ADDRESS}`, 'i');

/** The demand that `clause` begins with, whatever its form; null: none is seen. */
export function readDemand(clause: string): Demand | null {
  const told = withoutFillers(clause)
    .replace(ADDRESSED, '')
    .replace(/^we (?=(?:always|never|don't|do not) )/i, '');
  const rest = withoutFillers(told.replace(/^(?:always|(?:don't|do not|never) forget (?:to|that)) /i, ''));
  const prohibited = PROHIBITED.exec(rest)?.[1];
  if (prohibited !== undefined && (!/^never/i.test(rest) || mayBeBaseVerb(firstWord(prohibited))))
    return forbidden(prohibited);
  const isAddressed = ADDRESSED.test(withoutFillers(clause));
  if (isAddressed && /^not \S/i.test(rest)) return forbidden(rest.slice('not '.length));
  if (/^(?:no more|no|only|avoid) \S/i.test(rest)) return { demanded: concrete(clauseOf(rest)), prohibited: null };
  const isImperative = isCommandVerb(firstWord(rest)) && !NOT_IMPERATIVE.test(rest);
  return isImperative || isAddressed ? demandOf(rest) : null;
}

const PROHIBITED =
  /^(?:don't you (?:ever |dare )?|don't (?:ever )?|do not (?:ever )?|dont |never (?:ever )?(?:again )?|(?:stop|quit|refrain from|cease) (?=\w+ing\b)|not to )(.+)$/is;
/** A noun that looks like a command: `build is red`. */
const NOT_IMPERATIVE =
  /^\S+ (?:is|are|was|were|has|have|had|fails?|failed|passes|passed|does|doesn't|did|didn't|will|would|can|could|should|works?|worked)\b/i;

/** A demand to do `rest`, with what is to be done instead of what (`X, not Y`, `X instead of Y`, `X rather than Y`). */
export function demandOf(rest: string): Demand {
  const clause = clauseOf(rest);
  const [, doing = '', leaving = ''] = PAIR.exec(clause) ?? [];
  if (doing === '' || PLACE.test(leaving)) return { demanded: concrete(clause), prohibited: null };
  const verb = firstWord(doing);
  const prohibited =
    withBaseForm(leaving) ?? (isCommandVerb(verb) && !mayBeCommand(leaving) ? `${verb} ${leaving}` : leaving);
  return { demanded: concrete(clauseOf(doing)), prohibited: concrete(prohibited) };
}

const PAIR = /^(.+?),? (?:and not|but not|not|instead of|rather than|in place of|never) ([^,]+)/is;
/** Of `in X, not in Y` one half does not say what is done. */
const PLACE =
  /^(?:in|into|on|onto|at|to|from|with|by|for|through|via|under|inside|within|before|after|just|only|even|the other|vice)\b/i;

/** A demand to leave `rest`. */
export function forbidden(rest: string): Demand {
  const clause = clauseOf(rest);
  const [first] = [firstWord(clause)];
  const base = /ing$/i.test(first) && !isCommandVerb(first) ? withBaseForm(clause) : clause;
  return { demanded: null, prohibited: concrete(base ?? clause) };
}

function mayBeCommand(words: string): boolean {
  return isCommandVerb(firstWord(words)) && / /.test(words) && mayBeBaseVerb(firstWord(words));
}

export function firstWord(text: string): string {
  return /^[^\s,;:.!?]+/.exec(text)?.[0] ?? '';
}

/** Null for words that only point at something: `do it again`. */
export function concrete(words: string): string | null {
  const said = words.trim();
  return said === '' || POINTING.test(said) ? null : said;
}

const POINTING =
  /^(?:[\w']+ )?(?:it|this|that|so|them|those|these|one|me|us|things?|stuff|the same|the other(?: one)?)(?: (?:thing|again|any ?more|like (?:this|that)|here|now|way|then|first|too|back|up|all|please|to (?:me|us)|for me))*$|^(?:do|use|be|go|try)$/i;

/**
 * Whether words point at what is at hand (`this PR`, `put it there`): they say nothing to somebody who reads them elsewhere.
 * What is ours for good, as `this repo`, does not.
 */
export function pointsAtHand(words: string): boolean {
  return AT_HAND.test(words);
}

const AT_HAND =
  /\b(?:this|these|those)\b(?! (?:repo|repository|project|codebase|code base|team|company|package|module|monorepo|org|kinds?|sorts?|types?)\b)|\bthat (?:one|pr|branch|file|commit|test|change|part|line|function|method|page|way|context|version|thing)\b|^\w+ (?:it|that|them)\b|\b(?:the \w+ ones?|over there|back)\b/i;

/** Whether a sentence is about the task at hand and over with it, though it does not say so: `when you're done`. */
export function isOneTask(sentence: string): boolean {
  return pointsAtHand(sentence) || TRANSIENT.test(sentence);
}

const TRANSIENT =
  /\b(?:(?:when|once|as soon as|after|before|until|while) (?:you're|you are|it's|it is|that's|we're|i'm|i am|that is|they're) \S+|before (?:you (?:go|leave|start|hand|finish)|lunch|noon|tonight|the (?:demo|release|meeting|review|call|deploy|deadline))|by (?:tomorrow|tonight|noon|monday|tuesday|wednesday|thursday|friday)|tomorrow|yesterday|later|(?:i'm|i am|we're|he's|she's) \w+ing|i (?:just|need|have|want) |i've|i'll|we'll|\w+'s (?:branch|pr|change|commit)|and (?:then )?(?:push|commit|merge|deploy|ship|tell me|let me know|report|come back|request)|in the other|in my branch|on my (?:branch|machine)|at (?:noon|\w+ o'clock))\b/i;

/** A plain command that says what to do from here: one that no single task is ordered with. */
export function replacementOf(clause: string): string | null {
  const rest = withoutFillers(clause);
  return REPLACING.test(rest) || /\binstead\b/i.test(rest) ? commandOf(rest) : null;
}

const REPLACING = /^(?:use|ask|put|call|keep|prefer|go through|write|run|stick|open|do)\b/i;

/** A plain command, but not one to repair what was just done. */
export function commandOf(clause: string): string | null {
  const rest = withoutFillers(clause);
  if (!isCommandVerb(firstWord(rest)) || NOT_IMPERATIVE.test(rest) || REPAIRING.test(rest)) return null;
  if (pointsAtHand(clauseOf(rest))) return null;
  return demandOf(rest).demanded;
}

const REPAIRING =
  /^(?:fix|revert|undo|redo|retry|try|restore|look|check|see|read|review|compare|repeat|explain|show|tell|find|wait|stop|start|continue|go|change (?:it|that|this)|remove (?:it|that|this|the)|delete|drop|rename|move|put (?:it|that|this|them) back|get rid|clean|debug|investigate|roll|reset|rebase|push|pull|merge|commit|deploy|restart|add|(?:keep|bear|have) (?:it|this|that) in mind)\b/i;

/** What is told as a rule, demand or not. */
export function ruleOf(words: string): Demand {
  const found = readDemand(words);
  if (found !== null && (found.demanded ?? found.prohibited) !== null) return found;
  const clause = clauseOf(withoutFillers(words));
  return { demanded: concrete(clause), prohibited: null };
}
