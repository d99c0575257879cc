/**
 * What stands before a value, and so how random it must look: after `password:`, after `Authorization: Bearer` or `&sig=`,
 * after `token:` or `secret=`, in a sentence about one of them or after `key:`, or anywhere.
 */
export type Strength = 'password' | 'header' | 'token' | 'sentence' | 'any';

/** Whether `value` looks made by chance or, behind `password`, chosen as one: no word, name, path, placeholder, hash or id. */
export function looksRandom(value: string, strength: Strength): boolean {
  const { length, entropy } = LIMITS[strength];
  if (value.length < length || isPlaceholder(value) || isPublic(value, strength) || isCode(value, strength))
    return false;
  const words = decoded(value);
  if (words !== null) return !/^[\s\w.,;:!?'"()-]*$/.test(words) || looksRandom(words, strength);
  if (isNameLike(value, strength === 'sentence' || strength === 'any')) return false;
  if (strength === 'password' && value.length < FAIR_LENGTH) return isScrambled(value);
  if (strength === 'password') return /[a-z]/i.test(value) && /[!-@[-`{-~]/.test(value);
  return entropyOf(value) >= entropy && mixing(value) >= LIMITS[strength].mixing;
}

/** `entropy` in bits a character; `mixing` is how often the kind of character changes, a hundred characters. */
const LIMITS = {
  password: { length: 5, entropy: 0, mixing: 0 },
  header: { length: 10, entropy: 2.5, mixing: 15 },
  token: { length: 16, entropy: 3, mixing: 20 },
  sentence: { length: 16, entropy: 3.4, mixing: 30 },
  any: { length: 20, entropy: 3.6, mixing: 35 },
} as const satisfies Record<Strength, object>;

/** A shorter password must look made by chance. */
const FAIR_LENGTH = 8;

/** Of three kinds of characters, or with digits in two places: no word, and no word with a number behind it. */
function isScrambled(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[!-/:-@[-`{-~]/].filter((kind) => kind.test(value)).length;
  return /[a-z]/i.test(value) && (kinds >= 3 || /\d[a-z]+\d/i.test(value));
}

/** Stands for a value, or is one that documentation uses. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /^(.{1,2})\1+$/.test(value);
}

const PLACEHOLDER =
  /[<>…]|\$[{(A-Za-z_]|\{\{|\{[\w.-]*\}|%[A-Za-z_]+%|%[sdv]|\*{3}|\.{3}|x{4}|X{3}|0{6}|123456|abcdef|example|change.?me|placeholder|redacted|your[_ -]|my[_-]|dummy|sample|fake|insert|replace|process\.env|environ|getenv|ENV\[|secrets\./i;

/** An id, a commit, a checksum, an address, a path, a time, a version: anybody may know it. */
function isPublic(value: string, strength: Strength): boolean {
  // Nobody sends an id or a commit to be let in.
  if (strength === 'header' && LONG_HEX.test(value)) return false;
  if (PUBLIC.test(value)) return true;
  return (
    HEX.test(value) &&
    (strength === 'sentence' || strength === 'any' || value.length < 32 || PUBLIC_HEX.has(value.length))
  );
}

const PUBLIC =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:sha\d+|md5|blake\w*)[:-].*|[a-z][a-z0-9+.-]*:\/\/.*|(?:~|\.{0,2})\/.*|[a-z]:\\.*|\d{4}-\d\d-\d\d.*|\d+(?:[.,:_-]\d+)*|v?\d+\.\d+.*|ssh-(?:rsa|ed25519) .*|arn:.*|[^@\s]+@[^@\s]+\.[a-z]{2,}|(?:[A-Z]:)?[\w.-]+(?:[\\/][\w.@-]+)+\.\w{1,5})$/i;
const LONG_HEX = /^[0-9a-f-]{10,}$/i;
const HEX = /^(?:0x)?[0-9a-f]+$/i;
/** SHA-1, which is every commit. */
const PUBLIC_HEX = new Set([40]);

/** An expression of a program that gets the value somewhere. As a password, a mere name is no expression. */
function isCode(value: string, strength: Strength): boolean {
  const name = EXPRESSION.exec(value)?.[0] ?? '';
  if (name === '' || ((strength === 'password' || strength === 'header') && !/[.([{]|->|::/.test(name))) return false;
  return name.split(/[^\w$]+/).every((part) => part.length < 12 || !isMixed(part));
}

/** No word or name: its kinds of characters change often, or numbers stand all over it. */
function isMixed(part: string): boolean {
  return mixing(part) >= MIXED || (part.match(/\d+/g)?.length ?? 0) >= 3;
}

const EXPRESSION = /^[!&*]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*(?:[([{]|$)/;
/** Of characters by chance, 62 in 100 are of another kind than the one before; words in capitals and small letters have 30. */
const MIXED = 42;

/** Words, and numbers of at most four digits, joined as in names: `utf8mb4_unicode_ci`, `my-app-v2`, `camelCase`, `Ctrl+Shift+P`. */
function isNameLike(value: string, mayEndInHash: boolean): boolean {
  return value
    .split(/[-_./:+#@=&?,\s\\|]|(?<=[a-z])(?=[A-Z][a-z])/)
    .every((part) => PART.test(part) || (mayEndInHash && HEX.test(part)));
}

const PART = /^(?:[A-Z]?[a-z]*\d{0,4}[a-z]{0,2}\d?|[A-Z]*\d{0,4}s?|[a-z]{1,3}\d{1,4}[a-z]{1,3}\d{0,2}|v?\d+)$/;

/** The text that `value` is the base64 of, or null where it is none. */
function decoded(value: string): string | null {
  if (value.length < 12 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return null;
  const bytes = bytesOf(value);
  const text = String.fromCharCode(...bytes);
  return bytes.length > 0 && /^[\t\n\r\x20-\x7e]+$/.test(text) ? text : null;
}

/** By hand: this folder has no modules of Node. */
function bytesOf(base64: string): readonly number[] {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const letter of base64.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')) {
    bits = (bits << 6) | ALPHABET.indexOf(letter);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push((bits >> count) & 0xff);
      bits &= (1 << count) - 1;
    }
  }
  return bytes;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** In bits a character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / value.length) * Math.log2(count / value.length);
  return sum;
}

/** How often a letter of one kind stands next to one of another, a hundred characters. A word with a capital mixes little. */
function mixing(value: string): number {
  let changes = 0;
  for (let i = 1; i < value.length; i += 1) if (kindAt(value, i) !== kindAt(value, i - 1)) changes += 1;
  return (100 * changes) / value.length;
}

function kindAt(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code >= 48 && code <= 57) return 0;
  if (code >= 65 && code <= 90) return 1;
  if (code >= 97 && code <= 122) return 2;
  return 3;
}
