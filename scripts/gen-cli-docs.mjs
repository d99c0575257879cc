#!/usr/bin/env node
// Writes docs/cli.md from the help of every command. `--check` only says whether the page is current (exit 1 when not).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/cli.md');

const text = render(await program());
if (!process.argv.includes('--check')) writeFileSync(page, text);
else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/cli.md is not what the commands say; run: node scripts/gen-cli-docs.mjs');
  process.exitCode = 1;
}

/** The whole command line, from the sources, so that the page never shows an older build. */
async function program() {
  // Beside the packages it imports.
  const directory = mkdtempSync(join(root, 'node_modules/.engram-docs-'));
  try {
    const outfile = join(directory, 'program.mjs');
    const packages = { packages: 'external', platform: 'node', format: 'esm', target: 'node20.19' };
    await build({
      absWorkingDir: root,
      entryPoints: ['src/cli/program.ts'],
      bundle: true,
      outfile,
      logLevel: 'warning',
      ...packages,
    });
    const { createProgram } = await import(pathToFileURL(outfile).href);
    return (await createProgram([])).command;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function render(top) {
  const head = [
    '# Commands',
    'Made from the help of the commands by `node scripts/gen-cli-docs.mjs`; a test compares them. What `--json` prints: ' +
      '`json-output.md`.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage or an invalid value, 3 nothing found or no answer in time, 4 somebody objects, 5 a lock or the database is busy ' +
      '(try again), 6 damaged input, 130 interrupted.',
    fenced(helpOf(top)),
  ];
  return `${[...head, ...top.commands.flatMap((command) => sections(command, 'engram'))].join('\n\n')}\n`;
}

function sections(command, parent) {
  const name = `${parent} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((child) => sections(child, name));
  return [`## ${name}`, fenced(helpOf(command))];
}

/** The help as a terminal of 100 columns shows it; global options once, at the top. */
function helpOf(command) {
  let help = '';
  command.configureHelp({ showGlobalOptions: false, helpWidth: 100 });
  command.configureOutput({ writeOut: (part) => (help += part) });
  command.outputHelp();
  return help.trimEnd();
}

function fenced(help) {
  return `\`\`\`text\n${help}\n\`\`\``;
}
