import { counted, memories } from './render-parts.ts';

/*
 * Texts of section 11. What is stored or quoted comes in as data, behind `> ` or in one line (AG-52); none of it chooses a
 * text.
 */

/** How many live memories there are. */
export interface MemoryCounts {
  readonly feedback: number;
  readonly facts: number;
}

/** T1. */
export function renderReady({ feedback, facts }: MemoryCounts): string {
  const all = memories(feedback + facts);
  const parts = `${feedback} feedback, ${facts} ${facts === 1 ? 'fact' : 'facts'}`;
  return `Ready. role = "reactive", ${all} (${parts}). Surfaces stored memories, learns from corrections.`;
}

/** T2. */
export const INITIALIZED = 'Initialization complete. Monitor active.';

/** T3. Its messages include those that were too old for an answer (AG-7). */
export function renderRecovered(cursor: number, counts: Record<'messages' | 'arguments', number>): string {
  const found = `${counted(counts.messages, 'new message')}, ${counted(counts.arguments, 'open argument')}`;
  return `Recovered at cursor ${cursor}: ${found}. Monitor active.`;
}

/** T23. */
export function renderPace(count: number): string {
  return `${count} new memories in 10 minutes. Please review and consolidate: engram list`;
}

/** T24. */
export function renderFarewell(counts: Record<'intents' | 'waits' | 'learned' | 'arguments', number>): string {
  const { intents, waits, learned } = counts;
  const stats = `${counted(intents, 'intent')}, ${counted(waits, 'wait')}, ${learned} learned`;
  return `Shutting down. Session stats: ${stats}, ${counted(counts.arguments, 'open argument')}.`;
}

/** T26. @param degraded - parts that do not work as they should */
export function renderHeartbeat(
  counts: Record<'memories' | 'intents' | 'surfaced' | 'queue', number>,
  degraded: readonly string[],
): string {
  const loaded = `${memories(counts.memories)} loaded`;
  const processed = `${counted(counts.intents, 'intent')} processed`;
  const line = `alive | ${loaded} | ${processed} | ${counts.surfaced} surfaced | queue: ${counts.queue}`;
  return degraded.length === 0 ? line : `${line} | degraded: ${degraded.join(', ')}`;
}

/** T27. */
export function renderQueue(length: number): string {
  return `Queue is ${length}: intents arrive faster than they are answered. Consider splitting the work over several channels.`;
}
