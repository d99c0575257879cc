import type { Engram } from '../engram.ts';
import type { CommandContext } from './context.ts';

/** Embeds what is missing, with a line on a terminal; may be interrupted and goes on at the next call (SE-25). */
export async function embedWithProgress(engram: Engram, context: CommandContext) {
  using progress = await context.progress('embedding memories');
  const report = await engram.embed({ onProgress: progress.show });
  progress.end();
  return report;
}
