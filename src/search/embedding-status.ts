import { countEmbeddings, type EmbeddingCounts, listFailedEmbeddings } from '../store/embeddings.ts';
import type { Transactable } from '../store/transaction.ts';
import { activeSpace } from '../store/vector-spaces.ts';
import { type ConfiguredIdentity, type EmbedderSource, isOf } from './embedder-source.ts';
import { isModelError } from './search.ts';

/** How far the memories have their vectors, and of which model. */
export interface EmbeddingStatus extends EmbeddingCounts {
  readonly model: ConfiguredIdentity;
  /** Vectors are wanted; false for the provider `none`, of which nothing is missing. */
  readonly isOn: boolean;
  /** The vectors in the database are of this model; else they are dropped when it embeds the first time. */
  readonly isActive: boolean;
  /** The model whose vectors are there. */
  readonly activeModel: string | null;
  /** The first of those that failed, by name. */
  readonly failures: readonly {
    readonly name: string;
    readonly error: string;
    /** How often it was tried. */
    readonly tries: number;
    /** When it may be tried again; null: once its text or the model changes (SE-24). */
    readonly retryAt: string | null;
  }[];
  /** Why meaning is missing or incomplete: a code of SE-49, a colon, and the way out. */
  readonly degraded: readonly string[];
}

const MOST_FAILURES = 20;
const NONE_WANTED: EmbeddingCounts = { ready: 0, unreadable: 0, failed: 0, missing: 0 };

/** Counts, and looks whether the model answers; changes nothing. */
export async function embeddingStatus({ db }: Transactable, source: EmbedderSource): Promise<EmbeddingStatus> {
  const active = activeSpace(db);
  const isOn = source.identity.provider !== 'none';
  const isActive = active !== null && isOf(active, source.identity);
  const space = isActive ? active.space : '';
  const counts = isOn ? countEmbeddings(db, space) : NONE_WANTED;
  const problem = await modelProblem(db, source);
  return {
    model: isActive ? { ...source.identity, dims: active.dims } : source.identity,
    isOn,
    isActive,
    activeModel: active?.model ?? null,
    ...counts,
    failures: (counts.failed === 0 ? [] : listFailedEmbeddings(db, space, MOST_FAILURES)).map(
      ({ name, error, failures, retryMs }) => ({
        name,
        error,
        tries: failures,
        retryAt: retryMs === null ? null : new Date(retryMs).toISOString(),
      }),
    ),
    degraded: [
      ...(problem === null ? [] : [`no_model: ${problem}`]),
      ...(active === null || isActive || !isOn ? [] : [changed(active.model, source.identity.model)]),
      ...(counts.missing + counts.failed === 0 ? [] : [partial(counts, problem === null)]),
    ],
  };
}

async function modelProblem(db: Transactable['db'], source: EmbedderSource): Promise<string | null> {
  try {
    await source.check(db);
    return null;
  } catch (error) {
    if (isModelError(error)) return `${error.message}. ${error.hint ?? ''}`.trim();
    throw error;
  }
}

function changed(old: string, model: string): string {
  return `model_changed: the vectors are of ${old}, not of ${model}; until engram embed apply words answer alone`;
}

function partial({ ready, missing, failed }: EmbeddingCounts, canEmbed: boolean): string {
  const when = canEmbed ? 'engram embed apply' : 'once the model answers, engram embed apply';
  return `vectors_partial: ${ready} of ${ready + missing + failed} memories have their vector; ${when} adds the others`;
}
