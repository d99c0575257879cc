import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import { matchedSituation } from '../text/normalise.ts';
import type { QueryRequest } from './query.ts';

/** A memory to look around from. */
export interface Anchor {
  readonly name: MemoryName;
  readonly record: Pick<MemoryRecord, 'situation' | 'subject' | 'object'>;
}

/** What asks for the memories near `anchor`: its own situation and entities, without itself (SE-50). */
export function relatedRequest(anchor: Anchor, request: Omit<QueryRequest, 'text'>): QueryRequest {
  const { situation, subject, object } = anchor.record;
  const text = [matchedSituation(situation), subject, object].filter((part) => part !== null).join('\n');
  return { ...request, text, without: [...(request.without ?? []), anchor.name] };
}
