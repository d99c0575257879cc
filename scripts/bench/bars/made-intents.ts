import { readFileSync } from 'node:fs';
import { isQuarantined, parseTable } from '../../../src/memory/toml-table.ts';
import { createSource } from '../synthetic.mjs';

/** What somebody announces. */
export interface Intent {
  readonly from: string;
  readonly thread: string;
  readonly text: string;
}

/** Of three intents one announces what a memory objects to, one revises that, and one is about something else. */
export function madeIntents(files: readonly string[]): Iterator<Intent, never> {
  const source = createSource({ seed: 11 });
  return (function* (): Generator<Intent, never> {
    for (let number = 0; ; number += 1) {
      const [from, thread] = [`executor-${number % 10}`, `task-${number}`];
      const memory = memoryOf(files[(number * 61) % files.length] ?? '');
      yield { from, thread, text: `Situation: ${memory.situation}\nBehavior: ${memory.behavior}` };
      yield { from, thread, text: `Situation: ${memory.situation}\nBehavior: ${memory.action}` };
      yield {
        from,
        thread: `${thread}-b`,
        text: `Situation: About to ${source.situation(9)}\nBehavior: ${source.situation(8)}`,
      };
    }
  })();
}

function memoryOf(file: string): Record<'situation' | 'behavior' | 'action', string> {
  const table = parseTable(readFileSync(file, 'utf8'));
  if (isQuarantined(table)) throw new Error(`${file} cannot be read`);
  const { content, situation } = table as unknown as {
    readonly content: Record<string, string>;
    readonly situation: string;
  };
  const { behavior = content.subject ?? '', action = content.object ?? '' } = content;
  return { situation, behavior, action };
}
