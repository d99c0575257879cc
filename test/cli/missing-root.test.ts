import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { runEngram } from '../support/engram.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-missing-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const engram = (...args: readonly string[]) => runEngram(home, [...args, '--data-dir', 'mistyped']);

describe('a data root that does not exist is not made by a command that reads', () => {
  it.each([
    [['query', 'adding a column'], 3],
    [['list'], 0],
    [['show', 'a'], 3],
    [['history', 'a'], 3],
    [['related', 'a'], 3],
    [['context'], 0],
    [['config'], 0],
    [['db', 'status'], 0],
    [['db', 'check'], 0],
    [['conflicts', 'list'], 0],
    [['conflicts', 'show', '1'], 3],
  ])('%j', (args, status) => {
    const ran = engram(...args);
    expect(readdirSync(home)).toEqual([]);
    expect(ran.status).toBe(status);
    if (args[0] !== 'config') {
      expect(ran.stderr).toContain(`there is no store at ${join(home, 'mistyped')} yet; engram learn makes one`);
    }
  });

  test('query says so in JSON too', () => {
    const { status, stdout } = engram('query', 'adding a column', '--json');
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ abstained: 'nothing_stored', degraded: ['no_store'], hits: [] });
  });

  test('one that writes makes it', () => {
    expect(engram('db', 'sync').status).toBe(0);
    expect(readdirSync(home)).toEqual(['mistyped']);
  });
});
