import type { outcomeEvents } from '../../drizzle/schema.ts';
import { COUNTER_KEYS, type CounterKey, type MemoryRecord } from '../memory/record.ts';
import type { MemoryName } from '../memory/slug.ts';
import type { SqliteDatabase } from './native.ts';
import { allRows, oneRow, run } from './statement.ts';

export type EventKind = (typeof outcomeEvents.$inferSelect)['kind'];

export const KIND_OF_COUNTER = {
  surfaced_count: 'surfaced',
  followed_count: 'followed',
  not_followed_count: 'not-followed',
  irrelevant_count: 'irrelevant',
  missed_count: 'missed',
} as const satisfies Record<CounterKey, EventKind>;

/** One change of a counter. A repeated `eventKey` changes nothing (SY-7). */
export interface OutcomeEvent {
  readonly name: MemoryName;
  readonly kind: EventKind;
  readonly delta: number;
  /** `import`, `file`, `sql`, `adjust`, or who counted: `cli` ... */
  readonly origin: string;
  readonly atMs: number;
  readonly eventKey?: string | null;
  readonly project?: string | null;
  readonly situation?: string | null;
  readonly thread?: string | null;
}

/** Appends an event; false when its key was there already. */
export function appendEvent(db: SqliteDatabase, event: OutcomeEvent): boolean {
  return (
    run(
      db,
      `INSERT INTO outcome_events(event_key, name, kind, delta, origin, project, situation, thread, at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(event_key) DO NOTHING`,
      event.eventKey ?? null,
      event.name,
      event.kind,
      event.delta,
      event.origin,
      event.project ?? null,
      event.situation ?? null,
      event.thread ?? null,
      event.atMs,
    ) === 1
  );
}

export function hasEvent(db: SqliteDatabase, eventKey: string): boolean {
  return oneRow(db, 'SELECT 1 FROM outcome_events WHERE event_key = ?', eventKey) !== null;
}

/** What the events of a memory add up to, per counter. */
export function eventSums(db: SqliteDatabase, name: MemoryName): Record<CounterKey, number> {
  const rows = allRows<{ kind: string; total: number }>(
    db,
    'SELECT kind, sum(delta) AS total FROM outcome_events WHERE name = ? GROUP BY kind',
    name,
  );
  const totals = new Map(rows.map((row) => [row.kind, row.total]));
  return Object.fromEntries(COUNTER_KEYS.map((key) => [key, totals.get(KIND_OF_COUNTER[key]) ?? 0])) as Record<
    CounterKey,
    number
  >;
}

/** Appends what is missing for the events to add up to the counters of `record`; null stands for no memory (SY-7). */
export function settleEvents(
  db: SqliteDatabase,
  name: MemoryName,
  record: MemoryRecord | null,
  origin: string,
  atMs: number,
): void {
  const sums = eventSums(db, name);
  for (const key of COUNTER_KEYS) {
    const delta = (record?.[key] ?? 0) - sums[key];
    if (delta !== 0) appendEvent(db, { name, kind: KIND_OF_COUNTER[key], delta, origin, atMs });
  }
}

/** Names whose counters differ from the sums of their events, for `db check`. Rows that sync has yet to take in are none. */
export function listCounterMismatches(db: SqliteDatabase): MemoryName[] {
  const parts = COUNTER_KEYS.map(
    (key) => `coalesce(m.${key}, 0) <> coalesce(sum(CASE e.kind WHEN '${KIND_OF_COUNTER[key]}' THEN e.delta END), 0)`,
  );
  return allRows<{ name: MemoryName }>(
    db,
    `SELECT m.name AS name FROM memories m LEFT JOIN outcome_events e ON e.name = m.name
     WHERE m.name NOT IN (SELECT name FROM changes) AND m.name IN (SELECT name FROM bases) GROUP BY m.name HAVING ${parts.join(' OR ')} ORDER BY 1`,
  ).map((row) => row.name);
}
