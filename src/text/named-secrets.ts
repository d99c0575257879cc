import { inAddresses, MAY_BE_ADDRESS } from './address-secrets.ts';
import { underComments } from './comment-secrets.ts';
import { looksRandom, type Strength } from './random-values.ts';
import { kindOf, NAME, NAMES, type NameKind } from './secret-names.ts';
import type { SecretPlace } from './secret-place.ts';

/**
 * Values that look made by chance or chosen as a password and stand behind a name that says so: `password: ...`,
 * `API_TOKEN=...`, `"client_secret": "..."`, `--token ...`, `Authorization: Bearer ...`, `scheme://user:...@host`.
 */
export function namedSecrets(text: string): readonly SecretPlace[] {
  if (!NAME.test(text) && !OTHER.test(text)) return [];
  return [
    ...behindNames(text),
    ...underComments(text),
    ...inAddresses(text),
    ...inCommands(text),
    ...unfinishedKeys(text),
  ];
}

/** What the other patterns need. */
const OTHER = new RegExp(`${MAY_BE_ADDRESS}|(?:mysql\\w*|sshpass|redis-cli|login)\\s`);

/** A name may go on: `SECRET_KEY_BASE`, `api_token_2`, `secretString`, `password: string`. */
const GOES_ON = '(?:[_-]?(?:base|value|string|text|data)|[_-]?\\d{1,3})?';
/** What says that a value follows: an operator of some language, a tag, a verb, or no more than a blank. */
const SIGN =
  '\\s{0,4}(?::?\\s{0,2}string\\s{1,4})?(?:=>|:{1,3}=|[?.+]?={1,3}|:|>|,(?=\\s{0,4}["\'`]))\\s{0,8}|\\s+(?:is|was|=|to|of)\\s{1,3}|\\s+';
/** In quotes it may hold blanks. */
const VALUE = '"[^"\\n]{5,400}"|\'[^\'\\n]{5,400}\'|`[^`\\n]{5,400}`|[^\\s"\'`<>,;|]{5,400}';

/** The name, how it ends, what says that a value follows, and the value. What stands before the name may be anything. */
const NAMED = new RegExp(
  `(?<name>${Object.values(NAMES).join('|')})${GOES_ON}(?:["'\`*\\])]{0,3})(?<sign>${SIGN})` +
    `(?<scheme>(?:bearer|basic|token)\\s{1,3})?(?<value>${VALUE})`,
  'gi',
);

function behindNames(text: string): readonly SecretPlace[] {
  const places: SecretPlace[] = [];
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const { name = '', sign = '', scheme = '', value = '' } = match.groups ?? {};
    const valueAt = match.index + match[0].length - value.length;
    const isQuoted = /^["'`]/.test(value);
    const opening = isQuoted ? 1 : (/^[([{]+/.exec(value)?.[0].length ?? 0);
    const bare = isQuoted ? value.slice(1, -1) : value.slice(opening).replace(/[.!?:)\]}*_]+$/, '');
    const start = valueAt + opening;
    const kind = kindOf(name);
    const before = text.slice(Math.max(0, match.index - 40), match.index);
    const saying = { name, before, sign, scheme, isQuoted };
    const isSecret = saysSecret(saying, bare) && (isServiceKey(saying, bare) || looksRandom(bare, strengthOf(saying)));
    if (isSecret) places.push({ kind, start, end: start + bare.length });
    // A value may be the name of the next: `token: secret=...`.
    NAMED.lastIndex = match.index + name.length;
  }
  return places;
}

/** How a value is introduced. */
interface Saying {
  readonly name: string;
  readonly before: string;
  readonly sign: string;
  /** As in `Authorization: Bearer ...`. */
  readonly scheme: string;
  readonly isQuoted: boolean;
}

function saysSecret({ name, before, sign }: Saying, value: string): boolean {
  if (PUBLIC.test(before)) return false;
  // `pass` is a verb too: only as the name of something it is a password, and `pass: 3.2s` is a result.
  return !/^pass$/i.test(name) || (/[=:]/.test(sign) && (value.length >= 8 || /[\w-]$/.test(before)));
}

const PUBLIC = /public[ _.-]?$/i;
/** As in `--db-password VALUE`. */
const OPTION = /(?:^|\s)--?[\w-]*$/;

/** The keys of these services are UUIDs, which are ids everywhere else. */
function isServiceKey({ name, before, sign }: Saying, value: string): boolean {
  return UUID_KEYS.test(before) && kindOf(name) !== 'password' && /[=:]|is|\s$/.test(sign) && UUID.test(value);
}

const UUID_KEYS = /(?:heroku|snyk|postmark)[\w .-]{0,20}$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `password: x` says more than `the key x`: the less is said, the more random a value must look. */
function strengthOf({ name, before, sign, scheme, isQuoted }: Saying): Strength {
  const kind: NameKind = kindOf(name);
  const assigns = /[=:>,]/.test(sign);
  const isSaid = assigns || OPTION.test(before);
  if (scheme !== '' || (/^bearer$/i.test(name) && !assigns)) return 'header';
  if (kind === 'password') {
    return isSaid || /\s(?:is|was)\s/.test(sign) || (isQuoted && !/of/.test(sign)) ? 'password' : 'sentence';
  }
  if (kind === 'key') return assigns ? 'sentence' : 'any';
  return isSaid ? 'token' : 'sentence';
}

/** A password as a short option of a command that takes it there, or in a line of `.netrc`. */
function inCommands(text: string): readonly SecretPlace[] {
  return Array.from(text.matchAll(COMMAND)).flatMap(({ 0: all, 1: value = '', index }) => {
    const start = index + all.length - value.length;
    return looksRandom(value, 'password') ? [{ kind: 'password', start, end: start + value.length }] : [];
  });
}

const COMMAND =
  /\b(?:sshpass\s{1,3}-p\s{0,3}|mysql\w*\s[^\n]{0,200}?-p|redis-cli\s[^\n]{0,200}?-a\s{1,3}|docker\s{1,3}login\s[^\n]{0,200}?-p\s{1,3}|login\s{1,8}\S{1,80}\s{1,8}password\s{1,8})["']?([^\s"'`<>]{6,200})/gi;

/** A private key, also one whose end is missing: somebody cut it, and what is there may be most of it. */
function unfinishedKeys(text: string): readonly SecretPlace[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const places: SecretPlace[] = [];
  for (const { 0: head, index } of text.matchAll(KEY_HEAD)) {
    const last = places.at(-1);
    if (last !== undefined && index < last.end) continue;
    const start = index + head.length;
    if (!KEY_BODY.test(text.slice(start, start + 500).split('-----', 1)[0] ?? '')) continue;
    const end = text.indexOf('-----END', start);
    const close = end === -1 ? -1 : text.indexOf('-----', end + 8);
    places.push({ kind: 'private-key', start: index, end: close === -1 ? text.length : close + 5 });
  }
  return places;
}

const KEY_HEAD = /-----BEGIN[ A-Z0-9_]{0,60}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_BODY = /[A-Za-z0-9+/=]{40}/;
