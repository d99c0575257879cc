import { clauseOf, reportedFrom, withoutFillers } from './clauses.ts';
import { concrete, type Demand, NOTHING_SAID, readDemand, ruleOf } from './demands.ts';

/** Behind these anything is a rule that nobody else is said to follow. */
const STRONG =
  /,? ?\b(?:from now on(?:wards?)?|from (?:here|this point|today|now) on(?:wards?)?|from this point forward|going forwards?|moving forwards?|henceforth|for future reference|for (?:the )?(?:next|another) time|as a (?:general )?rule|in all future \w+)\b[,:]? ?/i;
/** Behind these only what is demanded. */
const WEAK = /,? ?\b(?:in (?:the )?future|for the future|next time)\b[,:]? ?/i;
const EACH =
  /\b(?:every (?:single )?time|each time|any ?time|whenever)(?: that)? (?:you(?! (?:are|have|get|feel|want|like|can|think|need)\b)|we|someone|somebody|a|an|the|something) /i;
const OTHERS =
  /^(?:i(?! (?:want|need|expect|would like|prefer)\b)|i'm|i'll|i'd|i've|it|it's|it'll|they|he|she|there|this|that|users|customers)\b/i;
const PLANS =
  /\b(?:may|might|could|would|will probably|(?:we|i|to) plan|planning|plans to|hope|hopefully|want to|would like|let me know|ping me|remind me|tell me|send me|call me)\b/i;
const ONE_TASK =
  /^(?:fix|look|check (?:why|what|if|whether)|investigate|debug|find|see|try|help|let me|tell me|send me|ping|remind|wait|write me|show me)\b/i;

const MARKER = new RegExp([STRONG, WEAK, EACH].map(({ source }) => source).join('|'), 'i');

/**
 * The rule in a sentence that says it is one for later: `from now on`, `next time`, `whenever you` (AG-32); null: none.
 *
 * @param starts - where demands may begin in it (`clauseStarts`)
 */
export function markedDemand(sentence: string, starts: readonly string[]): Demand | null {
  if (reportedFrom(sentence) < sentence.search(MARKER)) return null;
  const strong = STRONG.exec(sentence)?.[0];
  if (strong !== undefined) {
    const rest = withoutFillers(sentence.replace(strong, ' ').replace(/\s+/g, ' ').trim());
    if (rest === '') return NOTHING_SAID;
    if (OTHERS.test(rest)) return null;
    const found = firstDemand(rest);
    if (found !== null) return found;
    if (PLANS.test(rest)) return null;
    return ruleOf(rest.replace(/^we(?:'ll| will) /i, ''));
  }
  const weak = WEAK.exec(sentence)?.[0];
  if (weak !== undefined) {
    const rest = withoutFillers(sentence.replace(weak, ' ').replace(/\s+/g, ' ').trim());
    if (PLANS.test(rest) || ONE_TASK.test(rest)) return null;
    // What follows `next time` without a comma says which time: it stays.
    const clause = /^(?:you|we|someone|a|an|the) [^,]+, (.+)$/is.exec(rest)?.[1];
    const found = clause === undefined ? readDemand(rest) : readDemand(clause);
    return found;
  }
  if (!EACH.test(sentence)) return null;
  const isDemand = starts.some((start) => !ONE_TASK.test(start) && !PLANS.test(start) && readDemand(start) !== null);
  const behind = sentence.replace(/^[^,]*, /, '');
  const asks =
    isDemand || (/^(?:every|each|any|whenever)/i.test(withoutFillers(sentence)) && readDemand(behind) !== null);
  return asks && !ONE_TASK.test(withoutFillers(behind))
    ? { demanded: concrete(clauseOfAll(sentence)), prohibited: null }
    : null;
}

function firstDemand(rest: string): Demand | null {
  const borders = [0, ...[...rest.matchAll(/[,;:] /g)].slice(0, MOST_PARTS).map(({ index }) => index + 2)];
  for (const from of borders) {
    const part = rest.slice(from);
    const found = OTHERS.test(withoutFillers(part)) ? null : readDemand(part);
    if (found !== null) return found;
  }
  return null;
}

const MOST_PARTS = 10;

/** A sentence that says when as well stays whole. */
function clauseOfAll(sentence: string): string {
  return withoutFillers(sentence).replace(/[\s.!]+$/, '');
}

/** `Commit messages should always ...`: about a kind of thing, not about one that is named. */
export function generalRule(start: string): Demand | null {
  const form =
    /^(?!the |this |that |it |these |those |my |your |they |he |she |i |we |you )(?:(?:all|every|each|no|new|any) )?(?:[\w-]+ ){0,4}?([\w-]+) (?:must|should|may|shall|have to|has to|need to|needs to|can) (?:always|never|only ever) (\w+)/i;
  const found = form.exec(start);
  const isKind =
    found !== null &&
    (/s$/i.test(found[1] ?? '') || /^(?:every|each|any|no|code|sql|everything|nothing|logging)\b/i.test(start));
  return isKind ? { demanded: concrete(clauseOf(start)), prohibited: null } : null;
}
