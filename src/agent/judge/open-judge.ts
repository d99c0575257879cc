import { type BuiltInSettings, type BuiltInTools, openBuiltInJudge } from './built-in.ts';
import type { Judge } from './judge.ts';

/** Who judges, and how (AG-22 to AG-24). */
export type JudgeSettings = BuiltInSettings & { readonly kind: 'builtin' };

/** The judge that the settings name; nothing is started or connected yet. */
export async function openJudge(settings: JudgeSettings, tools: BuiltInTools): Promise<Judge> {
  const builtIn = openBuiltInJudge(settings, tools);
  return {
    kind: 'builtin',
    applies: (intent, memories) => builtIn.applies(intent, memories),
    reply: async () => null,
    extract: async () => null,
    relation: async () => null,
    probe: async () => {
      await builtIn.applies(SAMPLE, []);
      return null;
    },
    statistics: { calls: 0, failures: 0, fallbacks: 0, late: 0 },
    degraded: false,
    close: () => {},
  };
}

const SAMPLE = { situation: 'When running the tests', behavior: 'Run the whole suite' };
