import { clauseOf, withoutFillers } from './clauses.ts';
import { concrete, type Demand, demandOf, firstWord, forbidden, NOTHING_SAID, pointsAtHand } from './demands.ts';
import { baseForm, withBaseForm } from './verbs.ts';

/**
 * What a sentence rejects of what was done, and what it says should have been (AG-32, family `rejection`); null: nothing.
 *
 * @param starts - where its clauses begin (`clauseStarts`)
 */
export function rejectedDemand(starts: readonly string[]): Demand | null {
  const found = starts.flatMap((start) => RULES.flatMap((rule) => rule(start) ?? []));
  return found.find(({ demanded, prohibited }) => (demanded ?? prohibited) !== null) ?? found[0] ?? null;
}

/** Whether `sentence`, the first of a message, says no to what was done: with more behind, and no answer to a question. */
export function isLeadingNo(sentence: string, next: string): boolean {
  const found = /^(?:oh |hey |ugh |argh )?(?:no|nope|nah)(?:,? (?:no|nope))*(?:[,.!:;]+| ?[–—-]+(?= ))\s*(.*)$/is.exec(
    sentence,
  );
  if (found === null) return false;
  const said = (found[1] ?? '').trim() || next.trim();
  return said !== '' && !ANSWERING.test(said);
}

const ANSWERING =
  /^(?:thanks|thank you|that's (?:fine|ok|okay|good|all|it|enough|right|correct|great|perfect|not (?:needed|necessary)|a )|that is (?:fine|ok|good|all)|it's (?:fine|ok|okay|good|all|not (?:needed|necessary))|the \w+ ones?\b|not (?:that|this|those|these|yet|now|necessary|needed|really|that i|at the|today|sure)|go ahead|leave (?:it|that|this|as)|keep (?:going|it)|i (?:don't|do not|haven't|didn't|think|am|was|can|will|just|have|had|guess|only|already|like|would)|i'm|i'll|i've|i'd|nothing|none|never ?mind|worries|problem|need|idea|don't (?:worry|bother|think|know)|all good|we (?:don't have|haven't|can|are|have|didn't|will)|we're|we'll|there (?:is|are|was|were)|there's|only|because|sorry|it (?:doesn't|does|works|didn't|isn't|hasn't|wasn't|was|is|has|can)|it's|proceed|continue|carry on|carry|sounds|looks|please (?:go|continue|proceed)|you (?:can|may|don't)|unfortunately|but|maybe|they|he|she|nobody|in fact|actually|just|wait|why|what|how|who|when|can|could|is|are|do you|does|let me)\b/i;

type Rule = (start: string) => Demand | null;

const wrong: Rule = (start) => {
  const form =
    /^(?:i (?:think|believe|'m afraid|am afraid) )?(?:(?:that|this|it|your \w+|what you did)(?:'s| is| was|'re|s)(?: (?:just|plain|simply|totally|completely|still|all|also|clearly|so|quite|obviously|again|definitely))* (?:wrong|incorrect|not (?:right|correct|acceptable|what (?:i|we)\b|how (?:i|we)\b|it\b))|(?:that|this|it) (?:isn't|is n't|wasn't|aint|ain't) (?:right|correct|acceptable|what (?:i|we)\b|how (?:i|we)\b)|(?:wrong|incorrect|not correct|not right)(?=[.,!:;]|$| again| -)|not (?:like (?:this|that)|what (?:i|we) (?:asked|wanted|meant|said|requested|need)))/i;
  const found = form.exec(start)?.[0];
  if (found === undefined) return null;
  const behind = start.slice(found.length);
  return /^(?: (?:in|on|with|about|for|if|only if|when)\b|\?| (?:is|was|are))/i.test(behind) &&
    !/^ on (?:so many|several|many)/i.test(behind)
    ? null
    : NOTHING_SAID;
};

const NO_REPROACH =
  /^(?:received|seen|gotten|got|access|had|been|noticed|heard|enough|everything|permissions?|the|a|an|some|all|no|it|this|that|one|two|\d|at|two|more|write|read|admin|root|full|both)\b/i;

const shouldHave: Rule = (start) => {
  const found =
    /^(?:i (?:think|believe) )?you (should(?: really)?(?: not|n't)?|shouldn't|ought to|could)(?:'ve| have)(?: (?:not|never|just|first|really|simply|at least|also|rather))* (.+)$/is.exec(
      start,
    );
  const rest = found?.[2];
  if (rest === undefined || /^you could/i.test(start)) return null;
  const first = firstWord(rest);
  if (
    NO_REPROACH.test(rest) ||
    /\bby now\b|^already\b/i.test(rest) ||
    !(baseForm(first) !== null || /ed$/i.test(first))
  )
    return null;
  const base = withBaseForm(rest) ?? rest;
  return /n't|\b(?:not|never)\b/i.test(start.slice(0, start.length - rest.length)) ? forbidden(base) : demandOf(base);
};

const supposed: Rule = (start) => {
  const found = /^you (were|are|weren't|aren't|'re)( not|n't)? supposed to (.+)$/is.exec(start);
  if (found === null) return null;
  const isNot = found[2] !== undefined || /n't$/i.test(found[1] ?? '');
  return isNot ? forbidden(found[3] ?? '') : demandOf(found[3] ?? '');
};

/** What was said before: `I told you to X`, `I asked for X, not Y`, `I said no X`. */
const repeated: Rule = (start) => {
  const told =
    /^i(?:'ve| have)? (?:already |just |clearly |explicitly |specifically |repeatedly )*(?:told|asked) you(?: (?:already|before|twice|many times|several times|yesterday))?(?: (not))? to (.+)$/is.exec(
      start,
    );
  if (told !== null) return told[1] === undefined ? demandOf(told[2] ?? '') : forbidden(told[2] ?? '');
  const before =
    /^i(?:'ve| have)? (?:already |just |clearly |explicitly )*(?:told you|said)(?: (?:already|before|twice|that|many times|\w+ times))*[,:]? (?:that )?((?:no|not|never|don't|do not|only|we|always|you) .+)$/is.exec(
      start,
    )?.[1];
  if (before !== undefined) {
    const never = /^(?:never|don't|do not|not to) (.+)$/is.exec(before)?.[1];
    const we = /^we (?:do not|don't|never) (.+)$/is.exec(before)?.[1];
    if (never !== undefined || we !== undefined) return forbidden(never ?? we ?? '');
    return { demanded: concrete(clauseOf(before)), prohibited: null };
  }
  if (
    /^i(?:'ve)? (?:already )?(?:told you (?:that|this|so|about)|said (?:that|this) (?:already|before|twice))\b/i.test(
      start,
    )
  )
    return NOTHING_SAID;
  const asked =
    /^i (?:clearly |explicitly |specifically |actually )*(?:asked for|said|meant|wanted|requested) (.+?),? (?:and )?not (.+)$/is.exec(
      start,
    );
  if (asked === null || /^(?:the|this|that|these|those|my|your)\b/i.test(asked[1] ?? '')) return null;
  return { demanded: concrete(clauseOf(asked[1] ?? '')), prohibited: concrete(clauseOf(asked[2] ?? '')) };
};

const unasked: Rule = (start) => {
  const found =
    /^(?:i (?:didn't|did not|never) ask(?:ed)?(?: you)?|nobody asked(?: you)?|who asked you) (for|to) (.+)$/is.exec(
      start,
    );
  if (found === null) return null;
  return found[1] === 'to' ? forbidden(found[2] ?? '') : NOTHING_SAID;
};

const again: Rule = (start) => {
  const keep = /^you (?:keep|kept) (?:on )?(\w+ing\b.*)$/is.exec(start)?.[1];
  if (keep !== undefined) return forbidden(keep);
  const isRepeat =
    /^you (?:just |have |'ve )*(?:did|done|made|broke|forgot|forgotten|ignored|missed|overwrote|deleted|removed|changed|skipped|used|added|committed|pushed|put|went|left)\b[^,;:]*\bagain\b/i.test(
      start,
    ) ||
    /^you(?:'ve| have)? (?:once )?again \w+/i.test(start) ||
    /^(?:again|once again),? you \w+/i.test(start) ||
    /^(?:this|that|it)(?:'s| is| was)(?: already| now)? the (?:second|third|fourth|fifth|\w+th|\d+(?:nd|rd|th)|hundredth) time (?:you|i|we|that you)\b/i.test(
      start,
    ) ||
    /^(?:the )?same mistake\b/i.test(start);
  if (!isRepeat) return null;
  const what = /^[^:]*\bagain: (\w+ing\b.+)$/is.exec(start)?.[1];
  return what === undefined ? NOTHING_SAID : forbidden(what);
};

const RULES: readonly Rule[] = [wrong, shouldHave, supposed, repeated, unasked, again];

/** A statement that holds for good, or in contrast to what was done. */
const ALWAYS_SO =
  /^(?:[\w-]+ ){1,8}?(?:is|are|goes?|lives?|uses?|comes?|have|has) always \S|^(?:[\w-]+ ){1,8}?always (?:go|goes|use|uses|live|lives|have|has|come|comes|in|on) \S|^(?:[\w-]+ ){1,8}?(?:is|are) [^,]+, not \S/i;

/**
 * What a rejection says in place of what was done: `X belongs in Y`, `X are always Y`, `X is Y, not Z`; null: nothing of the
 * kind.
 */
export function normOf(clause: string): string | null {
  const rest = withoutFillers(clause);
  const form =
    /^(?:[\w-]+ ){1,6}?(?:belongs?|goes|go|should(?:n't)?|must(?:n't)?|ha(?:s|ve) to|needs? to|ought to) \S/i;
  const isNorm = form.test(rest) || ALWAYS_SO.test(rest);
  return isNorm &&
    !pointsAtHand(clauseOf(rest)) &&
    !/^(?:i|you|he|she|we should have|what|who|which|there)\b/i.test(rest) &&
    !/\bhave been\b/i.test(rest)
    ? concrete(clauseOf(rest))
    : null;
}
