import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { openBuiltIn } from '../../src/search/embed/built-in.ts';
import { fixedSource } from '../../src/search/embedder-source.ts';
import { type Comparison, compareTexts } from '../../src/search/sim.ts';
import { type TestStore, temporaryStore } from '../support/sync-store.ts';

let store: TestStore;
let comparison: Comparison;
beforeEach(async () => {
  store = await temporaryStore();
  comparison = await compareTexts(store.context.store, [], null);
});
afterEach(() => store[Symbol.dispose]());

describe('SE-37: sim of two texts, by words', () => {
  it.each([
    ['case', 'Run Make Check', 'run make check'],
    ['final punctuation', 'Run make check.', 'Run make check'],
    ['white space', 'Run  make\tcheck', 'Run make check'],
    ['NFD', 'Überprüfe die Straße', 'Überprüfe die STRASSE'.normalize('NFD')],
    ['what cannot be seen', 'Run\u200b make check', 'Run make check'],
    ['nothing but a sign', '?', '?'],
  ])('is 1 for texts that differ in %s alone', (_, a, b) => expect(comparison.sim(a, b)).toBe(1));

  test('is 0 without a common word, and between for some', () => {
    const [near, far] = ['Run make check before pushing', 'Name variables by what they hold'];
    expect(comparison.sim('Before pushing run the checks', far)).toBe(0);
    expect(comparison.sim('Before pushing run the checks', near)).toBeGreaterThan(0.5);
    expect(comparison.sim('Before pushing run the checks', near)).toBeLessThan(1);
  });

  test('counts what either text says beyond the other', () => {
    const [short, long] = [
      'run make check',
      'run make check on a copy of the billing database at night with two replicas',
    ];
    expect(comparison.sim(short, long)).toBeLessThan(comparison.sim(short, 'run make check twice'));
  });

  test('is symmetric, and from 0 to 1, for any two texts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('run', 'make', 'check', 'not', 'the', 'src/a.ts', '微信', 'push'), { maxLength: 8 })
        .map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        const sim = comparison.sim(a, b);
        expect(sim).toBe(comparison.sim(b, a));
        expect(sim).toBeGreaterThanOrEqual(0);
        expect(sim).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('SE-37: sim of two texts, by every arm', () => {
  const TEXTS = {
    push: 'Before pushing run the checks',
    same: 'before pushing, run the checks.',
    paraphrase: 'Test your work ahead of uploading commits',
    far: 'Name variables by what they hold',
    chinese: '在推送之前运行检查',
    blank: '',
    stop: 'what is it',
  };
  let byAllArms: Comparison;
  beforeEach(async () => {
    byAllArms = await compareTexts(store.context.store, Object.values(TEXTS), fixedSource(openBuiltIn()));
  });

  test('nears what has no word in common', () => {
    expect(comparison.sim(TEXTS.push, TEXTS.paraphrase)).toBe(0);
    expect(byAllArms.sim(TEXTS.push, TEXTS.paraphrase)).toBeGreaterThan(byAllArms.sim(TEXTS.push, TEXTS.far) + 0.03);
  });

  test('is 1 for the same, symmetric for any two, and from 0 to 1', () => {
    expect(byAllArms.sim('Before  pushing run the CHECKS!', TEXTS.push)).toBe(1);
    for (const a of Object.values(TEXTS)) {
      expect(byAllArms.sim(a, a)).toBe(1);
      for (const b of Object.values(TEXTS)) {
        expect(byAllArms.sim(a, b)).toBe(byAllArms.sim(b, a));
        expect(byAllArms.sim(a, b)).toBeGreaterThanOrEqual(0);
        expect(byAllArms.sim(a, b)).toBeLessThanOrEqual(1);
      }
    }
  });

  test('compares what the model cannot read by words (SE-29)', () => {
    expect(byAllArms.sim(TEXTS.chinese, '在推送之前运行测试')).toBe(
      comparison.sim(TEXTS.chinese, '在推送之前运行测试'),
    );
    expect(byAllArms.sim(TEXTS.chinese, TEXTS.push)).toBe(0);
  });

  test('embeds all texts in one call, each once, and none without a model', async () => {
    const real = openBuiltIn();
    const asked: (readonly string[])[] = [];
    const embedder = {
      ...real,
      embed: (texts: readonly string[], kind: 'query' | 'document') => {
        asked.push(texts);
        return real.embed(texts, kind);
      },
    };
    await compareTexts(store.context.store, ['one', 'two', 'one ', 'three'], fixedSource(embedder));
    expect(asked).toEqual([['one', 'two', 'three']]);
    const lost = await compareTexts(store.context.store, ['one'], fixedSource(openBuiltIn('/nowhere')));
    expect([lost.degraded, lost.sim('run it', 'Run it.')]).toEqual([['no_model'], 1]);
  });
});
