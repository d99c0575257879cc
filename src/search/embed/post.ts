import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { systemErrorCode } from '../../errors.ts';
import type { Endpoint } from './endpoint.ts';

/** What came of one request. */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      /** What the server asks to wait, null where it does not say. */
      readonly retryAfterMs: number | null;
      /** Where it sends us instead; never followed. */
      readonly location: string | null;
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly reason: string };

/** `gone`: the connection broke; `absent`: nobody listens there. */
export type Failure = 'absent' | 'gone' | 'late' | 'too-large' | 'aborted';

export interface PostLimits {
  /** For everything, from connecting to the last byte. */
  readonly timeoutMs: number;
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A connection to one server that is kept between requests and keeps no process alive. */
export interface Connection {
  post(body: string, limits: PostLimits): Promise<Reply>;
}

/**
 * Opens nothing yet. Redirects are not followed and proxies not used. A connection to this machine goes to its loopback
 * interface, whatever a name server says about `localhost`.
 *
 * @param sockets - requests that are on their way at a time; further ones wait
 */
export function openConnection(
  { url, isLoopback }: Endpoint,
  headers: Readonly<Record<string, string>>,
  sockets = 4,
): Connection {
  let agent: Agent | null = null;
  return {
    async post(body, { timeoutMs, mostBytes, signal }) {
      const started = performance.now();
      const { request, Agent } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
      agent ??= new Agent({ keepAlive: true, maxSockets: sockets });
      const options: RequestOptions = {
        method: 'POST',
        agent,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: 'application/json',
          'accept-encoding': 'identity',
        },
        ...(isLoopback ? { lookup: loopbackOnly } : {}),
      };
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve(failed('aborted', 'it was broken off'));
        const call = request(url, options);
        let ended = false;
        const end = (reply: Reply) => {
          if (ended) return;
          ended = true;
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          resolve(reply);
          if (reply.kind === 'failed') call.destroy();
        };
        const left = Math.max(0, timeoutMs - (performance.now() - started));
        const timer = setTimeout(() => end(failed('late', `no answer within ${timeoutMs} ms`)), left);
        const abort = () => end(failed('aborted', 'it was broken off'));
        signal?.addEventListener('abort', abort);
        call.on('error', (error) => end(connectionFailure(error)));
        call.on('response', (response) => collect(response, mostBytes, end));
        call.end(body);
      });
    },
  };
}

function collect(response: IncomingMessage, mostBytes: number, end: (reply: Reply) => void): void {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= mostBytes) return;
    chunks.length = 0;
    end(failed('too-large', `its answer has more than ${mostBytes} bytes`));
  });
  response.on('error', (error) => end(connectionFailure(error)));
  response.on('close', () => end(failed('gone', 'it closed the connection in the middle of its answer')));
  response.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8');
    const retryAfterMs = retryAfter(headers['retry-after']);
    end({ kind: 'answer', status: statusCode, body, retryAfterMs, location: headers.location ?? null });
  });
}

/** Seconds, or a date (RFC 9110). */
function retryAfter(value: string | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

const ABSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the name is unknown',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
};

function connectionFailure(error: unknown): Reply {
  const code = systemErrorCode(error) ?? 'unknown error';
  const absent = ABSENT[code];
  return absent === undefined ? failed('gone', `the connection failed (${code})`) : failed('absent', absent);
}

function failed(failure: Failure, reason: string): Reply {
  return { kind: 'failed', failure, reason };
}

const loopbackOnly: LookupFunction = (_host, { all }, callback) => {
  if (all) callback(null, LOOPBACK);
  else callback(null, '127.0.0.1', 4);
};

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
