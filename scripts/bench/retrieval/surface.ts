import { RELATIVE_FLOOR } from '../../../src/search/relevance.ts';
import type { Candidate, Found } from './set-store.ts';

/** One text under `surface`: what a floor would let through. */
export interface SurfaceTrial {
  /** Those with the largest `passing`, in no order. */
  readonly contenders: readonly Contender[];
  readonly isThin: boolean;
}

interface Contender {
  readonly passing: number;
  readonly relevance: number;
  readonly hasRareIdentifier: boolean;
  readonly isRight: boolean;
}

interface Surfacing extends Pick<Found, 'isThin'> {
  readonly candidates: readonly Pick<Candidate, 'id' | 'passing' | 'relevance' | 'hasRareIdentifier'>[];
}

/** More than any floor lets through at a time. */
const KEPT = 40;
/** Memories of one type that `surface` shows at most. */
const MOST_SHOWN = 8;

export function surfaceTrial({ candidates, isThin }: Surfacing, right: ReadonlySet<string>): SurfaceTrial {
  const best = [...candidates].sort((a, b) => b.passing - a.passing).slice(0, KEPT);
  const contenders = best.map(({ id, passing, relevance, hasRareIdentifier }) => ({
    passing,
    relevance,
    hasRareIdentifier,
    isRight: right.has(id),
  }));
  return { contenders, isThin };
}

/** The floors of `surface`: of every memory, and of one that holds a rare identifier of the text (SE-41). */
export interface Floors {
  readonly floor: number;
  readonly identifierFloor: number;
}

/** What `surface` shows with other floors, its other gates as they are. */
function shownAbove({ contenders, isThin }: SurfaceTrial, floors: Floors): readonly Contender[] {
  if (isThin) return [];
  const passing = contenders.filter(
    (one) => one.passing >= (one.hasRareIdentifier ? floors.identifierFloor : floors.floor),
  );
  const best = Math.max(0, ...passing.map((one) => one.passing));
  return passing
    .filter((one) => one.passing >= RELATIVE_FLOOR * best)
    .sort((a, b) => b.relevance - a.relevance)
    .slice(0, MOST_SHOWN);
}

export type Outcome = 'right' | 'wrong' | 'nothing';

export function outcomeAbove(trial: SurfaceTrial, floors: Floors): Outcome {
  const shown = shownAbove(trial, floors);
  if (shown.length === 0) return 'nothing';
  return shown.some(({ isRight }) => isRight) ? 'right' : 'wrong';
}
