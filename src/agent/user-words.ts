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

/** What user words demand or reject; null: nothing in them is a trigger (AG-32). */
export function readCorrection(words: string): Correction | null {
  const said = words.trim();
  const families = FAMILIES.filter(([, form]) => form.test(said)).map(([family]) => family);
  if (families.length === 0) return null;
  const prohibited = /\b(?:never|don't|do not)\s+(?!mind|worry)([^.,;!?\n]{2,300})/i.exec(said)?.[1] ?? null;
  const demanded =
    /\b(?:always|from now on,?|i'd prefer|make sure to|remember to)\s+([^.,;!?\n]{2,300}?)(?=\s(?:because|since|otherwise)\b|[.,;!?\n]|$)/i.exec(
      said,
    )?.[1] ?? null;
  const reason = /\b(?:because|since|otherwise)\s+([^.;!?\n]{2,300})/i.exec(said)?.[1] ?? null;
  return { families, words: said, demanded, prohibited, reason };
}

const FAMILIES: readonly (readonly [CorrectionFamily, RegExp])[] = [
  [
    'lasting',
    /\b(?:never (?!mind)|(?<!as )always (?!welcome)|from now on|stop \w+ing|remember (?:this|that|to)|for next time)/i,
  ],
  ['rejection', /\b(?:that's wrong|that is (?:wrong|incorrect)|not what i asked|you should(?:n't)? have)\b|^no,/i],
  ['this-time', /\b(?:don't (?!worry)|do not |no more |make sure to |keep in mind|instead\b)/i],
  ['soft', /\b(?:i'd prefer|can we not|why did you)\b/i],
];

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
  const named = /^(?:(yes|no)\b[\s,:]{0,5})?draft-(\d{1,9})\b\s{0,5}[:,.-]?\s{0,5}(?:(yes|no)\b)?/i.exec(said);
  if (named !== null) {
    const answer = (named[1] ?? named[3])?.toLowerCase();
    const rest = said
      .slice(named[0].length)
      .replace(/^[\s,.:]{1,5}/, '')
      .trim();
    return {
      draft: Number(named[2]),
      answer: answer === 'yes' || answer === 'no' ? answer : 'completion',
      words: rest,
    };
  }
  const bare = /^(yes|no)\b[\s,.!]*$/i.exec(said)?.[1]?.toLowerCase();
  return bare === 'yes' || bare === 'no' ? { draft: null, answer: bare, words: '' } : null;
}
