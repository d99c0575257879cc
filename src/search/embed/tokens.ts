import { SPECIAL, type Vocabulary } from './vocabulary.ts';

/**
 * Token ids of a text by BERT's uncased WordPiece, between `[CLS]` and `[SEP]`, cut so that there are at most `window` of
 * them. A literal `[SEP]` in the text is text.
 */
export function encodeText(text: string, vocabulary: Vocabulary, window: number): number[] {
  const ids: number[] = [SPECIAL.start];
  for (const word of splitIntoWords(text)) {
    vocabulary.cut(word, ids);
    if (ids.length >= window) break;
  }
  ids.length = Math.min(ids.length, window - 1);
  ids.push(SPECIAL.end);
  return ids;
}

/**
 * Words as BERT sees them: lower case without accents, control characters removed, each punctuation sign and each Chinese
 * character a word of its own.
 */
export function splitIntoWords(text: string): string[] {
  // Most texts are plain, and the expression for the others takes a millisecond to compile.
  if (PLAIN.test(text)) return text.toLowerCase().match(/[a-z0-9]+|[!-/:-@[-`{-~]/g) ?? [];
  // Punctuation of ASCII includes signs that are no punctuation to Unicode, such as `$` and `=`.
  return lowerCase(withoutAccents(separate(text))).match(/[!-/:-@[-`{-~\p{P}]|[^\s\x85!-/:-@[-`{-~\p{P}]+/gu) ?? [];
}

/** Printable ASCII and the usual white space. */
const PLAIN = /^[\t\n\r -~]*$/;

/** Removes what is no character to BERT, and puts spaces around Chinese characters. */
function separate(text: string): string {
  return text
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[\0\uFFFD\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .replace(CHINESE, ' $& ');
}

/** The blocks that BERT names; Japanese syllables and Korean are left in words. */
const CHINESE =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/\p{Mn}/gu, '');
}

/** Each character for itself, unlike `toLowerCase`, which looks at a sigma's neighbours. */
function lowerCase(text: string): string {
  return text.replace(/\p{Uppercase}|\p{Lt}/gu, (character) => character.toLowerCase());
}
