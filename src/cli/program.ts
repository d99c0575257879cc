import { Command } from 'commander';
import { version } from '../../package.json';
import { asksFor, operandsOf, withHelpLast } from './command-words.ts';
import { addGlobalOptions, type CommandContext, type CommandDefinition, createContext } from './context.ts';
import { write } from './output.ts';

/** Commands of two words stand below one of these: what it is for, and how it is mostly used. */
const GROUPS = {
  learn: [
    'Remember a correction or a fact',
    'engram learn fact --subject orders --predicate has --object "40 million rows" --situation "changing its columns"',
  ],
  conflicts: ['Texts that file and database both changed, and memories that contradict', 'engram conflicts list'],
  agent: ['Run the agent that answers in the chat with what was learned', 'engram agent run', 'engram agent status'],
  chat: [
    'Talk with other agents through the chat file of the project',
    'engram chat tail -f',
    'engram chat intent --from executor --thread schema --text "Adding a column to orders, nullable first"',
  ],
  db: ['Look after the database and its agreement with the files', 'engram db status', 'engram db sync'],
  embed: ['Look after the vectors by which memories are found by meaning', 'engram embed status'],
  project: ['Say whose memories apply here', 'engram project show'],
  setup: ['Make other programs work with engram', 'engram setup git'],
} as const satisfies Record<string, readonly [description: string, ...examples: string[]]>;

/** Every command by its words, in the order of the help. The file of a command is loaded when it is needed. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandDefinition>>> = {
  query: async () => (await import('./commands/query.ts')).query,
  list: async () => (await import('./commands/list.ts')).list,
  show: async () => (await import('./commands/show.ts')).show,
  related: async () => (await import('./commands/related.ts')).related,
  context: async () => (await import('./commands/context.ts')).sessionContext,
  history: async () => (await import('./commands/history.ts')).history,
  'learn feedback': async () => (await import('./commands/learn-feedback.ts')).learnFeedback,
  'learn fact': async () => (await import('./commands/learn-fact.ts')).learnFact,
  edit: async () => (await import('./commands/edit.ts')).edit,
  pin: async () => (await import('./commands/pin.ts')).pin,
  unpin: async () => (await import('./commands/unpin.ts')).unpin,
  forget: async () => (await import('./commands/forget.ts')).forget,
  restore: async () => (await import('./commands/restore.ts')).restore,
  outcome: async () => (await import('./commands/outcome.ts')).outcome,
  'conflicts list': async () => (await import('./commands/conflicts-list.ts')).conflictsList,
  'conflicts show': async () => (await import('./commands/conflicts-show.ts')).conflictsShow,
  'conflicts resolve': async () => (await import('./commands/conflicts-resolve.ts')).conflictsResolve,
  'db sync': async () => (await import('./commands/db-sync.ts')).dbSync,
  'db status': async () => (await import('./commands/db-status.ts')).dbStatus,
  'db check': async () => (await import('./commands/db-check.ts')).dbCheck,
  'db repair': async () => (await import('./commands/db-repair.ts')).dbRepair,
  'db rebuild': async () => (await import('./commands/db-rebuild.ts')).dbRebuild,
  'db backup': async () => (await import('./commands/db-backup.ts')).dbBackup,
  'db path': async () => (await import('./commands/db-path.ts')).dbPath,
  'embed status': async () => (await import('./commands/embed-status.ts')).embedStatus,
  'embed use': async () => (await import('./commands/embed-use.ts')).embedUse,
  'embed apply': async () => (await import('./commands/embed-apply.ts')).embedApply,
  'project init': async () => (await import('./commands/project-init.ts')).projectInit,
  'project list': async () => (await import('./commands/project-list.ts')).projectList,
  'project show': async () => (await import('./commands/project-show.ts')).projectShow,
  'chat path': async () => (await import('./commands/chat-path.ts')).chatPath,
  'chat post': async () => (await import('./commands/chat-post.ts')).chatPost,
  'chat intent': async () => (await import('./commands/chat-intent.ts')).chatIntent,
  'chat ack-wait': async () => (await import('./commands/chat-ack-wait.ts')).chatAckWait,
  'chat watch': async () => (await import('./commands/chat-watch.ts')).chatWatch,
  'chat cursor': async () => (await import('./commands/chat-cursor.ts')).chatCursor,
  'chat tail': async () => (await import('./commands/chat-tail.ts')).chatTail,
  'chat presence': async () => (await import('./commands/chat-presence.ts')).chatPresence,
  'agent run': async () => (await import('./commands/agent-run.ts')).agentRun,
  'agent status': async () => (await import('./commands/agent-status.ts')).agentStatusCommand,
  watch: async () => (await import('./commands/watch.ts')).watch,
  'merge-file': async () => (await import('./commands/merge-file.ts')).mergeFileCommand,
  'setup git': async () => (await import('./commands/setup-git.ts')).setupGit,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  config: async () => (await import('./commands/config.ts')).config,
};

export interface Program {
  readonly command: Command;
  /** The arguments to parse: every way to ask for help is `--help` behind the command. */
  readonly words: readonly string[];
  readonly context: CommandContext & { readonly exitStatus: number };
}

/**
 * The command line that the arguments need: the named command alone, or all commands where help or a
 * suggestion has to know them. Errors are thrown as commander's own, nothing exits.
 */
export async function createProgram(given: readonly string[]): Promise<Program> {
  const words = withHelpLast(given, isCommand);
  const isJson = asksFor(words, '--json');
  const command = addGlobalOptions(new Command('engram'))
    .description('A memory for coding agents: TOML files you own, found when they apply')
    .version(version, '--version', 'print the version')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => write('stdout', text),
      // Help for a command that is missing; with `--json` an error object says so.
      writeErr: (text) => (isJson ? undefined : write('stderr', text)),
      outputError: () => {},
    })
    .addHelpText('after', '\nExample:\n  $ engram query "about to regenerate the API client"');
  const context = createContext(command);
  const chosen = chosenCommand(words);
  const names = chosen !== null ? [chosen] : words[0] === '--version' ? [] : Object.keys(COMMANDS);
  const definitions = await Promise.all(names.map((name) => COMMANDS[name]?.()));
  for (const [at, name] of names.entries()) definitions[at]?.(parentOf(command, name), context);
  return { command, words, context };
}

/** The command that the first words name; null where none does. */
function chosenCommand(words: readonly string[]): string | null {
  const [first = '', second = ''] = operandsOf(words);
  const both = `${first} ${second}`;
  if (Object.hasOwn(COMMANDS, both)) return both;
  return Object.hasOwn(COMMANDS, first) ? first : null;
}

/** Whether help for these operands is the help of what they name. */
function isCommand(operands: readonly string[]): boolean {
  const [first = '', second] = operands;
  if (Object.hasOwn(COMMANDS, first)) return true;
  return (
    Object.hasOwn(GROUPS, first) && (second === undefined || second === 'help' || chosenCommand(operands) !== null)
  );
}

/** The call that shows the help of what `words` name, as far as they name a command or a group. */
export function helpCall(words: readonly string[]): string {
  const [first = ''] = operandsOf(words);
  const name = chosenCommand(words) ?? (Object.hasOwn(GROUPS, first) ? first : null);
  return `engram ${name === null ? '' : `${name} `}--help`;
}

function parentOf(program: Command, name: string): Command {
  const group = name.includes(' ') ? name.slice(0, name.indexOf(' ')) : null;
  if (group === null) return program;
  const existing = program.commands.find((command) => command.name() === group);
  if (existing !== undefined) return existing;
  const [description, ...examples] = GROUPS[group as keyof typeof GROUPS];
  const title = examples.length === 1 ? 'Example' : 'Examples';
  const lines = examples.map((example) => `\n  $ ${example}`);
  return program
    .command(group)
    .description(description)
    .addHelpText('after', `\n${title}:${lines.join('')}`);
}
