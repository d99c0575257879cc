import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that the server was sent. */
export interface EmbeddingRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}

export interface EmbeddingServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly requests: readonly EmbeddingRequest[];
  /** Texts of all requests so far. */
  readonly texts: readonly string[];
  /** Resolves at the next request. */
  requested(): Promise<void>;
}

export type Answerer = (request: EmbeddingRequest, response: ServerResponse, count: number) => void;

/** A real server on the loopback interface; `answer` gets the number of the request, from 1 on. */
export async function embeddingServer(answer: Answerer = answerWell): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  let waiting: (() => void)[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    requests.push(request);
    for (const wake of waiting) wake();
    waiting = [];
    answer(request, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get texts() {
      return requests.flatMap(({ body }) => body.input);
    },
    requested: () => new Promise((resolve) => waiting.push(resolve)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As a real server answers: unit vectors of `dimensions` values, or 8, that depend on the text. */
export const answerWell: Answerer = ({ body }, response) =>
  sendVectors(
    response,
    body.input.map((text) => vectorOf(text, body.dimensions ?? 8)),
  );

export function sendVectors(response: ServerResponse, vectors: readonly unknown[]): void {
  sendJson(response, 200, {
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  });
}

export function sendJson(response: ServerResponse, status: number, value: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Near for texts with common words. */
export function vectorOf(text: string, dims: number): number[] {
  const vector: number[] = new Array(dims).fill(0.01);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    let hash = 7;
    for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
    vector[hash % dims] = (vector[hash % dims] ?? 0) + 1;
  }
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

async function read(incoming: IncomingMessage): Promise<EmbeddingRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return {
    path: incoming.url ?? '',
    authorization: incoming.headers.authorization,
    body: text === '' ? { model: '', input: [] } : JSON.parse(text),
  };
}
