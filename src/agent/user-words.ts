import { clauseOf, clauseStarts, type Reasoned, splitReason } from './clauses.ts';
import { commandOf, concrete, type Demand, isOneTask, NOTHING_SAID, readDemand, replacementOf } from './demands.ts';
import { lastingDemand } from './lasting.ts';
import { isLeadingNo, normOf, rejectedDemand } from './rejection.ts';
import { type Sentence, speechOf } from './speech.ts';
import { openDemand, softWish } from './wishes.ts';

export type CorrectionFamily = 'lasting' | 'rejection' | 'this-time' | 'soft';

/** What a user's words demand (AG-32). */
export interface Correction {
  /** All that fit, at least one. */
  readonly families: readonly CorrectionFamily[];
  /** Trimmed, without `[User]:`. */
  readonly words: string;
  /** The X to do. */
  readonly demanded: string | null;
  /** The X not to do, as one would be told to do it: `run the seed script`. */
  readonly prohibited: string | null;
  /** What follows because / since / otherwise. */
  readonly reason: string | null;
}

/** The words behind a leading `[User]:`; null for a text that does not begin with it (AG-32). */
export function userWords(text: string): string | null {
  const found = /^\s{0,20}\[user\]:/i.exec(text)?.[0];
  return found === undefined ? null : text.slice(found.length).trim();
}

/**
 * What user words demand or reject; null: nothing in them is a trigger (AG-32). Code blocks, quoted lines and URLs are left out,
 * questions too, except for the soft family; so is what others say, and what is meant for this once. Takes time in proportion
 * to the words.
 */
export function readCorrection(words: string): Correction | null {
  if (SARCASM.test(words)) return null;
  const speech = speechOf(words);
  const readings = endsOf(speech.sentences).map(readSentence);
  const found = readings.flatMap(({ findings }, at) => findings.map((finding) => ({ ...finding, at })));
  const next = speech.sentences[1]?.text ?? '';
  const saysNo = speech.sentences[0] !== undefined && isLeadingNo(speech.sentences[0].text, next);
  if (saysNo) found.push({ family: 'rejection', demand: BARE_NO, at: 0 });
  const families = FAMILIES.filter((family) => found.some((finding) => finding.family === family));
  if (families.length === 0) return null;
  const { demanded, prohibited, at } = demandAmong(found, readings);
  const reason =
    readings[at]?.reason ??
    readings.find(({ main, findings, reason }) => reason !== null && (main === '' || findings.length > 0))?.reason ??
    null;
  const said = (part: string | null): string | null => (part === null ? null : speech.unmasked(part).trim() || null);
  return {
    families,
    words: words.trim(),
    demanded: said(demanded),
    prohibited: said(prohibited),
    reason: said(reason),
  };
}

/** Of a message as long as a log the beginning and the end: there somebody speaks. */
function endsOf(sentences: readonly Sentence[]): readonly Sentence[] {
  if (sentences.length <= 2 * MOST_AT_AN_END) return sentences;
  return [...sentences.slice(0, MOST_AT_AN_END), ...sentences.slice(-MOST_AT_AN_END)];
}

const MOST_AT_AN_END = 250;

/** A mere no at the beginning. */
const BARE_NO: Demand = { demanded: null, prohibited: null };

const FAMILIES: readonly CorrectionFamily[] = ['lasting', 'rejection', 'this-time', 'soft'];

interface Finding {
  readonly family: CorrectionFamily;
  readonly demand: Demand;
}

interface Reading extends Reasoned {
  readonly findings: readonly Finding[];
  readonly starts: readonly string[];
}

function readSentence({ text, isQuestion }: Sentence): Reading {
  const { main, reason } = splitReason(text);
  const starts = clauseStarts(main);
  const isOnce = ONCE.test(main);
  const candidates: readonly (readonly [CorrectionFamily, Demand | null])[] = [
    ['lasting', isOnce || isQuestion ? null : lastingDemand(main, starts)],
    ['rejection', isQuestion ? null : rejectedDemand(starts)],
    ['this-time', isOnce || isQuestion || isOneTask(text) ? null : openDemand(main, starts)],
    ['soft', isOnce ? null : softWish(starts)],
  ];
  const findings = candidates.flatMap(([family, demand]) => (demand === null ? [] : [{ family, demand }]));
  return { main, reason, findings, starts: isQuestion ? [] : starts };
}

/** The demand of the strongest family, completed by what stands beside it. */
function demandAmong(
  found: readonly (Finding & { readonly at: number })[],
  readings: readonly Reading[],
): Demand & { readonly at: number } {
  const ordered = FAMILIES.flatMap((family) => found.filter((finding) => finding.family === family));
  const isFirm = ordered[0] !== undefined && ordered[0].family !== 'soft' && ordered[0].family !== 'this-time';
  const says = ({ demand }: Finding): boolean => demand.demanded !== null || demand.prohibited !== null;
  const primary = ordered.find((each) => says(each) && !(isFirm && each.family === 'soft')) ?? ordered[0];
  if (primary === undefined) return { ...NOTHING_SAID, at: 0 };
  const { demand, at } = primary;
  if (!says(primary)) return { ...orderedBeside(readings, at, demand === BARE_NO), at };
  const beside = (readings[at]?.starts ?? []).map(readDemand);
  if (demand.demanded !== null) {
    const prohibited = demand.prohibited ?? beside.find((each) => each?.prohibited)?.prohibited ?? null;
    return { demanded: demand.demanded, prohibited, at };
  }
  const following = readings[at + 1]?.starts[0];
  const demanded =
    beside.find((each) => each?.demanded)?.demanded ??
    contrastOf(readings[at]?.main ?? '') ??
    (following === undefined ? null : replacementOf(following));
  return { demanded, prohibited: demand.prohibited, at };
}

/** `never X, always Y` where Y is a thing. */
function contrastOf(sentence: string): string | null {
  const found = /[,;] (?:but )?(always|only) ((?!if|when|because|in case)\S.*)$/i.exec(sentence);
  return found === null ? null : concrete(clauseOf(`${found[1]} ${found[2]}`));
}

/**
 * What a rejection is followed by: a command, or what should be; in its sentence or the next two. Behind a mere no a command
 * counts only where it names what it replaces: it is the next step otherwise.
 */
function orderedBeside(readings: readonly Reading[], at: number, isBareNo: boolean): Demand {
  const starts = readings.slice(at, at + 3).flatMap((reading) => reading.starts);
  for (const start of starts) {
    const prohibited = readDemand(start)?.prohibited ?? null;
    const demanded = (isBareNo && prohibited === null ? null : commandOf(start)) ?? normOf(start);
    if (demanded !== null) return { demanded, prohibited };
  }
  return NOTHING_SAID;
}

/** What is said to hold for this once is no rule, whatever its form. */
const ONCE =
  /\b(?:for now|just (?:this|the) once|(?:just |only )?this (?:one )?time(?! and)|this once|for the moment|for the time being|today|tonight|temporarily|right now|until (?:i|we|you|he|she|they|then|tomorrow|next|further notice|the (?:demo|release|meeting|review)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|yet$|yet[,.]|(?:for|in|on|with) this (?:one|pr|mr|branch|commit|task|change|ticket|demo|release|run|case|session|round)|as an exception|exceptionally|first attempt)/i;

const SARCASM =
  /(?:^|\s)\/s(?:$|\s)|\bwhat could (?:possibly )?go wrong\b|\byeah,? (?:right|sure)\b|\boh,? (?:great|sure|brilliant|wonderful|fantastic|perfect)\b|\b(?:just )?kidding\b|\bjk\b|\bthat(?:'ll| will) (?:surely |totally |certainly )?(?:go|end|work out|be) (?:well|great|fun)\b/i;

/** An answer to a draft. */
export interface DraftAnswer {
  /** Null: the words name none, their message's `re` says which. */
  readonly draft: number | null;
  readonly answer: 'yes' | 'no' | 'completion';
  /** What is said beyond yes, no and the name. */
  readonly words: string;
}

/**
 * User words as the answer to a draft (AG-34): `yes draft-1`, `no draft-1`, `draft-1: ...`, or a bare yes or no. Null: neither;
 * such words complete a draft only where their message's `re` names its T19.
 */
export function readDraftAnswer(words: string): DraftAnswer | null {
  const said = (userWords(words) ?? words).trim();
  const found = NAMED_DRAFT.exec(said) ?? DRAFT_FIRST.exec(said);
  if (found !== null) {
    const { draft = '', yes, no } = found.groups ?? {};
    const words = said.slice(found[0].length).trim();
    return { draft: Number(draft), answer: yes ? 'yes' : no ? 'no' : 'completion', words };
  }
  const bare = BARE_ANSWER.exec(said)?.groups;
  return bare === undefined ? null : { draft: null, answer: bare.yes ? 'yes' : 'no', words: '' };
}

const YES = '(?<yes>yes|yeah|yep)';
const NO = '(?<no>no|nope)';
const NAME = 'draft-(?<draft>\\d{1,9})\\b';
const COURTESY = '(?:[ ,]{1,3}(?:please|thanks|thank you|to|for|keep|store|save|drop|it|that)(?=[ ,.!]|$)){0,4}';
/** `yes draft-1`, `no, drop draft-1`. */
const NAMED_DRAFT = new RegExp(`^(?:${YES}|${NO})${COURTESY}[ ,:]{1,3}${NAME}[ ,.:;!]{0,3}`, 'i');
/** `draft-1: yes`, `draft-1: ...`. A yes or no is the whole answer, else what follows completes the draft. */
const DRAFT_FIRST = new RegExp(`^${NAME}(?: ?: ?| |$)(?:(?:${YES}|${NO})${COURTESY}[ .!]{0,3}$)?`, 'i');
const BARE_ANSWER = new RegExp(`^(?:${YES}|${NO})${COURTESY}[ .!]{0,3}$`, 'i');
