import { expect, it, test } from 'vitest';
import { judgeSettings } from '../../src/cli/judge-settings.ts';
import { loadConfig } from '../../src/config.ts';
import { APART, APPLIES_AT } from '../../src/config-agent.ts';
import { runEngram } from '../support/engram.ts';
import { engramError } from '../support/engram-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const settingsOf = async (variables: Record<string, string>) => {
  const environment = { HOME: temporaryDirectory(), ...variables };
  return judgeSettings(await loadConfig(environment, {}), environment);
};

test('AG-22: the built-in judge when nothing is set', async () => {
  expect(await settingsOf({})).toEqual({ kind: 'builtin', appliesAt: APPLIES_AT, apart: APART });
});

it.each([
  ['command', 'agent.judge.command'],
  ['openai', 'agent.judge.base_url'],
])('AG-21: the judge %s needs more', async (kind, key) => {
  await expect(settingsOf({ ENGRAM_AGENT_JUDGE_KIND: kind })).rejects.toThrow(key);
  await expect(settingsOf({ ENGRAM_AGENT_JUDGE_KIND: kind })).rejects.toThrow(engramError('config.invalid'));
});

test('AG-24: engram config shows the judge, and the name of the key, never its value', () => {
  const env = {
    ENGRAM_AGENT_JUDGE_KIND: 'openai',
    ENGRAM_AGENT_JUDGE_BASE_URL: 'http://localhost:1/v1',
    ENGRAM_AGENT_JUDGE_MODEL: 'small',
    ENGRAM_AGENT_JUDGE_API_KEY_ENV: 'ENGRAM_MY_KEY',
    ENGRAM_AGENT_JUDGE_COMMAND: 'my-judge -q',
    ENGRAM_MY_KEY: 'not-to-be-shown',
  };
  const { status, stdout } = runEngram(temporaryDirectory(), ['config'], { env });
  expect(status).toBe(0);
  expect(stdout).toMatch(/agent\.judge\.api_key_env +ENGRAM_MY_KEY/);
  expect(stdout).toMatch(/agent\.judge\.command +\["my-judge","-q"\]/);
  expect(stdout).not.toMatch(/not-to-be-shown|unknown variable/);
});
