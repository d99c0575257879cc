import { EngramError } from '../../errors.ts';
import { apiKey, withoutKey } from '../../search/embed/api-key.ts';
import { type Endpoint, isLoopbackHost } from '../../search/embed/endpoint.ts';
import { parseErrorMessage } from '../../search/embed/parse-vectors.ts';
import { openConnection, type Reply } from '../../search/embed/post.ts';
import type { Asked, JudgeModel, Question } from './judge-model.ts';

/** A server that speaks `/chat/completions` (AG-24). */
export interface ChatSettings {
  readonly baseUrl: string;
  readonly model: string;
  /** Name of the variable that holds the key; null where the server wants none. */
  readonly apiKeyEnv: string | null;
  readonly allowRemote: boolean;
  /** Where the key is looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** More than a verdict: some models say what they think first. */
const MOST_BYTES = 1 << 20;
/** Calls at once (AG-25). */
const SOCKETS = 8;

/**
 * Opens nothing yet. Instructions and document are two messages, so that no text of the document is an instruction (AG-52).
 *
 * @throws EngramError `config.invalid` for another machine that is not allowed, `model.refused` for a key that is not set
 */
export function openChatModel(settings: ChatSettings): JudgeModel {
  const endpoint = chatEndpoint(settings);
  const key = apiKey(settings.apiKeyEnv, settings.environment, 'agent.judge.api_key_env');
  const connection = openConnection(endpoint, key === null ? {} : { authorization: `Bearer ${key}` }, SOCKETS);
  let format = 0;
  return {
    kind: 'openai',
    async ask(question, { timeoutMs, signal }) {
      const untilMs = performance.now() + timeoutMs;
      for (;;) {
        const [tried, leftMs] = [format, Math.max(1, Math.round(untilMs - performance.now()))];
        const body = bodyOf(question, settings.model, FORMATS[tried] ?? {});
        const reply = await connection.post(body, { timeoutMs: leftMs, mostBytes: MOST_BYTES, signal });
        if (!refusesFormat(reply) || tried >= FORMATS.length - 1) return outcome(reply, endpoint, key);
        // Another question may have found that out at the same time.
        format = Math.max(format, tried + 1);
      }
    },
  };
}

/** Servers that know no `json_object` say so; with `text` the instructions alone ask for JSON. */
const FORMATS = [{ response_format: { type: 'json_object' } }, { response_format: { type: 'text' } }, {}] as const;

function bodyOf({ instructions, document }: Question, model: string, format: object): string {
  const messages = [
    { role: 'system', content: instructions },
    { role: 'user', content: quoted(document) },
  ];
  return JSON.stringify({ model, messages, temperature: 0, stream: false, ...format });
}

/** JSON in which no marks of a chat template stand, `<|im_end|>` for one: some servers read them in the texts of messages, too. */
function quoted(document: Question['document']): string {
  return JSON.stringify(document)
    .replace(/<(?=[|/a-zA-Z\uFF5C])/g, '\\u003c')
    .replace(/\[(?=\/?INST\])/g, '\\u005b');
}

function refusesFormat(reply: Reply): boolean {
  if (reply.kind === 'failed' || (reply.status !== 400 && reply.status !== 422)) return false;
  return /response_format/.test(reply.body.slice(0, 10_000));
}

function outcome(reply: Reply, endpoint: Endpoint, key: string | null): Asked {
  if (reply.kind === 'failed') return { kind: reply.failure === 'late' ? 'late' : 'failed', reason: reply.reason };
  if (reply.status >= 300 && reply.status < 400) {
    return { kind: 'failed', reason: `${endpoint.url.host} redirects, which is not followed` };
  }
  if (reply.status !== 200) {
    const said = parseErrorMessage(reply.body);
    const detail = said === null ? {} : { detail: withoutKey(said, key) };
    return { kind: 'failed', reason: `${endpoint.url.host} answered ${reply.status}`, ...detail };
  }
  const text = contentOf(reply.body);
  return text === null ? { kind: 'failed', reason: 'its answer is no chat completion' } : { kind: 'answer', text };
}

function contentOf(body: string): string | null {
  try {
    const { choices } = JSON.parse(body) as { choices?: { message?: { content?: unknown } }[] };
    const content = choices?.[0]?.message?.content;
    return typeof content === 'string' ? content : null;
  } catch {
    return null;
  }
}

function chatEndpoint({ baseUrl, allowRemote }: ChatSettings): Endpoint {
  const url = new URL(baseUrl);
  url.hash = '';
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
  const isLoopback = isLoopbackHost(url.hostname);
  if (isLoopback || allowRemote) return { url, isLoopback };
  throw new EngramError('config.invalid', `agent.judge.base_url: ${url.host} is not this machine`, {
    hint: 'To send intents, memories and messages there, set agent.judge.allow_remote = true.',
  });
}

const PATH = '/chat/completions';
