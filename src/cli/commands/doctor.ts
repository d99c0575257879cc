import { unknownVariables } from '../../config-environment.ts';
import type { CommandDefinition } from '../context.ts';
import { embeddingSettings } from '../embedding-settings.ts';

export const doctor: CommandDefinition = (parent, context) =>
  parent
    .command('doctor')
    .description('Try the whole loop in a temporary store, and look for what is wrong here; changes nothing')
    .addHelpText(
      'after',
      `
Looks at Node, SQLite, disk, model, file system events and settings, and at the store: what waits, what is held or cannot
be used, the watcher, locks, modes and indexes. Each finding names its way out. engram db check goes further and compares
every memory by content.

Exit status: 0 clean, 1 something was found, 6 the database is damaged.

Examples:
  $ engram doctor
  $ engram doctor --json`,
    )
    .action(async () => {
      const [config, { examine }, { renderDoctor }, { doctorExit }] = await Promise.all([
        context.config(),
        import('../doctor/examine.ts'),
        import('../render-doctor.ts'),
        import('../doctor/finding.ts'),
      ]);
      const apiKeyName = config.embedApiKeyEnv.value;
      const report = await examine({
        root: config.dataDir.value,
        embedding: embeddingSettings(config, context.environment),
        unknownVariables: unknownVariables(context.environment).filter(({ name }) => name !== apiKeyName),
      });
      await context.print(report, renderDoctor);
      context.exitWith(doctorExit(report.findings));
    });
