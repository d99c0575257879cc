import { reportedFrom } from './clauses.ts';
import { speechOf } from './speech.ts';

/**
 * The sentence in which a message's sender says that they go back on what they did: reverting, undoing, going back to, rolled
 * back, backing out (AG-36); null: none. Plans, questions and what others did are none.
 */
export function saysReverted(text: string): string | null {
  return sentenceWith(text, (sentence) => {
    const at = sentence.search(GOES_BACK);
    return at !== -1 && reportedFrom(sentence) > at && !NOT_DONE.test(sentence) && !OF_OTHERS.test(sentence);
  });
}

/**
 * The sentence of a foreign `wait` that names an error, a failure, a regression or an exit status (AG-36); null: none. What may
 * fail, and what is about errors, is none.
 */
export function saysObjectedFailure(text: string): string | null {
  return sentenceWith(text, (sentence) => {
    const named = sentence.replace(ABOUT_FAILURES, ' ');
    return (FAILURE.test(named) || NAMED_ERROR.test(named)) && !MAY_BE.test(named) && !NO_FAILURE.test(named);
  });
}

function sentenceWith(text: string, fits: (sentence: string) => boolean): string | null {
  const { sentences, unmasked } = speechOf(text);
  const found = sentences.find((sentence) => !sentence.isQuestion && fits(sentence.text));
  return found === undefined ? null : unmasked(found.text);
}

/** At the start of a clause, behind I or we, or said of the change. */
const GOES_BACK = new RegExp(
  [
    "(?:^|[,;:.(] |\\b(?:and|so|but|then|now|therefore) |\\b(?:i|we)(?: have|'ve| am|'m| are|'re| just| now| then| had)* |\\bi (?:will|'ll) )(?:had to |have to |having to |need to |now |just )?",
    '(?:revert(?:ed|ing)?\\b(?! (?:is|are|to being))|und(?:oing|id|one|o) (?:the|my|that|this|it|all)\\b|(?:go(?:ing)?|went|switch(?:ed|ing)?|mov(?:ed|ing)|chang(?:ed|ing)) back to (?!sleep|bed|work|you|top|normal|the (?:drawing|start|top))\\S|roll(?:ed|ing) (?:\\S+ ){0,4}?back\\b|roll (?:\\S+ ){0,4}?back\\b|back(?:ed|ing)? (?:\\S+ ){0,3}?out\\b)',
    '|\\b(?:has been|have been|was|were|is now) (?:reverted|rolled back|backed out|undone)\\b(?! by)',
    '|\\bgit revert \\S+ (?:is )?(?:done|ran|went)',
  ].join(''),
  'i',
);
const NOT_DONE =
  /\b(?:if|unless|in case|no need to|needn't|not|didn't|don't|doesn't|haven't|hasn't|without|nothing|never|nobody|instead of|rather than|can|could|should|would|may|might|must|to be able to|how to|let's|please|on (?:error|failure)|automatically)\b/i;
const OF_OTHERS =
  /^(?:the |our )?(?:user|lead|customer|server|database|db|transaction|script|tool|engine|\w+ (?:server|service|script))\b|\b(?:is|are|gets?) (?:always )?rolled back\b/i;

const FAILURE = new RegExp(
  [
    '\\b(?:errors?|exceptions?|fail(?:s|ed|ing|ures?)?|regress(?:ions?|ed|es)|crash(?:es|ed|ing)?|segfaults?|segmentation fault|panic(?:s|ked)?|out of memory|oom|timeouts?|deadlocks?|stack trace)\\b',
    '\\bexit(?:s|ed)? (?:status|code|with(?: (?:code|status))?) ?\\d+',
    '\\b(?:returns?|returned|answers?|answered|got|get|gives?|gave)(?: with)?(?: an?)? (?:http )?[45]\\d\\d\\b',
    '\\b(?:broke|breaks|is broken|are broken)\\b',
    '\\b(?:throws|threw)\\b',
  ].join('|'),
  'i',
);
const NAMED_ERROR = /\b[A-Z]\w*(?:Error|Exception)\b/;
/** What has to do with failures without being one. */
const ABOUT_FAILURES =
  /\b(?:errors?|failures?|exceptions?|timeouts?|crash(?:es)?|fail)[ -](?:handling|handlers?|messages?|paths?|boundar(?:y|ies)|codes?|cases?|types?|classes|budgets?|rates? (?:limit|alert)\w*|fast|safe|reports?|reporting|pages?|modes?|logs?|settings?|values?|options?)\b|\bin case of (?:an? )?(?:error|failure)s?\b|\bon (?:error|failure)\b/gi;
const MAY_BE =
  /\b(?:if|unless|could|would|may|might|can|will|should|possible|possibly|potential|potentially|maybe|perhaps|likely|risk|worried|afraid|in case|what happens)\b/i;
const NO_FAILURE =
  /\b(?:no|without|zero|not any|never|isn't|not) (?:a |an |any |more |such |\w+ )?(?:errors?|failures?|fail(?:s|ing)?|regressions?|crash(?:es)?|exceptions?|broken?|timeouts?)\b/i;
