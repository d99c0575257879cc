import { findCandidates, type LearnScope, type LearnSearch } from '../learning/candidates.ts';
import { isSameText, readText } from '../learning/duplicates.ts';
import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { matchedSituation } from '../text/normalise.ts';

/** What went wrong, and what is demanded instead; an action that nobody named is empty. */
export interface Failure {
  readonly situation: string;
  readonly behavior: string;
  readonly action: string;
}

/** From this `sim` on of situation and of behavior a memory covers a failure (AG-37). */
const COVERS = 0.75;

/**
 * The live memory that says already what a failure teaches (AG-37), the nearest one: its situation and its behavior are
 * similar, and no other action is demanded. Null: none does.
 *
 * @throws EngramError `database.*`
 */
export async function findCovering(
  search: LearnSearch,
  { situation, behavior, action }: Failure,
  scope: LearnScope,
): Promise<{ readonly name: MemoryName; readonly record: MemoryRecord } | null> {
  if (situation.trim() === '' || behavior.trim() === '') return null;
  const about = matchedSituation(situation);
  const { candidates } = await findCandidates(search, [about, behavior], 'feedback', scope);
  const agreeing = [...candidates].filter(([, record]) => demandsNothingElse({ behavior, action }, record));
  if (agreeing.length === 0) return null;
  const texts = agreeing.flatMap(([, record]) => [matchedSituation(record.situation), record.behavior ?? '']);
  const { sim } = await search.compare([about, behavior, ...texts]);
  const [best] = agreeing
    .map(([name, record]) => {
      const [where, what] = [sim(about, matchedSituation(record.situation)), sim(behavior, record.behavior ?? '')];
      return { name, record, least: Math.min(where, what), sum: where + what };
    })
    .filter(({ least }) => least >= COVERS)
    .sort((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1));
  return best === undefined ? null : { name: best.name, record: best.record };
}

/** No action, the stored one, or no more than to leave the behavior alone, which the memory warns of. */
function demandsNothingElse({ behavior, action }: Pick<Failure, 'behavior' | 'action'>, record: MemoryRecord): boolean {
  if (action.trim() === '' || isSameText(readText(action), readText(record.action ?? ''))) return true;
  const [, forbidden] = FORBIDDING.exec(action.trim()) ?? [];
  if (forbidden === undefined) return false;
  return [behavior, record.behavior ?? ''].some((text) => isSameText(readText(forbidden), readText(text)));
}

const FORBIDDING = /^(?:please\s+)?(?:do\s+not|don['’]t|never|avoid|stop)\s+(.+)$/is;
