import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BIN, runEngram } from '../support/engram.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/chat.md', import.meta.url)), 'utf8');

/** The blocks of the page that belong to somebody: who, and what the shell shows. */
const BLOCKS = [...PAGE.matchAll(/^```console (\w+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => ({
  name,
  text,
}));

/** A shell of one agent, which runs for the whole of the page. */
interface AgentShell {
  readonly process: ChildProcess;
  /** What was shown and not yet compared. */
  shown: string;
}

test('CH-30: docs/chat.md shows what three shells show: cursor, intent, answers, a last look, done', async () => {
  const home = temporaryDirectory();
  const cwd = join(home, 'shop');
  mkdirSync(cwd);
  const bin = binIn(home);
  const shells = new Map<string, AgentShell>();
  const open = (name: string): AgentShell => {
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, ENGRAM_CHAT_NAME: name };
    const shell: AgentShell = { process: spawn('bash', { cwd, env }), shown: '' };
    for (const stream of [shell.process.stdout, shell.process.stderr])
      stream?.on('data', (chunk) => (shell.shown += chunk));
    shells.set(name, shell);
    return shell;
  };
  let id = '';
  try {
    for (const { name, text } of BLOCKS) {
      const shell = shells.get(name) ?? open(name);
      for (const part of text.split(/^(?=\$ )/m)) {
        const [, command = '', printed = part] = /^\$ (.*)\n([\s\S]*)$/.exec(part) ?? [];
        if (command !== '') shell.process.stdin?.write(`${command.replaceAll('<id>', id)}\n`);
        const shown = await waitFor(shell, printed);
        id = /"id":"([0-9a-f]{16})"/.exec(shown)?.[1] ?? id;
        shell.shown = shell.shown.slice(shown.length);
      }
    }
    for (const [name, { shown }] of shells) expect({ name, shown }).toEqual({ name, shown: '' });
  } finally {
    for (const shell of shells.values()) shell.process.kill();
  }
});

/** A directory with the built `engram` in it. */
function binIn(home: string): string {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'engram'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(join(bin, 'engram'), 0o755);
  return bin;
}

/** Resolves with what the shell shows once it has shown so many lines; they have to be those of the page. */
async function waitFor(shell: AgentShell, printed: string): Promise<string> {
  const count = printed.split('\n').length - 1;
  const lines = () => shell.shown.split('\n');
  for (const startMs = Date.now(); lines().length <= count; ) {
    if (Date.now() - startMs > 15_000) throw new Error(`not shown: ${printed}\nbut: ${shell.shown}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const shown = lines().slice(0, count).join('\n') + (count === 0 ? '' : '\n');
  const plain = shown.replace(/\b[0-9a-f]{16}\b/g, '<id>').replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>');
  expect(plain).toBe(printed);
  return shown;
}

test('CH-9: a message of the plain shell of docs/chat.md is read, and its cursor is ours', () => {
  const [, script = ''] = /^```bash shell\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  const home = temporaryDirectory();
  const cwd = join(home, 'shop');
  mkdirSync(cwd);
  const run = (...args: string[]) => runEngram(home, args, { cwd });
  run('chat', 'post', '--from', 'a', '--to', 'b', '--thread', 't', '--type', 'info', '--text', 'first');
  const env = { PATH: `${binIn(home)}:${process.env.PATH}`, HOME: home };
  const bash = spawnSync('bash', { cwd, env, input: `${script}\necho "$cursor"`, encoding: 'utf8' });
  expect(bash).toMatchObject({ status: 0, stdout: '20\n', stderr: '' });
  expect(JSON.parse(run('chat', 'watch', '--agent', 'executor', '--cursor', '10').stdout)).toMatchObject({
    ...{ from: 'shell', text: 'The backup is done.', line: 12, cursor: 20 },
  });
  expect(run('chat', 'cursor').stdout).toBe('20\n');
});
