export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const UPPER = LOWER.toUpperCase();
export const DIGITS = '0123456789';
export const LETTERS = LOWER + UPPER;
export const ALNUM = LETTERS + DIGITS;
export const HEX = `${DIGITS}abcdef`;
export const URL64 = `${ALNUM}-_`;
export const BASE64 = `${ALNUM}+/`;

/** Makes values of so many characters of an alphabet that look like chance, the same in every run. */
export function valuesFrom(seed: number): (length: number, alphabet?: string) => string {
  let state = seed;
  return (length, alphabet = ALNUM) => {
    let text = '';
    while (text.length < length) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      text += alphabet[(state >>> 8) % alphabet.length];
    }
    return text;
  };
}
