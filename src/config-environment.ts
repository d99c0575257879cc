import { CONFIG_KEYS, type ConfigName, configNames } from './config-keys.ts';
import { type ConfigValue, environmentList, environmentValue, validated } from './config-values.ts';
import { nearest } from './suggest.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What one place sets, already usable; a key that it does not set is absent. */
export type Values = Partial<Record<ConfigName, ConfigValue>>;

/** The variables that agents set on every call are taken as they are, without loading the validation. */
export async function readEnvironment(environment: Environment): Promise<Values> {
  const { ENGRAM_DATA_DIR: dataDir, ENGRAM_PROJECT: project } = environment;
  const { ENGRAM_CHAT_FILE: chatFile, ENGRAM_CHAT_NAME: chatName } = environment;
  const values: Values = {
    ...(dataDir ? { dataDir } : {}),
    ...(project === undefined ? {} : { project }),
    ...(chatFile ? { chatFile } : {}),
    ...(chatName ? { chatName } : {}),
  };
  for (const name of configNames()) {
    const { variable } = CONFIG_KEYS[name];
    const text = environment[variable];
    if (text && !AS_GIVEN.has(name))
      values[name] = await validated(
        name,
        LISTS.has(name) ? environmentList(text) : AS_WRITTEN.has(name) ? text : environmentValue(text),
        variable,
        `$${variable}`,
      );
  }
  // NO_COLOR is everybody's (no-color.org); ours is more exact.
  if (environment.NO_COLOR && values.color === undefined) values.color = 'never';
  return values;
}

/** Variables that look like ours and are not, with the nearest that is: a typing error must not go unseen. */
export function unknownVariables(environment: Environment): { name: string; suggestion: string | null }[] {
  const known = Object.values(CONFIG_KEYS).map(({ variable }) => variable);
  return Object.keys(environment)
    .filter((name) => name.startsWith('ENGRAM_') && !known.some((variable) => variable === name))
    .map((name) => ({ name, suggestion: nearest(name, known) }));
}

const AS_GIVEN: ReadonlySet<ConfigName> = new Set(['dataDir', 'project', 'chatFile', 'chatName']);

/** Texts that may look like a number. */
const AS_WRITTEN: ReadonlySet<ConfigName> = new Set([
  'embedModel',
  'embedQueryPrefix',
  'embedDocumentPrefix',
  'judgeModel',
]);

const LISTS: ReadonlySet<ConfigName> = new Set(['judgeCommand', 'judgeEnv']);
