import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { agentHome } from '../support/agent-home.ts';
import { BIN } from '../support/engram.ts';

const page = readFileSync(fileURLToPath(new URL('../../skills/engram/SKILL.md', import.meta.url)), 'utf8');

test('the skill is a page that fits in a context: front matter, and below 200 lines', () => {
  expect(page).toMatch(/^---\nname: engram\ndescription: .{80,600}\n---\n/);
  expect(page.split('\n').length).toBeLessThan(200);
});

test('AG-1, CH-30, CH-42: every command of the skill runs as it stands, beside a real agent', async () => {
  using agent = agentHome({ ENGRAM_EMBED_PROVIDER: 'none' });
  await agent.start();
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((found) => found[1] ?? '');
  expect(blocks.length).toBeGreaterThan(8);
  const codes = join(agent.home, 'codes');
  const script = [
    `engram() { "${process.execPath}" "${BIN}" "$@"; local status=$?; echo "$status engram $1 $2" >> "${codes}"; return $status; }`,
    ...blocks,
  ].join('\n');
  const { stderr } = spawnSync('bash', ['-c', script], {
    cwd: agent.cwd,
    env: { PATH: process.env.PATH ?? '', HOME: agent.home, ENGRAM_EMBED_PROVIDER: 'none' },
    encoding: 'utf8',
  });
  await agent.stop();
  const ran = readFileSync(codes, 'utf8').trim().split('\n');
  const asked = blocks.join('\n').match(/^engram /gm) ?? [];
  expect(ran).toHaveLength(asked.length);
  // A question without a hit and an unknown memory are 3, an objection 4; anything else is a command that does not work.
  expect({ wrong: ran.filter((line) => !/^[034] /.test(line)), stderr }).toMatchObject({ wrong: [] });
});
