import { looksRandom, type Strength } from './random-values.ts';
import { kindOf, NAMES } from './secret-names.ts';
import type { SecretPlace } from './secret-place.ts';

/** Values in the line below a comment that names them: `# password:`, then the value, alone, in a comment or as `x = ...`. */
export function underComments(text: string): readonly SecretPlace[] {
  if (!text.includes('\n') || !/[#;*]|\/\/|--/.test(text)) return [];
  return Array.from(text.matchAll(COMMENT)).flatMap((match) => {
    const { words = '', name = '', sign = '', value = '' } = match.groups ?? {};
    const isSaid = sign !== '' || words.trim().split(/\s+/).length <= MOST_WORDS;
    const bare = value.replace(/[.!?:)\]}*_,;]+$/, '');
    const start = match.index + match[0].length - value.length;
    const kind = kindOf(name);
    const strength: Strength = kind === 'password' && isSaid ? 'password' : 'sentence';
    return looksRandom(bare, strength) ? [{ kind, start, end: start + bare.length }] : [];
  });
}

/** A comment of more words that ends in `password` is a sentence. */
const MOST_WORDS = 3;
const MARK = '(?:#+|//+|--+|;+|/?\\*+|<!--)';
const COMMENT = new RegExp(
  `^[ \\t]*${MARK}[ \\t]*(?<words>[^\\n]{0,60}?)(?<name>${Object.values(NAMES).join('|')})(?:[ \\t]*|[ \\t][^\\n:]{0,40}(?=:))(?<sign>:?)[ \\t]*(?:-->|\\*/)?[ \\t]*\\r?\\n` +
    `[ \\t]*(?:${MARK}[ \\t]*)?(?:["']?[\\w.-]{1,60}["']?[ \\t]*[:=]{1,2}[ \\t]*)?["'\`]?(?<value>[^\\s"'\`<>]{5,400})`,
  'gim',
);
