import { backgroundRarity } from '../text/background.ts';
import { identifiers } from '../text/identifiers.ts';
import { matchedSituation, normalise } from '../text/normalise.ts';
import { stem } from '../text/stem.ts';
import { isStopWord } from '../text/stop-words.ts';
import { words } from '../text/words.ts';
import { firstNameIn } from './first-names.ts';

/** The rules of SE-57, each with what it asks of a situation. */
export const LINT_RULES = {
  L1: 'begin with the moment or activity: When ..., Before ..., Adding ...',
  L2: 'say what is known before; the action stands for itself',
  L3: 'name the kind of thing instead of one issue, date, commit or person',
  L4: 'say how it looks beforehand, not what it turned out to be',
  L5: 'use 3 to 40 words',
  L6: 'say when it applies; a state of today is over tomorrow',
  L7: 'write a phrase, not a list of keywords',
} as const;
export type LintRule = keyof typeof LINT_RULES;

/** A rule that a situation breaks, and the words that do; empty where words are missing. */
export interface LintFinding {
  readonly rule: LintRule;
  readonly words: string;
  /** What to do about it. */
  readonly advice: string;
}

/**
 * What makes a situation hard to recognise in time (SE-57), in the order of the rules. The rules are for English: of a text
 * in another script only its length and the names of single things are judged.
 */
export function lintSituation(situation: string, action: string | null): LintFinding[] {
  const text = normalise(matchedSituation(situation));
  const isEnglish = LATIN.test(text) && text.replace(NEITHER, '').length * 2 > text.replace(SIGNS, '').length;
  const found: readonly (readonly [LintRule, string | null])[] = [
    ['L1', isEnglish ? withoutMoment(text) : null],
    ['L2', action === null ? null : repeated(text, normalise(action))],
    ['L3', singleThing(text)],
    ['L4', isEnglish ? firstMatch(HINDSIGHT, text) : null],
    ['L5', wrongLength(text)],
    ['L6', isEnglish ? snapshot(text) : null],
    ['L7', isEnglish ? keywords(text) : null],
  ];
  return found.flatMap(([rule, words]) => (words === null ? [] : [{ rule, words, advice: LINT_RULES[rule] }]));
}

/** Whether an agent's draft goes back for rewording instead of into the store: from two findings on (SE-57). */
export function isRefused(findings: readonly LintFinding[]): boolean {
  return findings.length >= 2;
}

const LATIN = /\p{Script=Latin}/u;
const NEITHER = /[^\p{Script=Latin}]/gu;
const SIGNS = /[^\p{L}]/gu;

/** L1. */
function withoutMoment(text: string): string | null {
  return startsWithMoment(text) ? null : text.split(' ').slice(0, 3).join(' ');
}

function startsWithMoment(text: string): boolean {
  if (MOMENT.test(text)) return true;
  const [first = '', second = ''] = words(text.split(' ').slice(0, 3).join(' '));
  return isGerund(first) || (ADVERB.test(first) && isGerund(second));
}

const MOMENT =
  /^(?:(?:just|right|shortly|immediately|even|only|especially)\s)?(?:when(?:ever)?|before|while|whilst|after|during|once|until|upon|as\ssoon\sas|as\slong\sas|every\stime|each\stime|any\stime|the\sfirst\stime|about\sto|in\scase|if|as|on|in|at)\b/i;
/** `on` and `in` begin a moment only before an activity: `on renaming`, `in reviewing`. */
const PLACE = /^(?:on|in|at|as)\b/i;
const ADVERB = /^(?:re|manually|locally|quickly|\w+ly|not|first)$/;
const NO_GERUNDS: ReadonlySet<string> = new Set(
  'thing something nothing anything everything string king ring spring wing sibling evening morning ceiling during sting swing ping bing sling being staging billing pricing ring'.split(
    ' ',
  ),
);

const isGerund = (word: string): boolean => word.length > 4 && word.endsWith('ing') && !NO_GERUNDS.has(word);

/** L2: 4 words in a row of the action, or its rarest identifier. */
function repeated(text: string, action: string): string | null {
  const [inText, inAction] = [words(text), words(action)];
  const said = ` ${inText.join(' ')} `;
  for (let at = 0; at + RUN <= inAction.length; at++) {
    const run = inAction.slice(at, at + RUN).join(' ');
    if (said.includes(` ${run} `)) return run;
  }
  const rarest = rarestIdentifier(action);
  return rarest !== null && identifiers(text).some(({ whole }) => whole === rarest) ? rarest : null;
}

const RUN = 4;

/** Words with a hyphen, as names of projects have, are no names out of code here. */
function rarestIdentifier(action: string): string | null {
  const rarityOf = (parts: readonly string[]) => Math.max(0, ...parts.map((word) => backgroundRarity(stem(word))));
  const found = identifiers(action)
    .filter(({ whole }) => !HYPHENATED.test(whole))
    .map(({ whole, subWords }) => ({ whole, rarity: rarityOf(subWords) + subWords.length / 100 }))
    .sort((a, b) => b.rarity - a.rarity);
  return found[0]?.whole ?? null;
}

const HYPHENATED = /^\p{L}+(?:-\p{L}+)+$/u;

/** L3. */
function singleThing(text: string): string | null {
  return firstMatch(SINGLE_THINGS, text) ?? commitIn(text) ?? firstNameIn(text);
}

const SINGLE_THINGS: readonly RegExp[] = [
  /(?<![\w/])#\d+\b/,
  /\b(?:issue|ticket|bug|pr|mr|pull request|merge request)\s#?\d+\b/i,
  // UTF-8, ISO-8601 and the like name a kind of thing.
  /\b(?!UTF-|ISO-|SHA-|RFC-|IPV-|ES-|CVE-|AES-|HTTP-|COVID-|UTC-|GMT-|GPT-|X-|V-|T-)[A-Z][A-Z0-9]+-\d+\b/,
  /\b\d{4}-\d{2}-\d{2}\b/,
  /\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|may)\.?\s\d{1,2}(?:st|nd|rd|th)?\b/i,
  /\b\d{1,2}(?:st|nd|rd|th)?\s(?:of\s)?(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/i,
  /\b(?:yesterday|last\s(?:week|night|month|sprint))\b/i,
  /(?<![\w./-])@[a-z][\w-]*(?![\w-]*[/.])/i,
];

/** Hexadecimal with digits and letters, as git abbreviates; also after the word `commit`. */
function commitIn(text: string): string | null {
  const named = /\bcommit\s([0-9a-f]{6,40})\b/i.exec(text)?.[1];
  const found = named ?? text.match(/\b[0-9a-f]{7,40}\b/g)?.find((run) => /\d/.test(run) && /[a-f]/.test(run));
  return found ?? null;
}

/** L4. */
const HINDSIGHT: readonly RegExp[] = [
  /\bfixed\b(?!-|\s(?:width|size|length|point|price|rate|number|port|set|order|position|seed|interval|time))/i,
  /\b(?:it\s)?(?:turned|turns)\sout\b/i,
  /\bbecause\sof\b/i,
  /\bshould(?:n't|\snot)?\shave\b/i,
  /\bbroke\b/i,
  /\b(?:had|has|have)\sto\sbe\b/i,
  /\b(?:i|we|you|they|he|she|somebody|someone)\s(?:had\sto|forgot|missed|realised|realized|learned|discovered|found\sout|noticed)\b/i,
  /\b(?:ended\sup|was\scaused\sby|were\scaused\sby|in\shindsight|by\smistake|mistakenly|the\s(?:bug|cause|problem|reason)\swas)\b/i,
];

/** L5: with CJK a word is about two characters. */
function wrongLength(text: string): string | null {
  const cjk =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu)?.length ?? 0;
  const count = words(text).length + Math.ceil(cjk / 2);
  return count < 3 || count > 40 ? `${count} ${count === 1 ? 'word' : 'words'}` : null;
}

/** L6: `when the build is green` is a moment, `the build is green` is not. */
function snapshot(text: string): string | null {
  return firstMatch(NOW, text) ?? (MOMENT.test(text) && !PLACE.test(text) ? null : firstMatch(STATES, text));
}

const NOW: readonly RegExp[] = [
  /(?:(?<!\b(?:the|a|an|is|are)\s)\bcurrently|\bis\scurrently|\bare\scurrently|\bnowadays|\bas\sof\s(?:now|today|this)|\bat\sthe\smoment|\bright\snow|\bat\spresent|\bfor\snow|\bnow\sthat|\bso\sfar)\b/i,
];
const STATES: readonly RegExp[] = [
  /\b(?:is|are|was|were|has\sbeen|have\sbeen|got)\s(?:now\s|already\s|finally\s)?(?:done|complete|completed|finished|released|merged|deployed|ready|green|red|live|pending|blocked|in\sprogress|shipped|migrated|deprecated|outdated|gone|broken)\b/i,
  /\b(?:is|are)\snow\b/i,
  /\bno\slonger\b/i,
];

/** L7: short pieces between commas, or a row of words that nothing holds together. */
function keywords(text: string): string | null {
  if (/\bkeywords?:|\btags?:|(?:^|\s)#[a-z]+\s#[a-z]/i.test(text)) return text.slice(0, 60);
  const pieces = text.split(/\s*[,;|]\s*/).filter((piece) => piece !== '');
  const areShort = pieces.every((piece) => words(piece).length <= 2);
  if (pieces.length >= 3 && areShort) return text.slice(0, 60);
  const all = words(text);
  const isBareRow = all.length >= 4 && !all.some(isStopWord) && !startsWithMoment(text) && !text.includes(',');
  return isBareRow ? text.slice(0, 60) : null;
}

function firstMatch(patterns: readonly RegExp[], text: string): string | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  return null;
}
