import { EngramError } from '../../errors.ts';
import { mergeFile } from '../../exchange/file-merge.ts';
import type { CommandDefinition } from '../context.ts';
import { parseWhole } from '../given-options.ts';
import { write } from '../output.ts';
import { oneLine, renderJson } from '../render.ts';

interface MergeFileOptions {
  readonly path?: string;
  readonly markerSize?: string;
}

export const mergeFileCommand: CommandDefinition = (parent, context) =>
  parent
    .command('merge-file')
    .description('Merge three versions of a memory file into the second; for git, see engram setup git')
    .usage('[options] BASE OURS THEIRS')
    .argument('<files...>', 'what both sides come from (an empty file for nothing), our version, the other version')
    .option('--path <path>', 'where the memory lies in its repository; else the path of OURS')
    .option('--marker-size <n>', 'characters of a conflict mark, 1 to 1000; 7 when not given')
    .addHelpText(
      'after',
      `
Counts add what both sides counted, times and core follow the rules of a sync; comments, order and unknown keys are
merged line by line. A text that both sides changed gets the marks of a conflict. A file that is no memory is merged as
git merge-file would. Prints clean (exit 0) or conflict (exit 1). No data root is needed or read.

Example:
  $ engram merge-file base.toml ours.toml theirs.toml`,
    )
    .action(async (files: readonly string[], { path: given, markerSize }: MergeFileOptions) => {
      const [base, ours, theirs, ...more] = files;
      if (base === undefined || ours === undefined || theirs === undefined || more.length > 0) {
        throw new EngramError('usage', `three files are needed, ${files.length} are given: BASE OURS THEIRS`);
      }
      const path = given ?? ours;
      const size = parseWhole('--marker-size', markerSize, 1, 1000) ?? 7;
      const merged = mergeFile({ base, ours, theirs, path, markerSize: size });
      const say = (what: string) => context.note(`engram: ${oneLine(path)}: ${what}`);
      if (merged.clashes.length > 0) say(`both sides changed ${merged.clashes.join(', ')}`);
      else if (merged.result === 'conflict' && merged.reason === null) say('both sides changed the same lines');
      if (merged.decided.length > 0)
        say(`both sides changed ${merged.decided.join(', ')}; one stays, git has the other`);
      if (merged.reason !== null) say(`merged line by line: ${merged.reason}`);
      // Not by the context, which would read the settings: a mistake in them must not fail a merge that is made.
      write('stdout', context.json ? renderJson(merged) : `${merged.result}\n`);
      context.exitWith(merged.result === 'clean' ? 0 : 1);
    });
