import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandModel } from '../../../src/agent/judge/command.ts';
import { appliesQuestion } from '../../../src/agent/judge/questions.ts';
import { COLUMN, INTENT } from '../../support/judged.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Stands for the program of a model: answers with its arguments and what it was given. */
const FAKE = `#!${process.execPath}
let text = '';
process.stdin.on('data', (chunk) => { text += chunk; }).on('end', () => {
  const args = process.argv.slice(2);
  const { task, instructions } = JSON.parse(text);
  const told = args[args.indexOf('--system-prompt') + 1];
  console.log(JSON.stringify({ task, hasInstructions: instructions !== undefined, told, tools: args[args.indexOf('--tools') + 1] }));
});
`;

test('AG-23: the wrapper of docs/judges.md hands on instructions and document apart, without tools', async () => {
  const directory = temporaryDirectory();
  const page = readFileSync(new URL('../../../docs/judges.md', import.meta.url), 'utf8');
  const wrapper = join(directory, 'engram-judge.mjs');
  writeFileSync(wrapper, /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  writeFileSync(join(directory, 'claude'), FAKE);
  chmodSync(join(directory, 'claude'), 0o755);
  const model = openCommandModel({ command: [process.execPath, wrapper], env: [], environment: { PATH: directory } });
  const question = appliesQuestion(INTENT, COLUMN, 20_000);
  const asked = await model.ask(question, { timeoutMs: 20_000, signal: new AbortController().signal });
  expect(asked.kind === 'answer' && JSON.parse(asked.text)).toEqual({
    task: 'applies',
    hasInstructions: false,
    told: question.instructions,
    tools: '',
  });
});
