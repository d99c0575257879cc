import { describe, expect, onTestFinished, test } from 'vitest';
import { BUILT_IN_IDENTITY, openBuiltIn } from '../../../src/search/embed/built-in.ts';
import { openBulk } from '../../../src/search/embed/bulk.ts';
import { type Embedding, PACKED_BYTES } from '../../../src/search/embed/embedder.ts';
import { MODEL_DIRECTORY, readModelFile } from '../../../src/search/embed/model-files.ts';
import { readVocabulary } from '../../../src/search/embed/vocabulary.ts';
import { dot, readReference } from './reference.ts';

const references = readReference();
const texts = references.map(({ text }) => text);
const vocabulary = readVocabulary(readModelFile(MODEL_DIRECTORY, 'vocabulary'));
const embedder = openBuiltIn();
const embedOne = async (text: string, kind: 'query' | 'document' = 'document') => {
  const [embedding] = await embedder.embed([text], kind);
  return embedding ?? expect.unreachable();
};
const tokensOf = ({ tokens }: Embedding) => Array.from(tokens?.ids ?? [], (id) => vocabulary.textOf(id));

describe('vectors', () => {
  test('SE-20: have a cosine of at least .995 to those of the float32 model', async () => {
    const embeddings = await embedder.embed(texts, 'document');
    const cosines = embeddings.map(({ vector }, at) => dot(vector, references[at]?.vector ?? []));
    expect(Math.min(...cosines)).toBeGreaterThan(0.995);
    expect(cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length).toBeGreaterThan(0.999);
  });

  test('SE-24: are finite and have norm 1', async () => {
    for (const { vector, lower } of await embedder.embed(texts, 'query')) {
      for (const each of [vector, lower ?? expect.unreachable()]) {
        expect(each).toHaveLength(BUILT_IN_IDENTITY.dims);
        expect(Math.sqrt(dot(each, each))).toBeCloseTo(1, 5);
      }
    }
  });

  test('SE-22: the second vector says more of the words, and unrelated texts have nothing in common in it', async () => {
    const text = await embedOne('the cache keeps stale rows');
    const sameWords = await embedOne('stale rows that the cache keeps');
    const other = await embedOne('book a table for dinner');
    const second = ({ lower }: Embedding) => lower ?? expect.unreachable();
    expect(dot(second(text), second(sameWords))).toBeGreaterThan(0.7);
    expect(dot(second(text), second(other))).toBeLessThan(0.2);
    expect(second(text)).not.toEqual(text.vector);
  });

  test('SE-20: a text has the same bytes alone, among others, in another place, on worker threads and from a model loaded anew', async () => {
    const together = await embedder.embed(texts, 'document');
    const backwards = (await embedder.embed(texts.toReversed(), 'document')).reverse();
    const again = await openBuiltIn().embed(texts, 'document');
    const bulk = openBulk(2);
    onTestFinished(() => bulk.close());
    const threads = await bulk.embed(texts, 'document');
    expect(backwards).toEqual(together);
    expect(again).toEqual(together);
    expect(threads).toEqual(together);
    for (const [at, text] of texts.entries()) expect(await embedOne(text)).toEqual(together[at]);
  });

  test('SE-20: what lies beyond the window changes nothing, what lies within does', async () => {
    const long = 'migrate the database '.repeat(84);
    const { vector } = await embedOne(`${long} and go`);
    expect(await embedOne(`${long} and go home and rest`)).toEqual(await embedOne(`${long} and go home and sleep`));
    expect((await embedOne(`before that ${long} and go`)).vector).not.toEqual(vector);
  });

  test('SE-20: texts that mean alike are closer than texts that do not', async () => {
    const { vector } = await embedOne('roll back the schema change');
    const alike = await embedOne('revert the database migration');
    const other = await embedOne('choose a colour for the button');
    expect(dot(vector, alike.vector)).toBeGreaterThan(dot(vector, other.vector) + 0.2);
  });

  test('no texts give no vectors', async () => {
    expect(await embedder.embed([], 'query')).toEqual([]);
    const bulk = openBulk(1);
    onTestFinished(() => bulk.close());
    expect(await bulk.embed([], 'query')).toEqual([]);
  });
});

describe('token vectors', () => {
  const text = 'Do not, ever, push to the main branch!';

  test('SE-70: a document keeps the tokens that carry meaning, a query all', async () => {
    expect(tokensOf(await embedOne(text, 'document'))).toEqual(['ever', 'push', 'main', 'branch']);
    const all = ['do', 'not', ',', 'ever', ',', 'push', 'to', 'the', 'main', 'branch', '!'];
    expect(tokensOf(await embedOne(text, 'query'))).toEqual(all);
  });

  test('SE-70: a document of stop words keeps them', async () => {
    expect(tokensOf(await embedOne('to be or not to be'))).toEqual(['to', 'be', 'or', 'not', 'to', 'be']);
  });

  test('SE-70: take 48 bytes a token, and no value is the one that has no counterpart', async () => {
    const { tokens } = await embedOne('write a public function');
    expect(tokens?.packed).toHaveLength((tokens?.ids.length ?? 0) * PACKED_BYTES);
    expect(tokens?.ids.length).toBe(3);
    expect(Array.from(tokens?.packed ?? []).filter((byte) => (byte & 15) === 8 || byte >> 4 === 8)).toEqual([]);
  });
});

describe('what the model does not understand', () => {
  test.each([
    ['English', 'about to regenerate the API client', true],
    ['code', 'const x = foo(bar[0]) // TODO', true],
    ['numbers', '1234 + 5678', true],
    ['German', 'Vor dem Löschen der Datenbank eine Sicherung anlegen', true],
    ['Chinese', '数据库迁移之前先备份', false],
    ['Thai', 'ภาษาไทยไม่มีช่องว่าง', false],
    ['Russian', 'Перед удалением базы данных сделать копию', false],
    ['mostly Japanese', 'APIクライアントを再生成する前にテストを実行すること', false],
    ['unknown signs', '😀 🎉 🚀 fine', false],
    ['nothing', ' \n', false],
  ])('SE-29: %s', async (_, text, expected) => {
    expect((await embedOne(text, 'query')).isUnderstood).toBe(expected);
  });
});

test('SE-21: the identity names weights, directions and centre', () => {
  expect(BUILT_IN_IDENTITY).toMatchObject({ provider: 'built-in', model: 'all-MiniLM-L6-v2', dims: 384 });
  expect(BUILT_IN_IDENTITY.revision).toMatch(/^[0-9a-f]{12}$/);
  expect(BUILT_IN_IDENTITY.recipe).toMatch(/^\d+:[0-9a-f]{12}:[0-9a-f]{12}$/);
  expect(embedder.window).toBe(256);
});

test('SE-25: closing ends what is under way', async () => {
  const bulk = openBulk(1);
  const done = bulk.embed(texts, 'document').then(
    () => 'done',
    ({ code }) => code,
  );
  await bulk.close();
  expect(await done).toBe('model.damaged');
});
