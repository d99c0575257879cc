import type { Config } from '../config.ts';
import { EngramError } from '../errors.ts';
import type { EmbeddingSettings } from '../search/embedder-source.ts';

/**
 * Who embeds, as the settings in force say.
 *
 * @throws EngramError `config.invalid` for a server without address or model
 */
export function embeddingSettings(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): EmbeddingSettings {
  const provider = config.embedProvider.value;
  if (provider !== 'openai') return { provider };
  return {
    provider,
    environment,
    url: given('embed.url', config.embedUrl.value),
    model: given('embed.model', config.embedModel.value),
    apiKeyEnv: config.embedApiKeyEnv.value,
    allowRemote: config.embedAllowRemote.value,
    allowHttp: config.embedAllowHttp.value,
    queryPrefix: config.embedQueryPrefix.value,
    documentPrefix: config.embedDocumentPrefix.value,
    dims: config.embedDims.value,
    timeoutMs: config.embedTimeoutMs.value,
  };
}

function given(key: string, value: string | null): string {
  if (value !== null) return value;
  throw new EngramError('config.invalid', `${key} is missing, which the provider openai needs`, {
    hint: 'Run: engram embed use openai --url URL --model NAME; or: engram embed use built-in',
  });
}
