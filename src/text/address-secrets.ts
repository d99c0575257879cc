import { looksRandom } from './random-values.ts';
import type { SecretPlace } from './secret-place.ts';

/** What a text has in which `inAddresses` finds anything, as the source of a pattern. */
export const MAY_BE_ADDRESS = ':\\/\\/|[sS][iI][gG](?:nature|NATURE|Nature)?=|[cC][uU][rR][lL]\\s';

/**
 * A password in the address of a service that the library does not know, or as an option of curl, and the signature that
 * makes an address open something for whoever has it.
 */
export function inAddresses(text: string): readonly SecretPlace[] {
  return [...passwordsIn(text), ...signaturesIn(text)];
}

function passwordsIn(text: string): readonly SecretPlace[] {
  if (!text.includes('://') && !/curl\s/i.test(text)) return [];
  return Array.from(text.matchAll(ADDRESS)).flatMap(({ 0: all, 1: inUrl, 2: option = '', index }) => {
    const value = inUrl ?? option;
    const start = index + all.lastIndexOf(value);
    return looksRandom(value, 'password') ? [{ kind: 'password', start, end: start + value.length }] : [];
  });
}

function signaturesIn(text: string): readonly SecretPlace[] {
  if (!/sig(?:nature)?=/i.test(text)) return [];
  return Array.from(text.matchAll(SIGNATURE)).flatMap(({ 0: all, 1: value = '', index }) => {
    const start = index + all.length - value.length;
    const plain = value.replace(/%[0-9a-f]{2}/gi, '+');
    return looksRandom(plain, 'header') ? [{ kind: 'signature', start, end: start + value.length }] : [];
  });
}

const ADDRESS =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'`<>]{0,80}:([^\s/@"'`<>]{5,200})@|\bcurl(?=\s)[^\n]{0,400}?\s(?:-u|--user)[ =]{0,3}["']?[\w.@-]{0,60}:([^\s"']{6,200})/gi;
/** `sig=` of Azure, `X-Amz-Signature=`, `X-Goog-Signature=`, `Signature=` of CloudFront. */
const SIGNATURE = /[?&;](?:[\w-]{1,40}[-_])?sig(?:nature)?=([\w%+/=.~-]{16,1000})/gi;
