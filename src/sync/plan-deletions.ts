const ALWAYS_ALLOWED = 10;
const ALLOWED_SHARE = 0.2;

/**
 * The brake (SY-31): more than 10 deletions, and more than a fifth of the live memories, hold all of a batch.
 *
 * @param planned - deletions of this batch that count, `forget` left out, earlier held ones included
 * @param recentlyApplied - deletions that sync applied in the last 10 minutes, `forget` left out
 * @param liveCount - live memories before this batch, counted by base
 */
export function planDeletions(planned: number, recentlyApplied: number, liveCount: number): 'proceed' | 'hold' {
  if (planned === 0) return 'proceed';
  return planned + recentlyApplied > Math.max(ALWAYS_ALLOWED, ALLOWED_SHARE * liveCount) ? 'hold' : 'proceed';
}

/** A deletion that a batch wants; `missing` is the side where the memory is absent. */
export interface DeletionWish {
  readonly name: string;
  readonly missing: 'file' | 'row';
  readonly reason: string;
}

export interface DeletionDecision {
  readonly proceed: readonly DeletionWish[];
  readonly hold: readonly DeletionWish[];
  /** Names whose hold ends: archived now, or no longer asked for. */
  readonly release: readonly string[];
}

/**
 * Decides every deletion of a batch and every hold of earlier ones (SY-31, SY-32). A held deletion stays held, however
 * small later batches are, until a person accepts it (`allowMassDelete`; long-running processes pass false) or both sides
 * of the memory are there again.
 *
 * @param held - names with a hold from earlier batches
 * @param present - names that this batch found on both sides
 */
export function planDeletionHolds(batch: {
  readonly wishes: readonly DeletionWish[];
  readonly held: readonly string[];
  readonly present: readonly string[];
  readonly recentlyApplied: number;
  readonly liveCount: number;
  readonly allowMassDelete: boolean;
}): DeletionDecision {
  const { wishes, allowMassDelete } = batch;
  const held = new Set(batch.held);
  const braked = planDeletions(wishes.length, batch.recentlyApplied, batch.liveCount) === 'hold';
  const stays = (wish: DeletionWish): boolean => !allowMassDelete && (braked || held.has(wish.name));
  const proceed = wishes.filter((wish) => !stays(wish));
  const hold = wishes.filter(stays);
  const ended = new Set([...proceed.map((wish) => wish.name), ...batch.present]);
  return { proceed, hold, release: batch.held.filter((name) => ended.has(name)) };
}
