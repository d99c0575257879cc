import { setTimeout as pause } from 'node:timers/promises';
import { EngramError, type ErrorCode } from '../../errors.ts';
import { visible } from '../../text/visible.ts';
import { withoutKey } from './api-key.ts';
import type { Endpoint } from './endpoint.ts';
import { parseErrorMessage, parseVectors } from './parse-vectors.ts';
import { openConnection, type Reply } from './post.ts';

/** The server that is asked, and how patiently. */
export interface ServerOptions {
  readonly endpoint: Endpoint;
  readonly model: string;
  /** Ask for so many values; null for the model's own number. */
  readonly dims: number | null;
  /** Sent to the server and nowhere else. */
  readonly apiKey: string | null;
  /** First pause before trying again; each further one is twice as long. */
  readonly pauseMs: number;
}

export interface Patience {
  /** For one request. */
  readonly requestMs: number;
  /** Nothing is begun that would end after this time of `performance.now()`. */
  readonly untilMs: number;
  /** Requests at most. */
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
}

/** Vectors as they came, one a text; or what went wrong, and whether it may be because of one of the texts. */
export type Vectors =
  | { readonly kind: 'vectors'; readonly vectors: Float32Array<ArrayBuffer>[] }
  | { readonly kind: 'error'; readonly error: EngramError; readonly mayBeText: boolean };

export interface Server {
  /** Sends texts once, and again where that may help: at 429, at 5xx, and after a broken connection. Does not throw. */
  ask(texts: readonly string[], patience: Patience): Promise<Vectors>;
}

/** A longer pause than this is not waited for, whatever `Retry-After` asks. */
const LONGEST_PAUSE_MS = 60_000;
const MOST_AT_500 = 3;
/** An answer may hold so much for each text: 16,384 values as decimals. */
const MOST_BYTES_PER_TEXT = 400_000;

/** Opens nothing yet. */
export function openServer(options: ServerOptions): Server {
  const { endpoint, model, dims, apiKey, pauseMs } = options;
  const connection = openConnection(endpoint, apiKey === null ? {} : { authorization: `Bearer ${apiKey}` });
  return {
    async ask(texts, { requestMs, untilMs, attempts, signal }) {
      const body = JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(dims === null ? {} : { dimensions: dims }),
      });
      const mostBytes = 65_536 + texts.length * MOST_BYTES_PER_TEXT;
      for (let attempt = 1; ; attempt++) {
        const timeoutMs = Math.max(1, Math.round(Math.min(requestMs, untilMs - performance.now())));
        const reply = await connection.post(body, { timeoutMs, mostBytes, signal });
        const outcome = outcomeOf(reply, texts.length, options);
        if (outcome.kind === 'vectors' || attempt >= attempts) return outcome;
        const waitMs = pauseBefore(reply, attempt, pauseMs * 2 ** (attempt - 1));
        if (waitMs === null || performance.now() + waitMs >= untilMs) return outcome;
        await pause(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
      }
    },
  };
}

/** Null where trying again does not help, or would have to wait for too long. */
function pauseBefore(reply: Reply, attempt: number, growingMs: number): number | null {
  if (reply.kind === 'failed') return reply.failure === 'gone' ? growingMs : null;
  if (!isTransient(reply.status)) return null;
  // A server that trips over a text says this too, and does so each time.
  if (reply.status === 500 && attempt >= MOST_AT_500) return null;
  // Several processes that were turned away together do not come back together.
  const waitMs = Math.max(reply.retryAfterMs ?? 0, growingMs) * (1 + Math.random() / 4);
  return waitMs > LONGEST_PAUSE_MS * 1.25 ? null : waitMs;
}

function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

function outcomeOf(reply: Reply, count: number, options: ServerOptions): Vectors {
  const { endpoint } = options;
  if (reply.kind === 'failed') {
    const hint = reply.failure === 'absent' && endpoint.isLoopback ? `Start the server. ${OTHERWISE}` : OTHERWISE;
    const code = reply.failure === 'too-large' ? 'model.answer' : 'model.unreachable';
    return failure(code, `${place(endpoint)}: ${reply.reason}`, hint);
  }
  if (reply.status === 200) {
    const vectors = parseVectors(reply.body, count);
    if (typeof vectors !== 'string') return { kind: 'vectors', vectors };
    return failure('model.answer', `${place(endpoint)} gave no usable answer: ${vectors}`, OTHERWISE, true);
  }
  return refusal(reply, options);
}

function refusal(reply: Reply & { kind: 'answer' }, { endpoint, model, apiKey }: ServerOptions): Vectors {
  const { status, location } = reply;
  const said = sayable(parseErrorMessage(reply.body), apiKey);
  const subject = `${place(endpoint)} answered ${status}${said}`;
  if (status >= 300 && status < 400) {
    const to = location === null ? '' : ` to ${withoutKey(location, apiKey)}`;
    return failure(
      'model.refused',
      `${place(endpoint)} redirects${to}, which is not followed`,
      'Set embed.url to the final address.',
    );
  }
  if (status === 401 || status === 403) return failure('model.refused', subject, KEY_HINT);
  if (status === 404)
    return failure('model.refused', subject, `Does it have a model called ${visible(model)}? ${OTHERWISE}`);
  if (isTransient(status)) return failure('model.unreachable', subject, OTHERWISE, status >= 500);
  return failure('model.refused', subject, OTHERWISE, true);
}

const OTHERWISE = 'Meanwhile memories are found by their words. Another provider: engram embed use built-in';
const KEY_HINT =
  'Put the key into an environment variable and name that: engram embed use openai ... --api-key-env NAME';

/** Origin and path, without what an address may carry behind a `?`. */
function place({ url }: Endpoint): string {
  return `${url.origin}${url.pathname}`;
}

function sayable(message: string | null, apiKey: string | null): string {
  return message === null ? '' : `: ${withoutKey(message, apiKey)}`;
}

function failure(code: ErrorCode, message: string, hint: string, mayBeText = false): Vectors {
  return { kind: 'error', error: new EngramError(code, message, { hint }), mayBeText };
}
