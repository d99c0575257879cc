import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { writeLearned } from '../../src/agent/write-learned.ts';
import { openEngram } from '../../src/engram.ts';
import { factDraft } from '../learning/drafts.ts';
import { project } from '../support/ask.ts';
import { runEngram } from '../support/engram.ts';

const ENV = { ENGRAM_EMBED_PROVIDER: 'none' };
const OLD = 'facts/shop-api-listens-on-port-9000';
const NEW = 'facts/shop-api-listens-on-port-8080';

let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'engram-cli-'));
  const port = (object: string, confidence: number) =>
    factDraft({ subject: 'shop-api', predicate: 'listens-on', object, confidence, source: 'observed' });
  await learn([port('port 9000', 1), port('port 8080', 0.7)]);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const root = () => join(home, '.local/share/engram');
const engram = (...args: string[]) => runEngram(home, args, { env: ENV });
const json = (...args: string[]) => JSON.parse(engram(...args, '--json').stdout);
const files = () => readdirSync(join(root(), 'memory/facts')).filter((name) => name.endsWith('.toml'));

/** As the agent does. */
async function learn(drafts: readonly Parameters<typeof writeLearned>[1][]): Promise<void> {
  using opened = await openEngram({ root: root(), origin: 'agent', embedding: { provider: 'none' } });
  const tools = { context: opened.context, search: opened, refresh: opened.refresh };
  for (const [at, draft] of drafts.entries()) {
    await writeLearned(tools, draft, {
      project: project(null),
      everywhere: true,
      idempotencyKey: `${at}${draft.type}`,
    });
  }
}

describe('AG-46: two memories that contradict', () => {
  test('are listed and shown with what both say, how certain each is, and whether it is core', () => {
    engram('pin', OLD);
    expect(engram('conflicts', 'list').stdout).toBe(
      `1  ${NEW}  object  contradicts ${OLD}  open\n` +
        '   this: port 8080 (confidence 0.7, in any project)\n' +
        '   other: port 9000 (core, confidence 1, in any project)\n',
    );
    const shown = engram('conflicts', 'show', '1').stdout;
    for (const text of [NEW, OLD, 'port 8080', 'port 9000', 'When running', 'core', '--keep this|other|both']) {
      expect(shown).toContain(text);
    }
    const conflict = {
      id: 1,
      kind: 'memories',
      name: NEW,
      other: OLD,
      field: 'object',
      resolution: null,
      sides: {
        this: { name: NEW, state: 'live', record: { object: 'port 8080', initial_confidence: 0.7, core: false } },
        other: { name: OLD, state: 'live', record: { object: 'port 9000', initial_confidence: 1, core: true } },
      },
    };
    expect(json('conflicts', 'list')).toMatchObject({ conflicts: [conflict] });
    expect(json('conflicts', 'show', '1')).toMatchObject(conflict);
  });

  test('keep db sync from exit 0 until a person decides; their files are clean', () => {
    expect(engram('db', 'sync')).toMatchObject({ status: 1, stdout: expect.stringContaining('1 open') });
    expect(json('show', NEW)).toMatchObject({ state: 'clean' });
    expect(engram('conflicts', 'resolve', '1', '--keep', 'both')).toMatchObject({
      status: 0,
      stdout: `resolved 1: kept ${NEW} and ${OLD}\n`,
    });
    expect(engram('db', 'sync')).toMatchObject({ status: 0 });
    expect(files()).toHaveLength(2);
  });

  it.each([
    ['this', NEW, OLD],
    ['other', OLD, NEW],
  ])('--keep %s archives the other one', (keep, kept, gone) => {
    expect(engram('conflicts', 'resolve', '1', '--keep', keep)).toEqual({
      status: 0,
      stdout: `resolved 1: kept ${kept}, archived ${gone}\n`,
      stderr: '',
    });
    expect(files()).toEqual([`${kept.slice('facts/'.length)}.toml`]);
    expect(json('conflicts', 'list', '--all').conflicts).toMatchObject([
      { id: 1, resolution: keep, sides: { [keep === 'this' ? 'other' : 'this']: { name: gone, state: 'archived' } } },
    ]);
    expect(engram('conflicts', 'resolve', '1', '--keep', 'both')).toMatchObject({ status: 3 });
    expect(engram('restore', gone)).toMatchObject({ status: 0 });
    expect(files()).toHaveLength(2);
  });

  it.each([
    [['--keep', 'file'], 'is none of this, other, both'],
    [['--take', 'file'], 'conflict 1 is of two memories that contradict'],
    [['--take', 'file', '--keep', 'this'], 'either --take or --keep'],
    [[], 'either --take or --keep'],
  ])('%j is a usage error, and nothing is decided', (args, message) => {
    const { status, stderr } = engram('conflicts', 'resolve', '1', ...args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(json('conflicts', 'list').conflicts).toMatchObject([{ resolution: null }]);
    expect(files()).toHaveLength(2);
  });
});
