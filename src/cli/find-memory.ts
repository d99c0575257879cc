import type { Engram } from '../engram.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { NameScope } from '../store/name-lookup.ts';

/**
 * The memory that a command is to change, with what both sides say by now taken in (SY-49). A file that somebody is
 * writing is waited for once, up to 2 s (MF-20).
 *
 * @throws EngramError `memory.not-found`, `memory.ambiguous`, `memory.name`, `memory.quarantined`, `write.contended`
 */
export async function findMemory(engram: Engram, text: string, scope?: NameScope): Promise<MemoryName> {
  const { resolveName } = await import('../store/name-lookup.ts');
  const { stale } = await engram.refresh();
  if (stale) await engram.sync();
  return resolveName(engram.context.store.db, text, scope);
}
