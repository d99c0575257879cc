import type { BuiltInSettings } from './built-in.ts';
import type { Applies } from './judge.ts';

/** What is announced, against one memory: `sim` of its behavior and of its action (SE-37), and whether it says not to do the former. */
export interface Likeness {
  readonly behavior: number;
  readonly action: number;
  readonly negates: boolean;
}

/** The verdict of the built-in rules (AG-22). */
export function builtInVerdict(likeness: Likeness, { appliesAt, apart }: BuiltInSettings): Applies {
  const { behavior, action, negates } = likeness;
  const verdict = (verdict: Applies['verdict'], reason: string): Applies => ({
    verdict,
    score: behavior,
    reason,
    by: 'builtin',
  });
  const rounded = (value: number) => value.toFixed(2);
  if (negates) return verdict('follows', 'the announced behavior says not to do what the stored behavior is');
  if (action >= appliesAt && action - behavior >= apart) {
    return verdict('follows', `the announced behavior resembles the stored action (${rounded(action)})`);
  }
  if (behavior >= appliesAt && behavior - action >= apart) {
    return verdict('applies', `the announced behavior resembles the stored behavior (${rounded(behavior)})`);
  }
  return verdict('unrelated', `the announced behavior resembles neither stored text (${rounded(behavior)})`);
}
