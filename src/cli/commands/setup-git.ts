import { realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type GitSetupReport, setUpGit } from '../../exchange/git-setup.ts';
import { memoryPaths } from '../../files/memory-directory.ts';
import { visible } from '../../text/visible.ts';
import type { CommandDefinition } from '../context.ts';
import { renderTable, type Style } from '../render.ts';

interface SetupGitOptions {
  readonly undo?: boolean;
  readonly dryRun?: boolean;
}

export const setupGit: CommandDefinition = (parent, context) =>
  parent
    .command('git')
    .description('Let git merge memories field by field, in the repository that holds them')
    .option('--undo', 'take away what was set up')
    .option('--dry-run', 'say what would change, change nothing')
    .addHelpText(
      'after',
      `
Writes the line "*.toml merge=engram" to .gitattributes in the memory directory (commit it), and a merge driver to the
configuration of this repository alone: each clone needs its own engram setup git, else it merges memories as text.
Where the driver cannot start, git merges line by line. Running it again repairs the paths in it.

Examples:
  $ engram setup git --dry-run
  $ engram setup git`,
    )
    .action(async ({ undo = false, dryRun = false }: SetupGitOptions) => {
      const { dataDir } = await context.config();
      const { memory } = memoryPaths(dataDir.value);
      const program = { node: lastingNode(context.environment.PATH ?? ''), script: resolve(process.argv[1] ?? '') };
      await context.print(setUpGit({ memory, program, undo, dryRun }), renderSetup);
    });

/** The node of `$PATH` where it is the one that runs: its path mostly survives an update, the real one has a version in it. */
function lastingNode(path: string): string {
  const running = realpathSync(process.execPath);
  const named = path.split(delimiter).map((directory) => join(directory, 'node'));
  return (
    named.find((candidate) => candidate.startsWith('/') && realPathOrNull(candidate) === running) ?? process.execPath
  );
}

function realPathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function renderSetup(report: GitSetupReport, style: Style): string {
  const { attributes, driver } = report;
  const say = (change: string) => (report.dryRun && change !== 'unchanged' ? `would be ${change}` : change);
  const rows = [
    [say(attributes.change), attributes.line, visible(attributes.path)],
    [say(driver.change), 'merge.engram.driver', visible(driver.config)],
  ];
  return renderTable(rows) + nextStep(report, style);
}

function nextStep({ undo, dryRun, attributes, mergeAttribute }: GitSetupReport, style: Style): string {
  if (undo || dryRun) return '';
  if (mergeAttribute !== 'engram') {
    return `${style.red('not in force')}: another line asks for merge=${visible(mergeAttribute)}; see git check-attr\n`;
  }
  if (attributes.change !== 'added') return '';
  return style.dim('commit .gitattributes; other clones need engram setup git, too\n');
}
