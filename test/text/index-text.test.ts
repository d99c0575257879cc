import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { fieldTexts, markedToken, termsText } from '../../src/text/index-text.ts';

/** The tokens FTS5 sees in a text of `fts_terms`. */
function tokensOf(text: string): string[] {
  const db = new Database(':memory:');
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'");
           CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)`);
  db.prepare('INSERT INTO t VALUES (?)').run(text);
  const rows = db.prepare('SELECT term FROM v ORDER BY "offset"').all() as { term: string }[];
  db.close();
  return rows.map((row) => row.term);
}

const NOTHING = { behavior: null, impact: null, action: null, subject: null, predicate: null, object: null };

test.each(['c++', '--no-verify', 'src/a.ts', '@scope/pkg', '.env', 'a→b_c', 'prod:eu-west-1', 'v1.2.3'])(
  'SE-7: %s stays one token of its own class',
  (identifier) => {
    const token = markedToken('identifier', identifier);
    expect(tokensOf(token)).toEqual([token]);
    expect(markedToken('joined', identifier)).not.toBe(token);
  },
);

test('SE-7: classes never collide: the same letters as word, joined form, folded word and gram are four tokens', () => {
  const tokens = [
    'nodejs',
    ...(['joined', 'folded', 'bigram', 'single'] as const).map((kind) => markedToken(kind, 'nodejs')),
  ];
  expect(new Set(tokensOf(tokens.join(' '))).size).toBe(5);
});

test('SE-7: words and sub-words are plain, every other class is marked', () => {
  expect(tokensOf(termsText('Call getUserName at Łódź'))).toEqual([
    'call',
    'getusername',
    'at',
    'łódź',
    'get',
    'user',
    'name',
    markedToken('identifier', 'getusername'),
    markedToken('joined', 'getusername'),
    markedToken('folded', 'lodz'),
  ]);
});

test('SE-8: entity is subject and object, content the other texts, situation ends before its keywords', () => {
  const fact = {
    ...NOTHING,
    situation: 'When x\nKeywords: y',
    subject: 'shop-api',
    predicate: 'uses',
    object: 'redis',
  };
  expect(fieldTexts(fact)).toEqual({ situation: 'When x', entity: 'shop-api redis', content: 'uses' });
  const feedback = { ...NOTHING, situation: 'When x', behavior: 'a', impact: 'b', action: 'c' };
  expect(fieldTexts(feedback)).toEqual({ situation: 'When x', entity: '', content: 'a b c' });
});
