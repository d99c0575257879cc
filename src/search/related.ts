import type { MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { Transactable } from '../store/transaction.ts';
import { matchedSituation } from '../text/normalise.ts';
import type { QueryAnswer } from './answer.ts';
import { type QueryRequest, runQuery } from './query.ts';

/** A memory to look around from. */
export interface Anchor {
  readonly name: MemoryName;
  readonly record: Pick<MemoryRecord, 'situation' | 'subject' | 'object'>;
}

/** The memories near `anchor`: a query with its own situation and entities, without itself (SE-50). */
export function runRelated(store: Transactable, anchor: Anchor, request: Omit<QueryRequest, 'text'>): QueryAnswer {
  const { situation, subject, object } = anchor.record;
  const text = [matchedSituation(situation), subject, object].filter((part) => part !== null).join('\n');
  return runQuery(store, { ...request, text, without: [...(request.without ?? []), anchor.name] });
}
