import { EngramError } from '../../errors.ts';

/** Where texts are sent. */
export interface Endpoint {
  readonly url: URL;
  /** The connection never leaves this machine. */
  readonly isLoopback: boolean;
}

/**
 * The address of a server's embeddings, from what the configuration says: the server, its `/v1`, or the whole address.
 * It ends in `/embeddings`. Another machine has to be allowed, and so has sending texts there without encryption (SE-20).
 *
 * @throws EngramError `config.invalid`
 */
export function endpoint(
  address: string,
  { allowRemote, allowHttp }: { readonly allowRemote: boolean; readonly allowHttp: boolean },
): Endpoint {
  const url = new URL(address);
  url.hash = '';
  url.pathname = embeddingsPath(url.pathname.replace(/\/+$/, ''));
  const isLoopback = isLoopbackHost(url.hostname);
  if (!isLoopback && !allowRemote) {
    throw new EngramError('config.invalid', `embed.url: ${url.host} is not this machine`, {
      hint: 'To send the texts of memories there, set embed.allow_remote = true, or: engram embed use openai --allow-remote',
    });
  }
  if (!isLoopback && url.protocol === 'http:' && !allowHttp) {
    throw new EngramError('config.invalid', `embed.url: ${url.host} would get the texts of memories unencrypted`, {
      hint: 'Use https, or set embed.allow_http = true where the network is yours.',
    });
  }
  return { url, isLoopback };
}

/** Whether a host of a URL is this machine by its name alone, whatever a name server says. */
export function isLoopbackHost(hostname: string): boolean {
  // `URL` has already brought 127.1, 0x7f000001 and the like into this form.
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(hostname);
}

function embeddingsPath(path: string): string {
  if (path.endsWith('/embeddings')) return path;
  return /\/v\d+$/.test(path) ? `${path}/embeddings` : `${path}/v1/embeddings`;
}
