import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { type Config, homeDirectory, loadConfig } from '../config.ts';
import type { Engram } from '../engram.ts';
import { EngramError } from '../errors.ts';
import { type Log, type LogFields, silentLog } from '../log.ts';
import type { ProjectIdentity, ProjectInput } from '../project/identity.ts';
import type { EmbeddingSettings } from '../search/embedder-source.ts';
import type { Store } from '../store/open.ts';
import { embeddingSettings } from './embedding-settings.ts';
import { isTerminal, write } from './output.ts';
import { type Progress, showProgress, silentProgress } from './progress.ts';
import { createStyle, renderJson, type Style } from './render.ts';

/**
 * How every command is written: it adds itself to `parent`, says what it does, shows an example, and its action parses,
 * calls one function and renders. It knows no exit code but the one a result has, writes to no stream itself and reads
 * no environment; all of that comes from the context. One file of `commands/` each, entered in `program.ts`:
 *
 * ```ts
 * export const dbPath: CommandDefinition = (parent, context) =>
 *   parent
 *     .command('path')
 *     .description('Print where the database is')
 *     .addHelpText('after', '\nExample:\n  $ sqlite3 "$(engram db path)" ".tables"')
 *     .action(async () => {
 *       const { dataDir } = await context.config();
 *       await context.print({ path: join(dataDir.value, 'engram.db') }, ({ path }) => `${path}\n`);
 *     });
 * ```
 *
 * Only the chosen command's file is evaluated, so its imports cost the other commands nothing.
 */
export type CommandDefinition = (parent: Command, context: CommandContext) => Command;

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `--json`: results are one JSON value on stdout. */
  readonly json: boolean;
  /** For the long form of events; silent without `-v`. */
  readonly log: Log;
  /** The settings in force; read once. */
  config(): Promise<Config>;
  /** The data root in force, opened and wired. The caller closes it: `using engram = await context.engram()`. */
  engram(): Promise<Engram>;
  /** The same for a command that runs for days. @param origin - how it is named in history and events */
  longRunningEngram(origin: 'watch' | 'agent'): Promise<Engram>;
  /**
   * The same for a command that only reads: a root that does not exist, perhaps mistyped, is not made but said.
   *
   * @param embedding - who embeds, where it is not as configured
   */
  engramToRead(embedding?: EmbeddingSettings): Promise<Engram>;
  /** The project of the working directory; it may be stored, see `project/identity.ts`. */
  project(store: Store): Promise<ProjectIdentity>;
  /** What a project is found from. */
  projectInput(): Promise<ProjectInput>;
  /** Prints a result: with `--json` the value itself, else what `render` makes of it (whole lines). */
  print<T>(value: T, render: (value: T, style: Style) => string): Promise<void>;
  /** Whether a person sits at both ends, so that an editor may be opened. */
  isInteractive(): Promise<boolean>;
  /** Whether a person sits at stdin, who would have to type what a command reads there. */
  isInputTerminal(): Promise<boolean>;
  /**
   * Stdin as text, at most 1 MiB of it; what is longer is refused, or cut with `cut`. Waits without blocking, so that
   * Ctrl-C works meanwhile.
   *
   * @throws EngramError `usage` for more than 1 MiB, and for anything that is not UTF-8
   */
  input(options?: { readonly cut?: boolean }): Promise<string>;
  /** For work on many files: counts on a terminal, and lets Ctrl-C end it at any point. */
  progress(label: string): Promise<Progress>;
  /** A line for a person, to stderr; dropped with `--quiet`. */
  note(line: string): void;
  /** Ends the command with this status once its action has returned; 0 when it is not called. */
  exitWith(status: number): void;
}

interface GlobalOptions {
  readonly dataDir?: string;
  readonly project?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color: boolean;
}

/** The options that every command takes, before or after its name (product.md section 4). */
export function addGlobalOptions(program: Command): Command {
  return program
    .option('--data-dir <dir>', 'where memories and database live')
    .option('--project <name>', 'the project, instead of the one found from the working directory')
    .option('--json', 'print results as JSON')
    .option('--quiet', 'print results and errors only')
    .option('-v, --verbose', 'say more on stderr, with the stack of unexpected errors')
    .option('--no-color', 'no colours');
}

/** The context of one run of the command line; `exitStatus` is read when the action has returned. */
export function createContext(program: Command): CommandContext & { readonly exitStatus: number } {
  const options = () => program.opts<GlobalOptions>();
  let config: Promise<Config> | null = null;
  let exitStatus = 0;
  const context = {
    environment: process.env,
    get cwd() {
      return process.cwd();
    },
    get json() {
      return options().json === true;
    },
    get log() {
      return options().verbose === true ? stderrLog : silentLog;
    },
    get exitStatus() {
      return exitStatus;
    },
    config: () => (config ??= loadConfig(process.env, options())),
    engram: async () => {
      const [config, { openEngram }] = await Promise.all([context.config(), import('../engram.ts')]);
      const embedding = embeddingSettings(config, process.env);
      return openEngram({ root: config.dataDir.value, origin: 'cli', embedding });
    },
    longRunningEngram: async (origin: 'watch' | 'agent') => {
      const [config, { openEngram }] = await Promise.all([context.config(), import('../engram.ts')]);
      const embedding = embeddingSettings(config, process.env);
      return openEngram({ root: config.dataDir.value, origin, longRunning: true, embedding });
    },
    engramToRead: async (embedding?: EmbeddingSettings) => {
      const [config, { openEngram }] = await Promise.all([context.config(), import('../engram.ts')]);
      const root = config.dataDir.value;
      const settings = embedding ?? embeddingSettings(config, process.env);
      const engram = await openEngram({ root, origin: 'cli', create: false, embedding: settings });
      if (engram.degraded.includes('no_store')) {
        context.note(`there is no store at ${root} yet; engram learn makes one`);
      }
      return engram;
    },
    project: async (store: Store) => findProject(await context.projectInput(), store),
    projectInput: async () => projectInput(await context.config()),
    print: async <T>(value: T, render: (value: T, style: Style) => string) => {
      if (context.json) write('stdout', renderJson(value));
      else write('stdout', render(value, createStyle(await wantsColor(await context.config()))));
    },
    isInteractive: async () => (await isTerminal('stdin')) && (await isTerminal('stdout')),
    isInputTerminal: () => isTerminal('stdin'),
    input: readInput,
    progress: async (label: string) => {
      const isSeen = options().quiet !== true && !context.json && (await isTerminal('stderr'));
      return isSeen ? showProgress(label) : silentProgress();
    },
    note: (line: string) => {
      if (options().quiet !== true) write('stderr', `${line}\n`);
    },
    exitWith: (status: number) => {
      exitStatus = status;
    },
  };
  return context;
}

const MOST_INPUT_BYTES = 1 << 20;

async function readInput({ cut = false }: { readonly cut?: boolean } = {}): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_INPUT_BYTES) break;
  }
  const bytes = Buffer.concat(chunks);
  if (size <= MOST_INPUT_BYTES) return decoded(bytes, false);
  if (cut) return decoded(bytes.subarray(0, MOST_INPUT_BYTES), true);
  throw new EngramError('usage', 'stdin holds more than 1 MiB', { hint: 'Give one JSON object, or use the options.' });
}

/** @param cut - the last character may be there in part; that part is left out */
function decoded(bytes: Uint8Array, cut: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch (error) {
    throw new EngramError('usage', 'stdin is not UTF-8', { hint: 'Convert it first, e.g. with iconv.', cause: error });
  }
}

async function findProject(input: ProjectInput, store: Store): Promise<ProjectIdentity> {
  const [{ resolveProject }, { projectBindings }] = await Promise.all([
    import('../project/identity.ts'),
    import('../store/projects.ts'),
  ]);
  return resolveProject(input, projectBindings(store, systemClock));
}

async function projectInput({ project }: Config): Promise<ProjectInput> {
  const { tmpdir } = await import('node:os');
  return {
    explicit: project.from === 'flag' ? project.value : null,
    environment: project.from === 'environment' ? project.value : null,
    cwd: process.cwd(),
    home: homeDirectory(process.env),
    tempDir: tmpdir(),
  };
}

async function wantsColor({ color }: Config): Promise<boolean> {
  if (color.value !== 'auto') return color.value === 'always';
  return process.env.TERM !== 'dumb' && (await isTerminal('stdout'));
}

const stderrLog: Log = { debug: logLine, info: logLine, warn: logLine };

function logLine(event: string, fields: LogFields = {}): void {
  const texts = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  write('stderr', `${event}${texts.join('')}\n`);
}
