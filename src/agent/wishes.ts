import { clauseOf, withoutFillers } from './clauses.ts';
import { concrete, type Demand, demandOf, firstWord, forbidden, NOTHING_SAID, readDemand } from './demands.ts';
import { isCommandVerb, mayBeBaseVerb, withBaseForm } from './verbs.ts';

/** What a sentence demands for this once or for ever, it does not say (AG-32, family `this time?`); null: nothing. */
export function openDemand(sentence: string, starts: readonly string[]): Demand | null {
  return firstOf(OPEN, starts) ?? conditional(sentence, starts);
}

/** What a sentence, also a question, wishes for softly (AG-32, family `soft`); null: nothing. */
export function softWish(starts: readonly string[]): Demand | null {
  return firstOf(SOFT, starts);
}

type Rule = (start: string) => Demand | null;

function firstOf(rules: readonly Rule[], starts: readonly string[]): Demand | null {
  for (const start of starts) {
    for (const rule of rules) {
      const found = rule(start);
      if (found !== null) return found;
    }
  }
  return null;
}

/** `When you add a column, also add it to the export`: about any column. */
function conditional(sentence: string, starts: readonly string[]): Demand | null {
  const form = /^(?:when|if|before|after|once) you \w+ (?:a|an|any|new|something|somebody|anything) [^,]+, /i;
  const isDemand = form.test(sentence) && starts.some((start) => readDemand(start) !== null);
  return isDemand ? { demanded: concrete(sentence.replace(/[\s.!]+$/, '')), prohibited: null } : null;
}

const NO_DEMAND =
  /^(?:worry|bother|mind|know|think|you|they|we|i|have|see|get|need|care|understand|remember|hesitate|sweat|panic|believe|recall|even|really|like|want|feel|seem|matter|apply|ask|tell me|trust|forget)\b/i;

const dont: Rule = (start) => {
  const found =
    /^(?:(?:let's|you (?:should|must|may|can)|you'd better|try to) )?(?:don't|do not|dont|not|shouldn't|should not|must not|mustn't|can't just|cannot just) (.+)$/is.exec(
      /^you (?:shouldn't|mustn't|can't just)/i.test(start) ? start.slice('you '.length) : start,
    )?.[1];
  const isBare = /^not /i.test(start);
  if (found === undefined || isBare || NO_DEMAND.test(found) || !mayBeBaseVerb(firstWord(found))) return null;
  return forbidden(found);
};

const dontForget: Rule = (start) => {
  const found = /^(?:don't|do not|never) forget to (.+)$/is.exec(start)?.[1];
  return found === undefined ? null : { demanded: concrete(clauseOf(found)), prohibited: null };
};

const noMore: Rule = (start) => {
  const isOne =
    /^no more (?!questions?|errors?|problems?|issues?|time|warnings?|failures?|comments? from|than|changes? from|ideas?|bugs?|crashes|luck)\S/i.test(
      start,
    );
  const isPlease = /^no (?!problem|worries|idea|need|rush|hurry|thanks)[^,.]+,? please$/i.test(
    start.replace(/[.!\s]+$/, ''),
  );
  return isOne || isPlease ? { demanded: concrete(clauseOf(start)), prohibited: null } : null;
};

const makeSure: Rule = (start) => {
  const found =
    /^(?:(?:please |you should |also )?(?:make|be) sure|ensure|see to it)(?: that| to| you| we)* (.+)$/is.exec(
      start,
    )?.[1];
  if (found === undefined) return null;
  return demandOf(/^(?:make|be) sure to /i.test(start) ? found : start);
};

const keepInMind: Rule = (start) => {
  const found = /^(?:keep|bear|have) in mind(?: that|:|,)? (.+)$/is.exec(start)?.[1];
  return found === undefined ? null : { demanded: concrete(clauseOf(found)), prohibited: null };
};

const inPlaceOf: Rule = (start) => {
  if (/^(?:i|do not) /i.test(start)) return null;
  const rest = start.replace(/^(?:we|you should|you can|you must|let's|we should) /i, '');
  if (!isCommandVerb(firstWord(rest)) || /^\S+ (?:is|are|was|were)\b/i.test(rest)) return null;
  const clause = clauseOf(rest);
  if (/,? (?:and not|not|instead of|rather than|in place of) \S/i.test(clause)) return demandOf(rest);
  const isInstead =
    /^(?:use|put|call|choose|pick|write|take|go with|do|import|run|return|throw|try)\b[^,;]*\binstead\b/i.test(rest);
  return isInstead ? demandOf(rest) : null;
};

const avoid: Rule = (start) =>
  /^avoid \S+/i.test(start) ? { demanded: concrete(clauseOf(start)), prohibited: null } : null;

const unwanted: Rule = (start) => {
  const found = /^(?:i|we) (?:don't|do not) want (you to )?(.+)$/is.exec(start);
  if (found === null || /^(?:to|it|that|this)\b/i.test(found[2] ?? '')) return null;
  return found[1] === undefined
    ? { demanded: concrete(`no ${clauseOf(found[2] ?? '')}`), prohibited: null }
    : forbidden(found[2] ?? '');
};

const onlyThat: Rule = (start) =>
  /^only (?:ever )?(\w+) /i.test(start) && isCommandVerb(/^only (?:ever )?(\w+)/i.exec(start)?.[1] ?? '')
    ? { demanded: concrete(clauseOf(start)), prohibited: null }
    : null;

const keepTo: Rule = (start) => (/^(?:keep to|stick (?:to|with)|adhere to) \S+/i.test(start) ? demandOf(start) : null);

const OPEN: readonly Rule[] = [
  dontForget,
  dont,
  noMore,
  makeSure,
  keepInMind,
  inPlaceOf,
  avoid,
  unwanted,
  onlyThat,
  keepTo,
];

const rather: Rule = (start) => {
  const found =
    /^(?:and |but )?(?:i think )?i(?:'d| would)(?: really| much| strongly| personally)? (?:prefer|rather|like it (?:better|more)|love it)(?: (to|not to|if you|if|that|you|see|have|not))?,? (.+)$/is.exec(
      start,
    );
  if (found === null) return null;
  if (/^not/i.test(found[1] ?? '')) return forbidden(found[2] ?? '');
  const lead = /^(?:if|you|that|see|have)$/i.test(found[1] ?? '') ? `${found[1]} ` : '';
  return demandOf(`${lead}${found[2]}`);
};

/** `I'd have used X here`: what should have been, softly. */
const wouldHave: Rule = (start) => {
  const found =
    /^(?:i think )?(?:i|we)(?:'d| would)(?: rather| probably)? have (?:expected you to |liked you to |preferred )?(.+)$/is.exec(
      start,
    )?.[1];
  if (found === undefined || /^(?:to|a|an|the|no|been|thought|guessed|said|loved|liked)\b/i.test(found)) return null;
  return demandOf(withBaseForm(found) ?? found);
};

/** `we usually X`: a habit, perhaps a rule. */
const usual: Rule = (start) => {
  const found = /^we (?:usually|normally|typically|mostly|generally|tend to) (.+)$/is.exec(start)?.[1];
  return found !== undefined && isCommandVerb(firstWord(found)) ? demandOf(found) : null;
};

/** `maybe X`, `perhaps X`, `actually X`: X is what to do, not what may be. */
const maybe: Rule = (start) => {
  const found =
    /^(?:maybe|perhaps|actually|possibly),? (?:(?:you|we|it) (?:should|could|can|want to|might want to|'d better|better)(?: be better)? |it(?:'d| would) be (?:better|nicer) to |let's |just |better |rather |please )*(.+)$/is.exec(
      start,
    )?.[1];
  if (found === undefined) return null;
  const isTold =
    /^(?:maybe|perhaps|actually|possibly),? (?:(?:you|we) (?:should|could|might want to|better)|let's|better|it(?:'d| would) be (?:better|nicer) to)/i.test(
      start,
    );
  if (ASKING.test(found)) return null;
  if (isTold) return mayBeBaseVerb(firstWord(found)) ? demandOf(found) : null;
  return /^(?:no|not)\b/i.test(found) ? null : readDemand(found);
};

const ASKING = /^(?:check|look|ask|see|try|wait|let me|have a look)\b/i;

const notAsked: Rule = (start) => {
  const found =
    /^(?:can|could|would|will) (?:we|you)(?: please| maybe)? (?:please )?(?:not|stop|avoid|never|refrain from) (.+)$/is.exec(
      start,
    )?.[1];
  if (
    found === undefined ||
    /\bor\b/i.test(found) ||
    /^(?:can|could) we not \w+ (?:it|this|that)? ?because/i.test(start)
  )
    return null;
  return forbidden(found);
};

const whyDid: Rule = (start) => {
  const found =
    /^why (?:on earth |the hell |exactly )?(did you|didn't you|did you not|do you|don't you|are you|have you|haven't you|would you|not(?= (?:just |simply )?\w+))(?: (?:always|just|even|simply|also|then|not))? (.+)$/is.exec(
      start,
    );
  if (found === null || /^why (?:do|don't) you (?:think|ask|say|mean|need|want|care)\b/i.test(start)) return null;
  const rest = (found[2] ?? '').replace(/\?+$/, '');
  return /n't|not/i.test(found[1] ?? '') ? demandOf(rest) : forbidden(rest);
};

const mindNot: Rule = (start) => {
  const found = /^would you mind (not )?(\w+ing\b.*)$/is.exec(start);
  return found?.[1] === undefined ? null : forbidden(found[2] ?? '');
};

const nicer: Rule = (start) => {
  const found =
    /^(?:wouldn't it be (?:better|nicer|cleaner|easier) (?:to|if (?:you|we))|it (?:would|'d) be (?:better|nicer|nice|great) (?:to|if you)|it'd be (?:better|nicer|nice) (?:to|if you)|shouldn't (?:you|we)|how about (?:you )?(?:we )?) ?([^?].*)$/is.exec(
      start,
    )?.[1];
  if (found !== undefined) return demandOf(found.replace(/\?+$/, ''));
  return /^i'?(?:m| am) not (?:a (?:big |huge |great )?fan of|fond of|keen on|happy with) \S/i.test(start)
    ? NOTHING_SAID
    : null;
};

/** A rule as a question: `next time, can you ask first?` */
const askedRule: Rule = (start) => {
  const found = /^(?:can|could|would|will) you (?:please )?(.+)$/is.exec(withoutFillers(start))?.[1];
  return found !== undefined && /\b(?:next time|from now on|in (?:the )?future|going forward|always)\b/i.test(found)
    ? demandOf(found.replace(/\?+$/, '').replace(/^always /i, ''))
    : null;
};

const SOFT: readonly Rule[] = [rather, wouldHave, usual, maybe, notAsked, whyDid, mindNot, nicer, askedRule];
