import { expect, test } from 'vitest';
import { createStyle } from '../../src/cli/render.ts';
import { answerNotes, renderAnswer } from '../../src/cli/render-answer.ts';
import { ask, project } from '../support/ask.ts';
import { fact, feedback, storeWith } from '../support/memory-rows.ts';

const PLAIN = createStyle(false);
const CLIENT = feedback('When regenerating the API client after a schema change', {
  action: 'Change the schema or the template, then run make client',
  behavior: 'Editing the generated client by hand',
  impact: 'The next generation run removed the fix',
  source: 'user correction, 2026-03-28',
  core: true,
  surfaced_count: 9,
  followed_count: 7,
  not_followed_count: 1,
});

test('SE-46: a hit shows relevance, name, marks, texts, evidence and origin', async () => {
  using store = await storeWith({ 'when-regenerating-the-api-client': CLIENT });
  const answer = ask(store, 'When regenerating the API client after a schema change');
  expect(renderAnswer(answer, PLAIN)).toBe(
    `1  1.00  feedback/when-regenerating-the-api-client  core
   when   When regenerating the API client after a schema change
   do     Change the schema or the template, then run make client
   avoid  Editing the generated client by hand
   why    The next generation run removed the fix
   shown 9, followed 7 of 8 - user correction, 2026-03-28 - any project
`,
  );
  expect(answerNotes(answer)).toEqual(['words - no project']);
});

test('SE-46: a fact shows its triple, and a scoped memory its project', async () => {
  const port = fact('When starting the API', ['shop-api', 'listens-on', '8080'], {
    project_scoped: true,
    project_slug: 'shop-api',
  });
  using store = await storeWith({ port });
  const text = renderAnswer(ask(store, 'shop-api', { project: project('shop-api') }), PLAIN);
  expect(text).toContain(
    '\n   fact   shop-api listens-on 8080\n   not shown yet - user correction, 2026-04-02 - shop-api\n',
  );
});

test('SE-46, SE-33: without hits there is a reason, where else to look, and the state', async () => {
  using store = await storeWith({
    a: feedback('When rotating the webhook secret', { project_scoped: true, project_slug: 'blog' }),
  });
  const answer = ask(store, 'webhook secret', { project: project('shop-api'), degraded: ['read_only'] });
  expect(renderAnswer(answer, PLAIN)).toBe('');
  expect(answerNotes(answer)).toEqual([
    'below_floor: no memory fits well enough for webhook, secret',
    'elsewhere: blog (1); engram query --all-projects shows them',
    'words - project shop-api (flag) - read_only',
  ]);
  using empty = await storeWith();
  expect(answerNotes(ask(empty, 'webhook'))[0]).toContain('engram learn feedback');
});

test('Q30, SE-59: what could move a terminal is shown, not sent', async () => {
  using store = await storeWith({
    a: feedback('When \x1b[31mrotating\x1b[0m \u202esecrets', { action: 'one\rtwo\nthree' }),
  });
  const text = renderAnswer(ask(store, 'rotating secrets'), PLAIN);
  expect(text).toContain('[31mrotating[0m \\u{202e}secrets');
  expect(text).toContain('do     one\\u{d}two\n          three');
  expect(text).not.toMatch(/[\x1b\r\u202e]/);
});

test('SE-61: long text is cut with a mark and the command that shows the rest', async () => {
  using store = await storeWith({ a: feedback('When rotating secrets', { action: 'word '.repeat(500) }) });
  const text = renderAnswer(ask(store, 'rotating secrets'), PLAIN);
  expect(text).toContain('word [...] (all of it: engram show feedback/a)');
  expect(text.length).toBeLessThan(1200);
});

test('SE-48: --explain prints each step', async () => {
  using store = await storeWith({ a: CLIENT });
  const text = renderAnswer(ask(store, 'regenerate the client before lunch', { explain: true }), PLAIN);
  expect(text).toMatch(/regenerate \(word\) weight 0\.\d+: situation, stem, frequency/);
  expect(text).toMatch(/lunch \(word\) weight [\d.]+: not there/);
  expect(text).toMatch(/M [\d.]+, cover [\d.]+, E [\d.]+\n +F [\d.]+, table E/);
});
