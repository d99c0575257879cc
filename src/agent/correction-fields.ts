import type { Correction } from './user-words.ts';

/** The four fields of a memory; `''` where unknown. */
export interface FeedbackFields {
  readonly situation: string;
  readonly behavior: string;
  readonly impact: string;
  readonly action: string;
}

/**
 * A correction as the fields of a memory (AG-35). Situation and behavior are the intent's; a prohibited X is the behavior;
 * the action is the demanded X, else `Do not <X>`; the impact the reason given, else the words themselves.
 *
 * @param intent - the corrected agent's last; null: none is known
 * @returns `missing` names the keys of situation, behavior and action that are empty
 */
export function correctionFields(
  { words, demanded, prohibited, reason }: Correction,
  intent: { readonly situation: string; readonly behavior: string } | null,
): FeedbackFields & { readonly missing: readonly string[] } {
  const situation = intent?.situation ?? '';
  const behavior = prohibited ?? intent?.behavior ?? '';
  const action = demanded ?? (prohibited === null ? '' : `Do not ${prohibited}`);
  const impact = reason ?? `The user had to correct this: "${words}"`;
  const missing = Object.entries({ situation, behavior, action }).flatMap(([key, value]) =>
    value === '' ? [key] : [],
  );
  return { situation, behavior, impact, action, missing };
}
