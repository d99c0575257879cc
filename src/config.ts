import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { type AgentConfig, agentConfig } from './config-agent.ts';
import { type Environment, readEnvironment, type Values } from './config-environment.ts';
import { CONFIG_KEYS, type ConfigName, configNames, SINGLE_VALUED } from './config-keys.ts';
import { unusable, validated } from './config-values.ts';
import { EngramError, systemErrorCode } from './errors.ts';
import { nearest } from './suggest.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

/** Where a value comes from. `default` is built in. */
export type ConfigOrigin = 'flag' | 'environment' | 'config file' | 'default';

/** A value in force and where it was given: the flag, the variable, or the file's path; null for a default. */
export interface Setting<T> {
  readonly value: T;
  readonly from: ConfigOrigin;
  readonly source: string | null;
}

export interface Config extends AgentConfig {
  /** Absolute path of the data root. */
  readonly dataDir: Setting<string>;
  /** Project named by flag or environment; null = found from the working directory (product.md section 6). */
  readonly project: Setting<string | null>;
  readonly color: Setting<ColorChoice>;
  /** The chat file named by flag or environment; null = that of the project (CH-5). */
  readonly chatFile: Setting<string | null>;
  /** How the caller is called in the chat; null = has to be said. */
  readonly chatName: Setting<string | null>;
  /** Hits of `engram query`, 1 to 100. */
  readonly queryLimit: Setting<number>;
  /** Size of what `engram context` prints, in bytes. */
  readonly contextBytes: Setting<number>;
  /** Predicates of facts that have one object at a time, separated by blanks. */
  readonly singleValued: Setting<string>;
  /** What turns texts into vectors (SE-20). The others are for `openai`. */
  readonly embedProvider: Setting<'built-in' | 'openai' | 'none'>;
  readonly embedUrl: Setting<string | null>;
  readonly embedModel: Setting<string | null>;
  readonly embedApiKeyEnv: Setting<string | null>;
  readonly embedAllowRemote: Setting<boolean>;
  readonly embedAllowHttp: Setting<boolean>;
  readonly embedQueryPrefix: Setting<string>;
  readonly embedDocumentPrefix: Setting<string>;
  /** Null: as many values as the model gives by itself. */
  readonly embedDims: Setting<number | null>;
  /** How long a question waits for its vector. */
  readonly embedTimeoutMs: Setting<number>;
  /** Path of the configuration file, whether it exists or not. */
  readonly file: string;
  readonly fileExists: boolean;
}

/** What the command line gave; a key that was not given is absent. */
export interface ConfigFlags {
  readonly dataDir?: string;
  readonly project?: string;
  readonly color?: boolean;
}

const MOST_BYTES = 1 << 20;

/**
 * The settings in force: flags win over `ENGRAM_*` variables, those over config.toml (product.md section 3).
 *
 * @throws EngramError `config.invalid` for an unknown key or an unusable value, with the key, the place and a suggestion
 */
export async function loadConfig(environment: Environment, flags: ConfigFlags): Promise<Config> {
  const home = homeDirectory(environment);
  const file = join(absolute(environment.XDG_CONFIG_HOME) ?? join(home, '.config'), 'engram', 'config.toml');
  const fromFile = await readConfigFile(file);
  const fromEnvironment = await readEnvironment(environment);
  const layers = { flags: flagValues(flags), environment: fromEnvironment, file: fromFile ?? {} };
  const setting = <T>(name: ConfigName, fallback: T) => pick(name, layers, file, fallback);
  const dataDir = setting(
    'dataDir',
    join(absolute(environment.XDG_DATA_HOME) ?? join(home, '.local', 'share'), 'engram'),
  );
  return {
    dataDir: { ...dataDir, value: resolve(expandHome(dataDir.value, home)) },
    project: setting<string | null>('project', null),
    color: setting<ColorChoice>('color', 'auto'),
    chatFile: setting<string | null>('chatFile', null),
    chatName: setting<string | null>('chatName', null),
    queryLimit: setting('queryLimit', 10),
    contextBytes: setting('contextBytes', 4000),
    singleValued: setting('singleValued', SINGLE_VALUED),
    embedProvider: setting<'built-in' | 'openai' | 'none'>('embedProvider', 'built-in'),
    embedUrl: setting<string | null>('embedUrl', null),
    embedModel: setting<string | null>('embedModel', null),
    embedApiKeyEnv: setting<string | null>('embedApiKeyEnv', null),
    embedAllowRemote: setting('embedAllowRemote', false),
    embedAllowHttp: setting('embedAllowHttp', false),
    embedQueryPrefix: setting('embedQueryPrefix', ''),
    embedDocumentPrefix: setting('embedDocumentPrefix', ''),
    embedDims: setting<number | null>('embedDims', null),
    embedTimeoutMs: setting('embedTimeoutMs', 2000),
    ...agentConfig(setting),
    file,
    fileExists: fromFile !== null,
  };
}

/**
 * Tells whether the configuration file says something else than when it was last asked; for a long-running process, which goes
 * on with what it read at its start (SY-71). A file that cannot be read by now has changed, too.
 */
export function configFileChanges(file: string): () => boolean {
  const look = () => {
    try {
      return readText(file);
    } catch (error) {
      return `${error}`;
    }
  };
  let known = look();
  return () => {
    const before = known;
    known = look();
    return known !== before;
  };
}

/** `$HOME`, or what the system says where that is not set or empty. */
export function homeDirectory(environment: Environment): string {
  if (environment.HOME) return environment.HOME;
  return environment.HOME === undefined ? homedir() : userInfo().homedir;
}

/** A relative path in an XDG variable is to be ignored (XDG Base Directory Specification). */
function absolute(path: string | undefined): string | null {
  return path !== undefined && isAbsolute(path) ? path : null;
}

function pick<T>(
  name: ConfigName,
  layers: { readonly flags: Values; readonly environment: Values; readonly file: Values },
  file: string,
  fallback: T,
): Setting<T> {
  const { flag, variable } = CONFIG_KEYS[name];
  const given = (value: unknown, from: ConfigOrigin, source: string | null) => ({ value: value as T, from, source });
  if (layers.flags[name] !== undefined) return given(layers.flags[name], 'flag', flag);
  if (layers.environment[name] !== undefined) return given(layers.environment[name], 'environment', variable);
  if (layers.file[name] !== undefined) return given(layers.file[name], 'config file', file);
  return given(fallback, 'default', null);
}

function flagValues({ dataDir, project, color }: ConfigFlags): Values {
  if (dataDir !== undefined && dataDir.trim() === '') throw unusable('--data-dir', 'must not be empty', '--data-dir');
  return {
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(project === undefined ? {} : { project }),
    ...(color === false ? { color: 'never' } : {}),
  };
}

async function readConfigFile(file: string): Promise<Values | null> {
  const text = readText(file);
  if (text === null) return null;
  const { parse, TomlError } = await import('smol-toml');
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n', 1)[0];
    throw unusable(`${file}:${error.line}:${error.column}`, `is not TOML: ${reason}`, 'the file', error);
  }
  const values: Values = {};
  for (const [key, value] of flattened(table)) {
    const name = configNames().find((each) => CONFIG_KEYS[each].key === key);
    if (name === undefined) throw unknownKey(file, key);
    values[name] = await validated(name, value, `${file}: ${key}`, key);
  }
  return values;
}

/** Keys of our tables, at any depth, with the table's name before a dot. */
function flattened(table: object, prefix = ''): [string, unknown][] {
  return Object.entries(table).flatMap(([name, value]): [string, unknown][] => {
    const key = `${prefix}${name}`;
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value) && TABLES.has(key);
    return isTable ? flattened(value, `${key}.`) : [[key, value]];
  });
}

/** `agent` and `agent.judge` for `agent.judge.kind`. */
const TABLES: ReadonlySet<string> = new Set(
  Object.values(CONFIG_KEYS).flatMap(({ key }) => {
    const names = key?.split('.').slice(0, -1) ?? [];
    return names.map((_, at) => names.slice(0, at + 1).join('.'));
  }),
);

function readText(file: string): string | null {
  let descriptor: number | null = null;
  try {
    // A FIFO opens at once, instead of waiting for somebody who writes to it.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unusable(file, 'is not a regular file', 'it');
    if (stats.size > MOST_BYTES) throw unusable(file, 'is larger than 1 MiB', 'it');
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof EngramError) throw error;
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unusable(file, `cannot be read: ${code ?? String(error)}`, 'the file', error);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function unknownKey(file: string, key: string): EngramError {
  const keys = configNames().flatMap((name) => CONFIG_KEYS[name].key ?? []);
  const near = nearest(key, keys);
  const hint = near === null ? `Known keys: ${keys.join(', ')}.` : `Did you mean ${near}?`;
  return new EngramError('config.invalid', `${file}: unknown key ${key}`, { hint });
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
