import type { Engram } from '../engram.ts';
import { EngramError } from '../errors.ts';
import type { FillOptions } from '../search/fill-embeddings.ts';
import { visible } from '../text/visible.ts';
import type { CommandContext } from './context.ts';

/**
 * Embeds what is missing, with a line on a terminal; may be interrupted and goes on at the next call (SE-25).
 *
 * @throws EngramError `model.*`
 */
export async function embedWithProgress(engram: Engram, context: CommandContext, options: FillOptions = {}) {
  using progress = await context.progress('making vectors');
  const report = await engram.embed({ ...options, onProgress: progress.show });
  progress.end();
  return report;
}

/** The same beside other work: that there is no usable model is said, unless nobody wants one, and no reason to fail. */
export async function embedBeside(engram: Engram, context: CommandContext): Promise<void> {
  try {
    await embedWithProgress(engram, context);
  } catch (error) {
    if (!(error instanceof EngramError && error.code.startsWith('model.'))) throw error;
    if (error.code === 'model.off') return;
    context.note(noModelNote(error));
  }
}

/** A command that did its own work, but without a model (SE-49). */
export function noModelNote({ message, hint }: EngramError): string {
  return visible(`no_model: ${message}${hint === null ? '' : `. ${hint}`}`);
}
