/** A thread that embeds what it is sent (`bulk.ts`). The build bundles it as a program of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { EngramError } from '../../errors.ts';
import type { EmbeddingJob, EmbeddingReply } from './bulk.ts';
import { embedTokenised, tokenise } from './embed-texts.ts';
import { loadEncoder } from './encoder.ts';
import { damaged, readModelFile, verifyModel } from './model-files.ts';
import { readVocabulary } from './vocabulary.ts';

const model = load(workerData.directory);
// Jobs answer with what went wrong.
model.catch(() => undefined);

parentPort?.on('message', async (job: EmbeddingJob) => {
  const reply = await answer(job);
  const buffers =
    'embeddings' in reply
      ? reply.embeddings.flatMap(({ vector, lower, tokens }) => [
          vector.buffer,
          ...(lower === undefined ? [] : [lower.buffer]),
          ...(tokens === null ? [] : [tokens.ids.buffer, tokens.packed.buffer]),
        ])
      : [];
  parentPort?.postMessage(reply, buffers);
});

async function load(directory: string) {
  verifyModel(directory);
  const vocabulary = readVocabulary(readModelFile(directory, 'vocabulary'));
  return { vocabulary, encoder: await loadEncoder({ directory, wholeTable: true }) };
}

async function answer({ texts, kind }: EmbeddingJob): Promise<EmbeddingReply> {
  try {
    const { vocabulary, encoder } = await model;
    return { embeddings: embedTokenised(tokenise(texts, vocabulary), kind, encoder, vocabulary) };
  } catch (error) {
    const { code, message, hint } = error instanceof EngramError ? error : damaged('the built-in model', String(error));
    return { error: { code: code === 'model.missing' ? code : 'model.damaged', message, hint: hint ?? '' } };
  }
}
