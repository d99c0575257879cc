import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../src/cli/program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('docs/cli.md is what the commands say', () => {
  expect(() =>
    execFileSync(process.execPath, [join(root, 'scripts/gen-cli-docs.mjs'), '--check'], { stdio: 'pipe' }),
  ).not.toThrow();
});

test('every command and every group of commands shows an example', async () => {
  const { command } = await createProgram([]);
  const all = (each: Command): Command[] => [each, ...each.commands.flatMap(all)];
  const without = all(command).filter((each) => {
    const help: string[] = [];
    each.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
    return !/Examples?:\n(.*\n)*?\s+\$ .*engram /.test(help.join(''));
  });
  expect(without.map((each) => each.name())).toEqual([]);
});

test('docs/json-output.md has a section for every command', async () => {
  const { command } = await createProgram([]);
  const words = (each: Command, before: string): string[] =>
    each.commands.length === 0 ? [before] : each.commands.flatMap((child) => words(child, `${before} ${child.name()}`));
  const page = readFileSync(join(root, 'docs/json-output.md'), 'utf8');
  const headings = [...page.matchAll(/^## (.*)$/gm)].flatMap(
    (match) => (match[1] ?? '').match(/engram [a-z -]+[a-z]/g) ?? [],
  );
  const commands = words(command, 'engram');
  expect(commands.filter((name) => !headings.includes(name))).toEqual([]);
  expect(headings.filter((name) => !commands.includes(name))).toEqual([]);
});

test('links between the pages lead somewhere', () => {
  const pages = [
    'README.md',
    'CHANGELOG.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
  ];
  const broken = pages
    .filter((page) => page.endsWith('.md') && existsSync(join(root, page)))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] ?? '')
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(page), link)))
        .map((link) => `${page} -> ${link}`),
    );
  expect(broken).toEqual([]);
});
