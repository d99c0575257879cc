import type { Config } from '../config.ts';
import type { ConfigChanges } from '../config-edit.ts';
import type { ConfigName } from '../config-keys.ts';
import { type ConfigValue, validated } from '../config-values.ts';
import { EngramError } from '../errors.ts';
import type { EmbeddingSettings } from '../search/embedder-source.ts';
import { embeddingSettings } from './embedding-settings.ts';
import { parseWhole } from './given-options.ts';

/** What `embed use` was given; a switch that was not given is absent. */
export interface EmbedUseOptions {
  readonly url?: string;
  readonly model?: string;
  readonly apiKeyEnv?: string;
  readonly allowRemote?: boolean;
  readonly allowHttp?: boolean;
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  readonly dims?: string;
  readonly timeoutMs?: string;
}

export interface SettingsToUse {
  readonly settings: EmbeddingSettings;
  /** What config.toml has to say for them. */
  readonly changes: ConfigChanges;
}

/**
 * The settings that a call of `embed use` asks for. What config.toml or a variable says goes on to hold, but another address
 * needs its permissions and key anew, and another model its prefixes and its number of values.
 *
 * @throws EngramError `usage`, `config.invalid`
 */
export async function settingsToUse(
  provider: string,
  options: EmbedUseOptions,
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SettingsToUse> {
  if (provider === 'built-in' || provider === 'none') {
    if (Object.keys(options).length > 0) throw usage(`${provider} takes no options`);
    return { settings: { provider }, changes: { embedProvider: provider } };
  }
  if (provider !== 'openai') throw usage(`there is no provider ${provider}; there are built-in, openai and none`);
  const changes: ConfigChanges = { embedProvider: provider, ...(await changesOf(options, config)) };
  const names = Object.keys(changes) as ConfigName[];
  const overlaid = Object.fromEntries(names.map((name) => [name, { value: changes[name] ?? DEFAULTS[name] ?? null }]));
  return { settings: embeddingSettings({ ...config, ...overlaid }, environment), changes };
}

/** Values of settings that were taken out of the file. */
const DEFAULTS: Partial<Record<ConfigName, ConfigValue>> = {
  embedAllowRemote: false,
  embedAllowHttp: false,
  embedQueryPrefix: '',
  embedDocumentPrefix: '',
};

async function changesOf(options: EmbedUseOptions, config: Config): Promise<ConfigChanges> {
  const { url, model, apiKeyEnv, allowRemote, allowHttp, queryPrefix, documentPrefix } = options;
  const given: ConfigChanges = {};
  const set = async (name: ConfigName, option: string, value: ConfigValue | null | undefined) => {
    if (value !== undefined && value !== null) given[name] = await validated(name, value, option, option);
  };
  await set('embedUrl', '--url', url);
  await set('embedModel', '--model', model);
  await set('embedApiKeyEnv', '--api-key-env', apiKeyEnv);
  await set('embedAllowRemote', '--allow-remote', allowRemote);
  await set('embedAllowHttp', '--allow-http', allowHttp);
  await set('embedQueryPrefix', '--query-prefix', queryPrefix);
  await set('embedDocumentPrefix', '--document-prefix', documentPrefix);
  await set('embedDims', '--dims', parseWhole('--dims', options.dims, 8, 16_384));
  await set('embedTimeoutMs', '--timeout-ms', parseWhole('--timeout-ms', options.timeoutMs, 50, 60_000));
  const isOtherPlace = url !== undefined && url !== config.embedUrl.value;
  const isOtherModel = model !== undefined && model !== config.embedModel.value;
  return { ...(isOtherPlace ? PLACE_ANEW : {}), ...(isOtherModel ? await modelAnew(model) : {}), ...given };
}

const PLACE_ANEW: ConfigChanges = { embedApiKeyEnv: null, embedAllowRemote: null, embedAllowHttp: null };

async function modelAnew(model: string): Promise<ConfigChanges> {
  const { knownPrefixes } = await import('../search/embed/known-prefixes.ts');
  const { query, document } = knownPrefixes(model);
  return { embedQueryPrefix: query || null, embedDocumentPrefix: document || null, embedDims: null };
}

function usage(message: string): EngramError {
  return new EngramError('usage', `embed use: ${message}`, { hint: 'Run: engram embed use --help' });
}
