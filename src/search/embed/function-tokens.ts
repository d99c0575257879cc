import { isStopWord } from '../../text/stop-words.ts';

/** Whether a token is a stop word or a punctuation sign: it carries no meaning of its own (SE-70, SE-71). */
export function isFunctionToken(token: string): boolean {
  return isStopWord(token) || /^[!-/:-@[-`{-~\p{P}]$/u.test(token);
}
