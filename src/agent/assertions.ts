import { normalPredicate } from '../learning/facts.ts';

/** What a sentence asserts of something with a name. */
export interface Triple {
  readonly subject: string;
  /** Normal form (AG-44). */
  readonly predicate: string;
  readonly object: string;
}

/**
 * The triple that a sentence asserts clearly, and those of a decision with it: `S chose X over Y because Z` (AG-40, AG-41).
 * Empty for proposals, hypotheticals, opinions, plans, states of today and whatever has no named subject (AG-42).
 *
 * @param project - who `we` is; null: nobody
 * @param quotes - whether `S says "..."` counts: of what was learned, not of errors that somebody reports
 */
export function assertedTriples(
  sentence: string,
  { project, quotes }: { readonly project: string | null; readonly quotes: boolean },
): Triple[] {
  const said = withoutPreface(sentence);
  const reason = REASON.exec(said);
  const claim = reason === null ? said : said.slice(0, reason.index);
  if (UNSURE.test(claim) || SUBORDINATE.test(claim)) return [];
  const quoted = QUOTATION.exec(claim);
  if (quoted !== null) return !quotes ? [] : triple(quoted[1] ?? '', 'says', quoted[2] ?? '', project);
  const changed = CHANGED.exec(claim);
  if (changed !== null) return triple(changed[1] ?? '', 'uses', changed[2] ?? '', project);
  for (const form of FORMS) {
    const found = form.exec(claim)?.groups;
    if (found === undefined) continue;
    const verb = (found.verb ?? '').toLowerCase();
    if (verb === 'chose' || verb === 'rejected') return decision(found, verb, said.slice(claim.length), project);
    if (IS.test(verb) && !isLasting(found.subject ?? '', found.object ?? '')) return [];
    return triple(
      found.subject ?? '',
      found.stored === undefined ? verb : `${verb} ${found.stored} in`,
      found.object ?? '',
      project,
    );
  }
  return [];
}

/** What sentences begin with that assert what follows: `Verified that`, `FYI:`, `Done.` in one with the rest. */
function withoutPreface(sentence: string): string {
  return sentence
    .replace(
      /^(?:(?:fyi|note|nb|done|confirmed|fact|info|update|learned|finding|result)(?: that)?[,:] |(?:(?:i |we )?(?:verified|confirmed|checked|learned|noticed|found(?: out)?|established)|note|turns out|it turns out) that |for the record,? |also,? |and |so |now,? )/i,
      '',
    )
    .replace(/[\s.!;:]+$/, '');
}

const REASON = /,? (?:because(?: of)?|since(?! (?:v?\d|then|last|yesterday|version|release)))\s/i;

/** Proposals, questions, hypotheticals, opinions, plans, hearsay, and what holds only now. */
const UNSURE =
  /\?|\b(?:should|shouldn't|could|would|wouldn't|'d|may|might|can|can't|cannot|will|won't|we'll|i'll|it'll|shall|must|if|unless|whether|maybe|perhaps|probably|possibly|likely|apparently|seems?|seemingly|supposedly|presumably|allegedly|hopefully|ideally|looks? like|think|thinks|believe|guess|feel|suspect|assume|assuming|suppose|imagine|suggest|propose|recommend|consider|considering|prefer|hope|wish|want|wants|wanted|plan|plans|planning|going to|about to|let's|let us|todo|fixme|tbd|once|until|today|tomorrow|yesterday|tonight|currently|right now|at the moment|for now|so far|still|yet|temporarily|not|n't|don't|doesn't|isn't|aren't|didn't|never|no longer|nobody|nothing|imo|imho|in my opinion|better|best|worse|next step|my guess|says?(?! \uE000)|claims?|reports?(?= that)|told)\b|n't\b/i;
const SUBORDINATE =
  /^(?:when|while|as|because|since|although|though|after|before|in case|given|where|what|which|who|why|how|there|here|either|or|but|then|thus|hence|even|only)\b/i;

/** Up to six words with a name among them; the verb is the first of the list behind them. */
const SUBJECT = String.raw`(?<subject>(?:[^\s,;:]+ ){0,5}?[^\s,;:]+)`;
const ADVERB = `(?: (?:now|also|always|only|internally|externally|directly|automatically|by default|usually))?`;
const VERBS = [
  'uses?',
  'depends? on',
  'requires?',
  'runs? on',
  'listens? on',
  'returns?(?! (?:to|from)\\b)',
  'lives? in',
  'chose',
  'rejected',
  '(?:was|were) replaced (?:by|with)',
  '(?:is|are) (?:owned|maintained|generated|built|deployed|hosted|stored|located|written|configured|published|served) (?:by|in|at|on|from|to|with|via)',
  'contains?',
  'defaults? to',
  'connects? to',
  'talks? to',
  'reads? from',
  'writes? to',
  'exposes?',
  'expects?',
  'supports?(?! (?:ticket|case|team)\\b)',
];
const FORMS: readonly RegExp[] = [
  new RegExp(
    `^${SUBJECT}${ADVERB} (?<verb>stores?|keeps?|saves?) (?<stored>[\\w-]+(?: [\\w-]+){0,2}?) in (?<object>.+)$`,
    'i',
  ),
  new RegExp(`^${SUBJECT}${ADVERB} (?<verb>${VERBS.join('|')}) (?<object>.+)$`, 'i'),
  new RegExp(`^${SUBJECT} (?<verb>is|are) (?<object>.+)$`, 'i'),
];
const IS = /^(?:is|are)$/;
const QUOTATION = /^((?:[^\s,;:]+ ){0,5}?[^\s,;:]+) (?:says?|said|states?):? (\uE000\d+\uE001)$/i;
const CHANGED = /^((?:[^\s,;:]+ ){0,5}?[^\s,;:]+) (?:has )?(?:switched|moved|migrated) from \S.*? to (.+)$/i;

/** Nouns of what is at hand, and of what people think about it: what they are changes by the hour. */
const PASSING =
  /^(?:(?:pr|pull request|commit|patch|diff|branch|build|ci|pipeline|job|run|test|tests|status|state|task|ticket|issue|problem|bug|error|failure|cause|reason|question|answer|idea|plan|goal|result|output|fix|change|changes|guess|option|step|thing|catch|rest|culprit|everything|something|nothing|anything|all|one|same)s?)$/i;
/** Nouns of what is under work. */
const VAGUE =
  /^(?:(?:pr|pull request|commit|patch|diff|branch|fix|change|step|task|ticket|issue|problem|bug|error|failure|cause|reason|question|answer|idea|plan|goal|result|output|guess|option|thing|catch|rest|culprit)s?)$/i;
const TODAY =
  /\b(?:green|red|done|complete|completed|broken|ready|running|failing|merged|fixed|passing|finished|deployed|down|up|live|pending|blocked|in progress|gone|empty|ok|fine|wip)\b/i;
const OPINION =
  /^(?:an?|the) (?:\w+ )?(?:mess|good|bad|great|nice|nightmare|pain|joke|shame|pity|bit|lot|problem|issue|bug|blocker|bottleneck|mistake|no-brainer|win|success|failure|mystery|matter|question|must|better|worse|best|worst|only|right|wrong|same|reason|cause|culprit|point|idea|way|next|last|first|one)\b/i;
const ARTICLE_OR_NUMBER = /^(?:an?|the) \S|^[v$€]?\d/i;
/** `src/main.ts`, `PostgreSQL`, `max_size`, a quotation. */
const IDENTIFIER =
  /^(?:\uE000\d+\uE001|[\w@/.:-]*(?:[a-z][A-Z]|[A-Z]{2}|\d|[_/]|\w\.\w)[\w@/.:-]*|[A-Z][a-z]+[\w-]*)(?= |$)/;

/** `is` needs an article, a number or an identifier behind it, and no state of today (AG-41). */
function isLasting(subject: string, object: string): boolean {
  const noun = subject.split(' ').at(-1) ?? '';
  if (PASSING.test(noun) || TODAY.test(object) || OPINION.test(object) || /ing$/.test(object.split(' ')[0] ?? ''))
    return false;
  return ARTICLE_OR_NUMBER.test(object) || IDENTIFIER.test(object);
}

/** `we` is the project; pronouns and pointing words are no names. */
function named(subject: string, project: string | null): string | null {
  const said = subject.trim();
  if (/^we$/i.test(said)) return project;
  const name = said.replace(/^(?:the|our|an?) /i, '');
  const isNobody =
    /^(?:it|this|that|these|those|they|he|she|i|you|one|which|who|what|someone|somebody|everyone|everybody|people|both|each|all|my|your|his|her|their|its|same|other|others|everything|something)\b/i.test(
      name,
    ) ||
    /\b(?:that|which|who|and|or|is|are|was|were|has|have|had|to|because|so|it|i|we|you|they|says?|said|but|then|also)\b/i.test(
      name,
    ) ||
    !/[\p{L}\uE000]/u.test(name) ||
    VAGUE.test(name);
  return isNobody ? null : name;
}

function triple(subject: string, verb: string, object: string, project: string | null): Triple[] {
  const name = named(subject, project);
  const thing = objectOf(object);
  if (name === null || thing === null) return [];
  return [{ subject: name, predicate: thirdPerson(normalPredicate(verb)), object: thing }];
}

/** `we use` and `workers use` are what others say as `uses`. */
function thirdPerson(predicate: string): string {
  const [first = '', ...rest] = predicate.split('-');
  const form = PLURAL.has(first) ? `${first}s` : first === 'are' ? 'is' : first === 'were' ? 'was' : first;
  return [form, ...rest].join('-');
}

const PLURAL = new Set(
  'use depend require run listen return live contain default connect talk read write expose expect support store keep save'.split(
    ' ',
  ),
);

const LONGEST_OBJECT = 25;

/** Up to the next clause. */
function objectOf(words: string): string | null {
  const end =
    /[;!?]|\. |,? (?:but|so|while|whereas|although) |, (?:and )?(?:it|this|that|which|we|they|i|you|the|tests?|all|now) |,? and (?:it|this|that|we|they|i|you|the \S+ (?:is|are|has|does))\b| [-–—]+ |,? instead of /i.exec(
      words,
    );
  const object = (end === null ? words : words.slice(0, end.index)).replace(/[\s.,:]+$/, '').trim();
  const count = object.split(' ').length;
  const isVague =
    /^(?:it|this|that|these|those|them|something|anything|nothing|everything|more|less|too|well|again|here|there)\b/i.test(
      object,
    );
  return object === '' || isVague || count > LONGEST_OBJECT ? null : object;
}

/** A decision is several triples with one subject (AG-40). */
function decision(
  { subject = '', object = '' }: Readonly<Record<string, string | undefined>>,
  verb: string,
  behind: string,
  project: string | null,
): Triple[] {
  const [, taken = object, left] =
    /^(.+?),? (?:over|instead of|rather than|and rejected|and not|not) (.+)$/i.exec(object) ?? [];
  const main = triple(subject, verb, taken, project);
  if (main.length === 0) return [];
  const other = verb === 'chose' && left !== undefined ? triple(subject, 'rejected', left, project) : [];
  const reason = behind.replace(REASON, '');
  return [...main, ...other, ...(reason === '' ? [] : triple(subject, 'because', reason, project))];
}
