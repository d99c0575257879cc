import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
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

export interface Config {
  /** Absolute path of the data root. */
  readonly dataDir: Setting<string>;
  /** Project named by flag or environment; null = found from the working directory (product.md section 6). */
  readonly project: Setting<string | null>;
  readonly color: Setting<ColorChoice>;
  /** Hits of `engram query`, 1 to 100. */
  readonly queryLimit: Setting<number>;
  /** Size of what `engram context` prints, in bytes. */
  readonly contextBytes: Setting<number>;
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

export interface ConfigKey {
  /** Key of config.toml; null = cannot be set there. */
  readonly key: string | null;
  readonly variable: string;
  readonly flag: string | null;
  readonly meaning: string;
}

/** Every setting, in the order people see them; the documentation of the keys is made from this. */
export const CONFIG_KEYS = {
  dataDir: {
    key: 'data_dir',
    variable: 'ENGRAM_DATA_DIR',
    flag: '--data-dir',
    meaning: 'where memories and database live',
  },
  project: {
    key: null,
    variable: 'ENGRAM_PROJECT',
    flag: '--project',
    meaning: 'the project, instead of finding it from git',
  },
  color: { key: 'color', variable: 'ENGRAM_COLOR', flag: '--no-color', meaning: 'auto, always or never' },
  queryLimit: {
    key: 'query_limit',
    variable: 'ENGRAM_QUERY_LIMIT',
    flag: null,
    meaning: 'hits of engram query, 1 to 100',
  },
  contextBytes: {
    key: 'context_bytes',
    variable: 'ENGRAM_CONTEXT_BYTES',
    flag: null,
    meaning: 'size of what engram context prints, 500 to 100000 bytes',
  },
} as const satisfies Record<string, ConfigKey>;

export type ConfigName = keyof typeof CONFIG_KEYS;
const MOST_BYTES = 1 << 20;
type Environment = Readonly<Record<string, string | undefined>>;

/** What one place sets, already usable; a key that it does not set is absent. */
type Values = Partial<Record<ConfigName, string | number>>;

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
    queryLimit: setting('queryLimit', 10),
    contextBytes: setting('contextBytes', 4000),
    file,
    fileExists: fromFile !== null,
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

/** Variables that look like ours and are not, with the nearest that is: a typing error must not go unseen. */
export function unknownVariables(environment: Environment): { name: string; suggestion: string | null }[] {
  const known = Object.values(CONFIG_KEYS).map(({ variable }) => variable);
  return Object.keys(environment)
    .filter((name) => name.startsWith('ENGRAM_') && !known.some((variable) => variable === name))
    .map((name) => ({ name, suggestion: nearest(name, known) }));
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

/** The two variables that agents set on every call are taken as they are, without loading the validation. */
async function readEnvironment(environment: Environment): Promise<Values> {
  const { ENGRAM_DATA_DIR: dataDir, ENGRAM_PROJECT: project } = environment;
  const values: Values = { ...(dataDir ? { dataDir } : {}), ...(project === undefined ? {} : { project }) };
  for (const name of ['color', 'queryLimit', 'contextBytes'] as const) {
    const { variable } = CONFIG_KEYS[name];
    const text = environment[variable];
    if (text)
      values[name] = await validated(name, /^-?\d+$/.test(text) ? Number(text) : text, variable, `$${variable}`);
  }
  // NO_COLOR is everybody's (no-color.org); ours is more exact.
  if (environment.NO_COLOR && values.color === undefined) values.color = 'never';
  return values;
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
  for (const [key, value] of Object.entries(table)) {
    const name = configNames().find((each) => CONFIG_KEYS[each].key === key);
    if (name === undefined) throw unknownKey(file, key);
    values[name] = await validated(name, value, `${file}: ${key}`, key);
  }
  return values;
}

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

/** @param repair - what a person has to correct */
async function validated(name: ConfigName, value: unknown, subject: string, repair: string): Promise<string | number> {
  const { z } = await import('zod');
  const path = 'must be an absolute path or begin with ~/';
  const schemas = {
    dataDir: z.string(path).refine((text) => isAbsolute(text) || text.startsWith('~/'), path),
    project: z.string(),
    color: z.enum(['auto', 'always', 'never'], 'must be auto, always or never'),
    queryLimit: wholeNumber(1, 100),
    contextBytes: wholeNumber(500, 100_000),
  } satisfies Record<ConfigName, unknown>;
  const result = schemas[name].safeParse(value);
  if (result.success) return result.data;
  throw unusable(subject, result.error.issues[0]?.message ?? 'cannot be used', repair);

  function wholeNumber(from: number, to: number) {
    const message = `must be a whole number from ${from} to ${to}`;
    return z.int(message).min(from, message).max(to, message);
  }
}

function unknownKey(file: string, key: string): EngramError {
  const keys = configNames().flatMap((name) => CONFIG_KEYS[name].key ?? []);
  const near = nearest(key, keys);
  const hint = near === null ? `Known keys: ${keys.join(', ')}.` : `Did you mean ${near}?`;
  return new EngramError('config.invalid', `${file}: unknown key ${key}`, { hint });
}

function unusable(subject: string, reason: string, repair: string, cause?: unknown): EngramError {
  return new EngramError('config.invalid', `${subject} ${reason}`, { hint: `Correct or remove ${repair}.`, cause });
}

function configNames(): ConfigName[] {
  return Object.keys(CONFIG_KEYS) as ConfigName[];
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
