import { type BuiltInSettings, type BuiltInTools, openBuiltInJudge } from './built-in.ts';
import type { CommandSettings } from './command.ts';
import type { GuardOptions } from './guard.ts';
import type { Judge } from './judge.ts';
import type { ChatSettings } from './openai.ts';

/** Who judges, and how (AG-22 to AG-24). */
export type JudgeSettings = BuiltInSettings &
  (
    | { readonly kind: 'builtin' }
    | ({ readonly kind: 'command' } & CommandSettings)
    | ({ readonly kind: 'openai' } & ChatSettings)
  );

/**
 * The judge that the settings name; nothing is started or connected yet.
 *
 * @throws EngramError `config.invalid` for a server that is not allowed, `model.refused` for a key that is not set
 */
export async function openJudge(settings: JudgeSettings, tools: BuiltInTools & GuardOptions): Promise<Judge> {
  const builtIn = openBuiltInJudge(settings, tools);
  if (settings.kind !== 'builtin') {
    const { openModelJudge } = await import('./model-judge.ts');
    return openModelJudge(await openModel(settings), builtIn, tools);
  }
  return {
    kind: 'builtin',
    applies: (intent, memories) => builtIn.applies(intent, memories),
    reply: async () => null,
    extract: async () => null,
    relation: async () => null,
    probe: async () => {
      const { SAMPLE_INTENT, SAMPLE_MEMORY } = await import('./model-judge.ts');
      await builtIn.applies(SAMPLE_INTENT, [SAMPLE_MEMORY]);
      return null;
    },
    statistics: { calls: 0, failures: 0, fallbacks: 0, late: 0 },
    degraded: false,
    close: () => {},
  };
}

async function openModel(settings: Exclude<JudgeSettings, { readonly kind: 'builtin' }>) {
  if (settings.kind === 'command') return (await import('./command.ts')).openCommandModel(settings);
  return (await import('./openai.ts')).openChatModel(settings);
}
