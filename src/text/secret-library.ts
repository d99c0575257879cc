import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { entropyOf, isPlaceholder } from './random-values.ts';
import type { SecretPlace } from './secret-place.ts';

/** What a rule of secretlint is for us: of its interface, the part that its rules use on a text. */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: object): { file?(source: object): void };
}

interface RuleContext {
  /** Gives what `report` gets as `message`. */
  createTranslator(messages: object): (id: string, found?: Readonly<Record<string, string>>) => Message;
  report(finding: { readonly message: Message; readonly range: readonly [number, number] }): void;
}

interface Message {
  readonly id: string;
  /** The value that was found, where the rule tells it. */
  readonly value: string | null;
}

/**
 * Places of all that secretlint's recommended rules find in `text`.
 *
 * Its own entry is asynchronous and slow. Its rules are neither, so they are called directly; on a text in which none of
 * them can find anything not even that, nor is the library loaded.
 */
export function librarySecrets(text: string): readonly SecretPlace[] {
  return mayHoldLibrarySecret(text) ? unfilteredLibrarySecrets(text) : [];
}

/** False only where no rule of the library finds anything: every one of its patterns needs one of these. */
export function mayHoldLibrarySecret(text: string): boolean {
  return NEEDED.test(text);
}

const NEEDED = new RegExp(
  [
    // Sixteen more of these follow; a name in capitals has an underscore before.
    '(?:A3T[A-Z0-9]|A(?:KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA))[A-Z0-9]{16}',
    '(?:SECRET|[sS]ecret)_?(?:ACCESS|[aA]ccess)_?(?:KEY|[kK]ey)',
    'PRIVATE KEY',
    // A name and a password before a host, whatever the scheme.
    '://[^:/\\s]{1,256}:[^@\\s]{1,256}@',
    '_authToken=|:x-oauth-basic@',
    'xox[a-z]-|xapp-|[hH][oO][oO][kK][sS]\\.[sS][lL][aA][cC][kK]\\.',
    'SG\\.\\w',
    'shp(?:pa|ca|at|ss)_',
    'gh[opusr]_|github_pat_',
    'glpat-|glc_|glsa_',
    'sk-(?:proj|svcacct|admin|ant)-|T3BlbkFJ',
    'gsk_|hf_|lin_api_|ntn_|npm_|ops_ey|vc[piark]_|dapi|dckr_pat_|figd_',
    'hv[sbr]\\.',
  ].join('|'),
);

/** As `librarySecrets` without the filter; the filter's test compares the two. */
export function unfilteredLibrarySecrets(text: string): readonly SecretPlace[] {
  const places: SecretPlace[] = [];
  for (const { create } of recommended()) {
    const context: RuleContext = {
      createTranslator: () => (id, found) => ({ id, value: Object.values(found ?? {})[0] ?? null }),
      report: ({ message, range }) => places.push(placeOf(text, kindOf(message.id), message.value, range)),
    };
    for (const filePath of FILE_NAMES)
      create(context, OPTIONS).file?.({ content: text, filePath, ext: '', contentType: 'text' });
  }
  return places.filter(({ kind, start, end }) => kind !== 'aws-account-id' && !isFiller(kind, text.slice(start, end)));
}

/** Of these names, the rule for npm looks at more than tokens. */
const FILE_NAMES = ['package.json', '.npmrc'];

/** Ids of access keys are in the recommended rules, but off; ids of accounts come with them, and are no secrets. */
const OPTIONS = { enableIDScanRule: true };

/** All but the rule that lets a comment in the text switch the others off. */
function recommended(): readonly Rule[] {
  return (rules as readonly Rule[]).filter(({ meta }) => !meta.id.endsWith('-filter-comments'));
}

/** `ghp_xxxx...`, a name that only begins like a token of Slack, or a key that the documentation of Amazon uses. */
function isFiller(kind: string, value: string): boolean {
  // Behind a name that says so, only what stands for a value is none.
  if (kind === 'npmrc-auth-token') return isPlaceholder(value);
  if (kind === 'slack-token' && !value.split('-').some((part) => part.length >= 8 && /\d/.test(part))) return true;
  return entropyOf(value) < 2.5 || /^AKI[A-Z0-9]*EXAMPLE$|EXAMPLEKEY/.test(value);
}

/** Some rules tell a range that begins before the value and is as long as it: the value decides. */
function placeOf(
  text: string,
  kind: string,
  value: string | null,
  [start, end]: readonly [number, number],
): SecretPlace {
  const at = value === null || value === '' ? -1 : text.indexOf(value, start);
  return at === -1 ? { kind, start, end } : { kind, start: at, end: at + (value?.length ?? 0) };
}

/** `github-token` of `GITHUB_TOKEN`, `aws-secret-access-key` of `AWSSecretAccessKey`. */
function kindOf(messageId: string): string {
  return messageId
    .replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4')
    .replaceAll('_', '-')
    .toLowerCase();
}
