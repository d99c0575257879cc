import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MODEL_DIRECTORY, readModelFile } from '../../../src/search/embed/model-files.ts';
import { encodeText, splitIntoWords } from '../../../src/search/embed/tokens.ts';
import { readVocabulary, SPECIAL, VOCABULARY_SIZE } from '../../../src/search/embed/vocabulary.ts';
import { readReference } from './reference.ts';

const vocabulary = readVocabulary(readModelFile(MODEL_DIRECTORY, 'vocabulary'));
const encode = (text: string) => encodeText(text, vocabulary, Number.POSITIVE_INFINITY);

test.each(readReference())('SE-20: token ids are those of the reference: $text', ({ text, ids }) => {
  expect(encode(text)).toEqual(ids);
});

test('the reference holds a text of 2,000 tokens, code, CJK, accents and emoji', () => {
  const texts = readReference();
  expect(Math.max(...texts.map(({ ids }) => ids.length))).toBeGreaterThan(2000);
  for (const kind of [/const x: Map/, /\p{Script=Han}/u, /[éüł]/, /\p{Emoji_Presentation}/u]) {
    expect(texts.some(({ text }) => kind.test(text))).toBe(true);
  }
});

test('SE-20: a window cuts tokens off and keeps the end', () => {
  const text = 'about to regenerate the API client';
  const ids = encode(text);
  const cut = encodeText(text, vocabulary, 5);
  expect(cut).toEqual([...ids.slice(0, 4), SPECIAL.end]);
  expect(encodeText(text, vocabulary, ids.length)).toEqual(ids);
});

test('the text of every token is found again as that token', () => {
  for (let id = 1996; id < VOCABULARY_SIZE; id += 97) {
    const token = vocabulary.textOf(id);
    if (token.startsWith('##')) continue;
    const ids: number[] = [];
    vocabulary.cut(token, ids);
    expect(ids).toEqual([id]);
  }
});

test('what is no character does not end a word, and lone surrogates are dropped', () => {
  expect(splitIntoWords('a\u200bb \ud800c d\u0000e')).toEqual(['ab', 'c', 'de']);
});

test('any text gets the ids that an independent tokenizer gives it', () => {
  const reference = referenceTokenizer();
  // Letters of both, but no code points that are newer than the Unicode tables of one of them, and no special tokens.
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom(...'aé Ñß漢字かなカ한글ไทยşİıÆ“”—…•№½ﬁ😀️🇩🇪\u0301\u200d\u00a0\t\n.,#_-{}$'),
      maxLength: 12,
    }),
    fc.constantFrom('unbelievably', 'kubectl', 'naïve', 'getUserById', 'v1.2.3', 'C++'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join(' ');
      fc.pre(!/\[(CLS|SEP|PAD|UNK|MASK)\]/.test(text));
      expect(encode(text)).toEqual(reference.encode(text).ids);
    }),
    { numRuns: 500 },
  );
});

/** BERT's, made from our vocabulary. */
function referenceTokenizer(): Tokenizer {
  const vocab = Object.fromEntries(Array.from({ length: VOCABULARY_SIZE }, (_, id) => [vocabulary.textOf(id), id]));
  return new Tokenizer(
    {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: [
          { SpecialToken: { id: '[CLS]', type_id: 0 } },
          { Sequence: { id: 'A', type_id: 0 } },
          { SpecialToken: { id: '[SEP]', type_id: 0 } },
        ],
        pair: [],
        special_tokens: {
          '[CLS]': { id: '[CLS]', ids: [SPECIAL.start], tokens: ['[CLS]'] },
          '[SEP]': { id: '[SEP]', ids: [SPECIAL.end], tokens: ['[SEP]'] },
        },
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab,
      },
    },
    {},
  );
}
