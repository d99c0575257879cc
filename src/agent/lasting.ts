import { clauseOf } from './clauses.ts';
import {
  ADDRESS,
  concrete,
  type Demand,
  demandOf,
  firstWord,
  forbidden,
  isOneTask,
  NOTHING_SAID,
  ruleOf,
} from './demands.ts';
import { generalRule, markedDemand } from './standing-marks.ts';
import { isCommandVerb, mayBeBaseVerb, withBaseForm } from './verbs.ts';

/**
 * The rule that a sentence lays down for good (AG-32, family `lasting`); null: none.
 *
 * @param sentence - without its reason
 * @param starts - where demands may begin in it (`clauseStarts`)
 */
export function lastingDemand(sentence: string, starts: readonly string[]): Demand | null {
  for (const start of starts) {
    for (const rule of RULES) {
      const found = rule(start, sentence);
      if (found !== null) return found;
    }
  }
  return markedDemand(sentence, starts) ?? (starts[0] === undefined ? null : generalRule(starts[0]));
}

type Rule = (start: string, sentence: string) => Demand | null;

const NEVER = new RegExp(
  `^(?:${ADDRESS})?(?:we )?(?:never ever|never|not ever|at no point|under no circumstances),? (?:should (?:you|we|anybody|anyone) |may (?:you|we) )?(?:again |ever )?(.+)$`,
  'is',
);
const ALWAYS = new RegExp(`^(?:${ADDRESS})?(?:we )?always (?:please |first )?(.+)$`, 'is');
const WANTED = /^i (?:always|never) (?:want|expect|need) (?:you )?(?:to )?(.+)$/is;
const MUST_ALWAYS = /^you always (?:have|need|ought) to (.+)$/is;

const never: Rule = (start) => {
  const found = NEVER.exec(start)?.[1];
  if (found === undefined) return null;
  return mayBeBaseVerb(firstWord(found)) ? forbidden(found) : null;
};

const always: Rule = (start) => {
  const found = MUST_ALWAYS.exec(start)?.[1] ?? ALWAYS.exec(start)?.[1];
  if (found === undefined) return null;
  const from = /^\w+ly /i.test(found) ? found.replace(/^\w+ /, '') : found;
  return mayBeBaseVerb(firstWord(from)) ? demandOf(found) : null;
};

/** `I never want to see X again`: the wish itself is what can be kept. */
const wanted: Rule = (start) => {
  const found = WANTED.exec(start)?.[1];
  if (found === undefined) return null;
  return /^i never/i.test(start) ? { demanded: concrete(clauseOf(start)), prohibited: null } : demandOf(found);
};

const stop: Rule = (start) => {
  const found = /^(?:stop|quit|cease) (?:always )?(\w+ing\b.*)$/is.exec(start)?.[1];
  if (
    found === undefined ||
    /^(?:working|doing|thinking|being|going|bothering|everything|anything|nothing)\b(?! \S+ing)/i.test(found)
  ) {
    return found !== undefined && /^doing (?:this|that|it)\b/i.test(found) ? NOTHING_SAID : null;
  }
  return isOneTask(start) ? null : forbidden(found);
};

const remember: Rule = (start) => {
  const form =
    /^(?:(?:always |also )?remember(?:,|:| this:?| that:?| to| the (?:rule|following):?)|(?:make|take) (?:a )?note(?: of (?:this|that)|:| that)|memori[sz]e(?: this| that)?:?|(?:add|save|store|put|write) (?:this|that|it) (?:in|to|into|down)(?: (?:your|the) (?:memory|memories|notes|rules))?:?|note for (?:next time|the future|later):?)(?:,? (?:please|for (?:next time|the future|later|good)))*[:,.]? ?(.*)$/is;
  const found = form.exec(start);
  if (
    found === null ||
    (/^(?:add|save|store|put|write)/i.test(start) && !/memor|notes|rules|down/i.test(start.slice(0, 40)))
  )
    return null;
  const isThing = /^remember (?:that|this) (?:[\w-]+ ){1,3}(?:we|i|you|from|about|where|which|who)\b/i.test(start);
  return isThing || (/^remember to/i.test(start) && isOneTask(start)) ? null : ruleOf(found[1] ?? '');
};

const preferred: Rule = (start) => {
  const found =
    /^(?:i|we) (?:always |generally |usually |strongly |really |much |much rather )?prefer (?:to )?(.+)$/is.exec(
      start,
    )?.[1];
  if (
    found === undefined ||
    /^(?:the|this|that|these|those|it|your|his|her|their|option|number|version|\d|\uE000)\b/i.test(found)
  )
    return null;
  return /^not to /i.test(found) ? forbidden(found.slice('not to '.length)) : { ...demandOf(found) };
};

const PLACE = String.raw`(?:here|around here|in (?:this|our|the|all our|all) (?:[\w-]+ ){0,2}?(?:repo|repository|repositories|project|projects|codebase|code base|code|team|company|package|module|monorepo|org)|on (?:this|our) (?:team|project)|as a team)`;
const AT_PLACE = new RegExp(String.raw`\b${PLACE}\b`, 'i');
const FRONT_PLACE = new RegExp(`^${PLACE} `, 'i');
const NO_HABITS =
  /^(?:have|need|know|think|see|get|support|lose|want|expect|run into|hit|care|wait|stop|start|close|end|fail|finish)\b/i;

/** What is usual in the project: `we don't X here`, `in this repo we X`. */
const convention: Rule = (start, sentence) => {
  const found = /^we (?:only |do )?(don't |do not )?(?:ever |only |just )?(\w+)\b(.*)$/is.exec(start);
  if (found === null || NO_HABITS.test(found[2] ?? '')) return null;
  const rest = `${found[2]}${found[3]}`;
  if (!isCommandVerb(found[2] ?? '') || !(AT_PLACE.test(clauseOf(start)) || FRONT_PLACE.test(sentence))) return null;
  if (found[1] === undefined) return demandOf(rest);
  return forbidden(clauseOf(rest).replace(new RegExp(String.raw`,? ${PLACE}\b`, 'i'), ''));
};

const named: Rule = (start) => {
  const form =
    /^(?:(?:our|the|this (?:project|repo|team)'s|a|new|house|team|general|ground|golden|project|hard|simple) (?:[\w-]+ )?(?:rule|convention|policy|standard|practice|guideline)s?(?: of thumb)?(?: (?:here|in this \w+|for \S+))?(?: is| are)?(?: that| to)?:?|(?:rule|convention|policy)(?: of thumb)?:) (.+)$/is;
  const found = form.exec(start);
  if (found === null || !/ (?:is|are)\b|:/i.test(start.slice(0, start.length - (found[1] ?? '').length))) return null;
  if (/^(?:too|not|very|so|just|wrong|broken|outdated|a bit|quite|missing|unclear|old|new)\b/i.test(found[1] ?? ''))
    return null;
  return ruleOf(found[1] ?? '');
};

const conforming: Rule = (start) => {
  const form =
    /^(?:keep to|stick (?:to|with)|adhere to|follow|respect|conform to|comply with) (?:the|our|my) .{0,80}?\b(?:conventions?|styles?|style ?guides?|guides?|guidelines|schemes?|rules?|polic(?:y|ies)|standards?|patterns?|formats?|templates?|layouts?|naming)\b/is;
  return form.test(start) ? demandOf(start) : null;
};

const disliked: Rule = (start) => {
  const found =
    /^i (?:really |just )?(?:hate|dislike|can't stand|don't like|do not like)(?: it)?(?: when| that| if) you (?:always |keep )?(.+)$/is.exec(
      start,
    )?.[1];
  return found === undefined ? null : forbidden(found);
};

const habit: Rule = (start) => {
  const found = /^(?:make it a habit to|get (?:in|into) the habit of|make a habit of) (.+)$/is.exec(start)?.[1];
  return found === undefined ? null : demandOf(withBaseForm(found) ?? found);
};

/** What is forbidden until somebody is asked, and what shall not happen again. */
const standing: Rule = (start) => {
  const found =
    /^(?:please )?(?:don't you (?:ever|dare)|don't|do not|dont|you (?:must|should|may|can) not|you (?:mustn't|shouldn't|can't)) (.+)$/is.exec(
      start,
    )?.[1];
  if (found !== undefined) {
    const isStanding = /^(?:don't you |don't |do not )ever\b/i.test(start) || STANDING.test(found);
    return isStanding ? forbidden(found.replace(/^ever (?:again )?/i, '')) : null;
  }
  const asking =
    /^(?:always )?(?:ask|check with|consult|tell|warn) (?:me|us)(?: first)? before (?:you )?(?!this|that|it\b)(\w+)\b.*$/is.exec(
      start,
    );
  if (asking !== null && !/\b(?:this|that|it)\b/i.test(start)) return demandOf(start);
  return /^only (\w+) .*\b(?:when|if|after) i (?:say|tell|ask|approve|confirm|explicitly)\b/is.test(start)
    ? { demanded: concrete(clauseOf(start)), prohibited: null }
    : null;
};

const STANDING =
  /\bwithout (?:asking|checking|my|our|explicit|permission|approval|telling|consulting|consent|confirmation|a (?:good )?reason)\b|\bunless (?:i|we|explicitly|asked|told)\b|^[^,;]*\b(?:ever )?again(?=[,;.!]|$| without)|, ever\b/i;

const RULES: readonly Rule[] = [
  never,
  always,
  wanted,
  stop,
  remember,
  preferred,
  convention,
  named,
  conforming,
  disliked,
  habit,
  standing,
];
