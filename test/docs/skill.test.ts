import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { agentHome } from '../support/agent-home.ts';
import { BIN } from '../support/engram.ts';

const page = readFileSync(fileURLToPath(new URL('../../skills/engram/SKILL.md', import.meta.url)), 'utf8');

/** What the announced intent runs into, word for word, so that words alone find it. */
const MEMORY = `schema_version = 1
type = "feedback"
situation = "Adding a currency column to orders, which has 40 million rows"

[content]
behavior = "One ALTER TABLE with NOT NULL and a default"
impact = "The orders table was locked for nine minutes"
action = "Add it nullable, backfill in batches, then set NOT NULL"
`;

test('the skill is a page that fits in a context: front matter, and below 200 lines', () => {
  expect(page).toMatch(/^---\nname: engram\ndescription: .{80,600}\n---\n/);
  expect(page.split('\n').length).toBeLessThan(200);
});

test('AG-1, CH-30, CH-42: every command of the skill runs as it stands, beside a real agent', async () => {
  using agent = agentHome({ ENGRAM_EMBED_PROVIDER: 'none' });
  agent.write('feedback/when-adding-a-currency-column', MEMORY);
  await agent.start();
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((found) => found[1] ?? '');
  expect(blocks.length).toBeGreaterThan(8);
  const codes = join(agent.home, 'codes');
  const script = [
    `engram() { "${process.execPath}" "${BIN}" "$@"; local status=$?; echo "$status engram $1 $2" >> "${codes}"; return $status; }`,
    ...blocks,
  ].join('\n');
  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: agent.cwd,
    env: { PATH: process.env.PATH ?? '', HOME: agent.home, ENGRAM_EMBED_PROVIDER: 'none' },
    encoding: 'utf8',
  });
  await agent.stop();
  const ran = readFileSync(codes, 'utf8').trim().split('\n');
  const asked = blocks.join('\n').match(/^(?:cursor=\$\()?engram /gm) ?? [];
  expect(ran).toHaveLength(asked.length);
  // A question without a hit and an unknown memory are 3, an objection 4; anything else is a command that does not work.
  expect(ran).toContain('4 engram chat intent');
  expect(stdout).toContain('Argument sub-1 closed: followed.');
  expect({ wrong: ran.filter((line) => !/^[034] /.test(line)), stderr }).toMatchObject({ wrong: [] });
});
