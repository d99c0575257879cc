import { EngramError } from '../errors.ts';
import { isFullTextDamage, translateSqliteError } from '../store/sqlite-errors.ts';
import { isFatal } from './attempts.ts';
import type { Findings } from './surfacing.ts';

/**
 * What was found, or why nothing was.
 *
 * @param onFailure - told what went wrong inside; the answer has a few words for it
 * @throws EngramError what ends the agent
 */
export async function withinBudget(
  ms: number,
  finding: Promise<Findings>,
  { loaded, onFailure }: { readonly loaded: Promise<void>; onFailure(error: unknown): void },
): Promise<Findings> {
  let isLoaded = false;
  void loaded.then(() => {
    isLoaded = true;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Findings>((resolve) => {
    timer = setTimeout(() => resolve({ failed: isLoaded ? 'the search took too long' : 'still loading' }), ms);
  });
  const found = finding.catch((raw: unknown): Findings => {
    const error = translateSqliteError(raw);
    if (isFatal(error) && !isFullText(error)) throw error;
    onFailure(error);
    return { failed: reasonOf(error) };
  });
  // One that comes after the answer is met again by the next question.
  found.catch(() => {});
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}

function isFullText(error: unknown): boolean {
  return error instanceof EngramError && isFullTextDamage(error.cause);
}

/** One line for T6, without paths of this machine. */
export function reasonOf(error: unknown): string {
  if (isFullText(error)) return 'full-text index unreadable';
  if (!(error instanceof EngramError)) return 'internal error';
  const reasons: Partial<Record<EngramError['code'], string>> = {
    'database.busy': 'the database is busy',
    'database.damaged': 'the database is damaged',
    'database.failed': 'the database cannot be read',
  };
  return reasons[error.code] ?? 'internal error';
}
