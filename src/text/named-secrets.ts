import { looksRandom, type Strength } from './random-values.ts';
import type { SecretPlace } from './secret-place.ts';

/**
 * Values that look made by chance or chosen as a password and stand behind a name that says so: `password: ...`,
 * `API_TOKEN=...`, `"client_secret": "..."`, `--token ...`, `Authorization: Bearer ...`, `scheme://user:...@host`.
 */
export function namedSecrets(text: string): readonly SecretPlace[] {
  if (!NAME.test(text) && !text.includes('://')) return [];
  return [...behindNames(text), ...inAddresses(text), ...unfinishedKeys(text)];
}

const NAMES = {
  password: 'pass(?:word|wd|phrase|code)s?|pwd|pw',
  secret:
    'secrets?|credentials?|creds?|(?:api|access|private|secret|auth|account|encryption|signing|master|shared|app)[ _-]?keys?|apikeys?',
  token: 'tokens?|bearer|authorization|jwt|pat',
  key: 'keys?|auth',
} as const;

const NAME = new RegExp(Object.values(NAMES).join('|'), 'i');

/** The name, how it ends, what says that a value follows, and the value. */
const NAMED = new RegExp(
  `(?<![a-z])(?<flag>--?)?(?:[\\w.-]{0,40}?[_.-]|[a-z]{0,20})?(?<name>${Object.values(NAMES).join('|')})(?<end>["'\`*\\])]{0,3})` +
    '(?<sign>\\s{0,4}(?:=>|:=|={1,2}|:)\\s{0,4}|\\s+(?:is|was|=|to|of)\\s{1,3}|\\s+)' +
    '(?:(?:bearer|basic|token)\\s+)?(?<value>"[^"\\n]{6,400}"|\'[^\'\\n]{6,400}\'|`[^`\\n]{6,400}`|[^\\s"\'`<>,;|]{6,400})',
  'gi',
);

function behindNames(text: string): readonly SecretPlace[] {
  const places: SecretPlace[] = [];
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const { flag = '', name = '', end = '', sign = '', value = '' } = match.groups ?? {};
    const quoted = /^["'`]/.test(value);
    const bare = quoted ? value.slice(1, -1) : value.replace(/[.!?:)\]}*_]+$/, '');
    const start = match.index + match[0].length - value.length + (quoted ? 1 : 0);
    const kind = kindOf(name);
    if (looksRandom(bare, strengthOf(kind, sign, flag, quoted))) places.push({ kind, start, end: start + bare.length });
    // A value may be the name of the next: `token: secret=...`.
    NAMED.lastIndex = match.index + match[0].length - value.length - sign.length - end.length;
  }
  return places;
}

function kindOf(name: string): keyof typeof NAMES {
  const kinds = Object.keys(NAMES) as (keyof typeof NAMES)[];
  return kinds.find((kind) => new RegExp(`^(?:${NAMES[kind]})$`, 'i').test(name)) ?? 'key';
}

/** `password: x` says more than `the key x`: the less is said, the more random a value must look. */
function strengthOf(kind: keyof typeof NAMES, sign: string, flag: string, quoted: boolean): Strength {
  const assigns = /[=:]/.test(sign);
  if (kind === 'password')
    return assigns || flag !== '' || (quoted && /is|was|to/.test(sign)) ? 'password' : 'sentence';
  if (kind === 'key') return assigns ? 'sentence' : 'any';
  return assigns || flag !== '' ? 'token' : 'sentence';
}

/** A password of a program's account in the address of a service that the library does not know. */
function inAddresses(text: string): readonly SecretPlace[] {
  return Array.from(text.matchAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'`<>]{0,80}:([^\s/@"'`<>]{6,200})@/gi)).flatMap(
    ({ 0: all, 1: value = '', index }) => {
      const start = index + all.length - 1 - value.length;
      return looksRandom(value, 'password') ? [{ kind: 'password', start, end: start + value.length }] : [];
    },
  );
}

/** A private key whose end is missing: somebody cut it, and what is there may be most of it. */
function unfinishedKeys(text: string): readonly SecretPlace[] {
  return Array.from(
    text.matchAll(
      /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[^A-Za-z0-9+/])*(?:[\w-]+: .*\s+)*[A-Za-z0-9+/=\s\\]{48,}(?:-----END[ A-Z0-9_-]{0,100}-----)?/g,
    ),
    ({ 0: all, index }) => ({ kind: 'private-key', start: index, end: index + all.length }),
  );
}
