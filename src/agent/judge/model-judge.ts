import type { BuiltInJudge } from './built-in.ts';
import { type GuardOptions, guard } from './guard.ts';
import type { Applies, Judge, JudgedMemory } from './judge.ts';
import type { JudgeModel } from './judge-model.ts';
import { parseApplies, parseExtract, parseRelation, parseReply } from './parse-answer.ts';
import { appliesQuestion, extractQuestion, relationQuestion, replyQuestion } from './questions.ts';

/** What may take a minute (AG-25). */
const PATIENCE_MS = 60_000;
const PROBE_MS = 10_000;

/** A judge that asks a model, and the built-in rules where it does not answer (AG-25). */
export function openModelJudge(model: JudgeModel, builtIn: BuiltInJudge, options: GuardOptions = {}): Judge {
  const guarded = guard(model, options);
  const askedOf = async (intent: Parameters<Judge['applies']>[0], memory: JudgedMemory, deadlineMs: number) =>
    guarded.ask(appliesQuestion(intent, memory, deadlineMs), deadlineMs, parseApplies);
  return {
    kind: model.kind,
    async applies(intent, memories, deadlineMs) {
      const asked = Promise.all(memories.map((memory) => askedOf(intent, memory, deadlineMs)));
      // A few milliseconds: they are at hand when the deadline comes.
      const [own, answers] = await Promise.all([builtIn.applies(intent, memories), asked]);
      return own.map((fallback, at): Applies => {
        const answer = answers[at] ?? null;
        return answer === null ? fallback : { ...answer, by: 'model' };
      });
    },
    reply: (intent, memory, inputs) => guarded.ask(replyQuestion(intent, memory, inputs), PATIENCE_MS, parseReply),
    extract: (message, context, want) =>
      guarded.ask(extractQuestion(message, context, want), PATIENCE_MS, (text) =>
        parseExtract(text, message.text, want),
      ),
    relation: (a, b) => guarded.ask(relationQuestion(a, b), PATIENCE_MS, parseRelation),
    async probe(deadlineMs = PROBE_MS) {
      const [answer] = await Promise.all([
        askedOf(SAMPLE_INTENT, SAMPLE_MEMORY, deadlineMs),
        builtIn.applies(SAMPLE_INTENT, [SAMPLE_MEMORY]),
      ]);
      return answer === null ? (guarded.lastFailure ?? 'it is busy') : null;
    },
    get statistics() {
      return guarded.statistics;
    },
    get degraded() {
      return guarded.isResting;
    },
    close: () => guarded.close(),
  };
}

/** Made up, so that what comes of it may be shown. */
export const SAMPLE_INTENT = { situation: 'About to commit a change', behavior: 'Push it without running the tests' };

export const SAMPLE_MEMORY: JudgedMemory = {
  name: 'feedback/sample' as JudgedMemory['name'],
  situation: 'When committing a change',
  behavior: 'Pushing without running the tests',
  impact: 'The build broke for everybody',
  action: 'Run the tests before pushing',
};
