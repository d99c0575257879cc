import { parseStatement, type Statement } from '../../learning/statement.ts';
import type { EmbedderSource } from '../../search/embedder-source.ts';
import { compareTexts } from '../../search/sim.ts';
import { listPks } from '../../store/candidates.ts';
import type { Transactable } from '../../store/transaction.ts';
import type { IntentText } from '../intent-text.ts';
import { builtInVerdict } from './built-in-verdict.ts';
import type { Applies, JudgedMemory } from './judge.ts';

/** The two numbers of AG-22. */
export interface BuiltInSettings {
  /** From this similarity on what is announced resembles the stored behavior or action. */
  readonly appliesAt: number;
  /** So much more than the other of the two. */
  readonly apart: number;
}

/** The rules that need no model of language but the one that embeds (AG-22). */
export interface BuiltInJudge {
  /**
   * As `Judge.applies`. Without a model that embeds the texts are compared by their words.
   *
   * @throws EngramError `database.*`
   */
  applies(intent: IntentText, memories: readonly JudgedMemory[]): Promise<readonly Applies[]>;
}

export interface BuiltInTools {
  readonly store: Transactable;
  /** Who embeds; null: words alone. */
  readonly source: EmbedderSource | null;
}

/** The vectors of the stored texts are kept (SE-22), so that only what is announced is embedded. */
export function openBuiltInJudge(settings: BuiltInSettings, { store, source }: BuiltInTools): BuiltInJudge {
  return {
    async applies(intent, memories) {
      if (memories.length === 0) return [];
      const announced = intent.behavior;
      const texts = [announced, ...memories.flatMap(({ behavior, action }) => [behavior, action])];
      const pks = listPks(
        store.db,
        memories.map(({ name }) => name),
      );
      const { sim } = await compareTexts(store, texts, source, pks);
      const statement = parseStatement(announced);
      return memories.map((memory) =>
        builtInVerdict(
          {
            behavior: sim(announced, memory.behavior),
            action: sim(announced, memory.action),
            negates: negates(statement, parseStatement(memory.behavior)),
          },
          settings,
        ),
      );
    },
  };
}

/** Whether one clause says not to do what the other text does, or the other way round (AG-22). */
function negates(announced: Statement, behavior: Statement): boolean {
  return announced.clauses.some((one) =>
    behavior.clauses.some(
      (other) =>
        one.negated !== other.negated && shareOf(other.words, one.words) >= NEGATED_SHARE && other.words.size > 1,
    ),
  );
}

/** So much of what the stored behavior says has to stand in the clause that negates it. */
const NEGATED_SHARE = 0.6;

function shareOf(words: ReadonlySet<string>, among: ReadonlySet<string>): number {
  return [...words].filter((word) => among.has(word)).length / words.size;
}
