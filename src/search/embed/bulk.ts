import { Worker } from 'node:worker_threads';
import { EngramError } from '../../errors.ts';
import { BUILT_IN_IDENTITY } from './built-in.ts';
import type { Embedder, Embedding, TextKind } from './embedder.ts';
import { CAPACITY } from './encoder.ts';
import { damaged, MODEL_DIRECTORY, packagePath } from './model-files.ts';

/** An embedder for many texts. Its threads keep the process alive until it is closed. */
export interface BulkEmbedder extends Embedder {
  /** Ends the threads at once; what they have not answered is rejected. */
  close(): Promise<void>;
}

/** What goes to a worker, and what comes back. */
export interface EmbeddingJob {
  readonly texts: readonly string[];
  readonly kind: TextKind;
}
export type EmbeddingReply =
  | { readonly embeddings: Embedding[] }
  | {
      readonly error: {
        readonly code: 'model.missing' | 'model.damaged';
        readonly message: string;
        readonly hint: string;
      };
    };

/** Texts of one job: small enough that workers end together, large enough to fill a pass. */
const JOB_TEXTS = 8;
/** Jobs that a worker has at a time, so that it need not wait for the next one. */
const JOBS_AHEAD = 2;

/**
 * Opens the built-in model on worker threads; the caller's thread stays free. Gives the same bytes as `openBuiltIn`. The
 * model's files are verified as a whole first.
 *
 * @param workerCount - threads, each of which loads the model, 26 MB
 * @param directory - where the model lies, for tests
 */
export function openBulk(workerCount: number, directory: string = MODEL_DIRECTORY): BulkEmbedder {
  const lanes = Array.from({ length: workerCount }, () => openLane(directory));
  return {
    identity: BUILT_IN_IDENTITY,
    window: CAPACITY,
    async embed(texts, kind) {
      const starts = Array.from({ length: Math.ceil(texts.length / JOB_TEXTS) }, (_, job) => job * JOB_TEXTS);
      const results: Embedding[] = new Array(texts.length);
      const work = async (lane: Lane) => {
        for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
          const done = await lane.run({ texts: texts.slice(start, start + JOB_TEXTS), kind });
          for (const [at, embedding] of done.entries()) results[start + at] = embedding;
        }
      };
      await Promise.all(Array.from({ length: JOBS_AHEAD }, () => lanes.map(work)).flat());
      return results;
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** One worker. Jobs wait for each other in its queue. */
interface Lane {
  run(job: EmbeddingJob): Promise<Embedding[]>;
  close(): Promise<void>;
}

function openLane(directory: string): Lane {
  const program = packagePath('dist/embed-worker.cjs');
  const worker = new Worker(program, { workerData: { directory }, execArgv: [] });
  const waiting: { resolve(embeddings: Embedding[]): void; reject(error: unknown): void }[] = [];
  let ended: unknown = null;
  const end = (error: unknown) => {
    ended ??= error;
    for (const each of waiting.splice(0)) each.reject(ended);
  };
  worker.on('message', (reply: EmbeddingReply) => {
    const first = waiting.shift();
    if ('embeddings' in reply) first?.resolve(reply.embeddings);
    else first?.reject(new EngramError(reply.error.code, reply.error.message, { hint: reply.error.hint }));
  });
  worker.on('error', (error) => end(damaged('the embedding worker', String(error), error)));
  worker.on('exit', () => end(damaged('the embedding worker', 'it has ended')));
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        if (ended !== null) return reject(ended);
        waiting.push({ resolve, reject });
        worker.postMessage(job);
      }),
    async close() {
      await worker.terminate();
    },
  };
}
