import { isStopWord } from '../../text/stop-words.ts';

/** Whether a token is a stop word or a punctuation sign: it carries no meaning of its own (SE-70, SE-71). */
export function isFunctionToken(token: string): boolean {
  return isStopWord(token) || isPunctuation(token);
}

function isPunctuation(token: string): boolean {
  const character = token.codePointAt(0) ?? 0;
  if (token.length !== (character > 0xffff ? 2 : 1)) return false;
  // Most signs are ASCII, and the expression for the others takes a millisecond to compile.
  return character < 0x80 ? /[!-/:-@[-`{-~]/.test(token) : /\p{P}/u.test(token);
}
