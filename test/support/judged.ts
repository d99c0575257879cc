import type { JudgedMemory } from '../../src/agent/judge/judge.ts';
import { parseMemoryName } from '../../src/memory/slug.ts';

/** The memory of the worked examples of the agent's page. */
export const COLUMN: JudgedMemory = {
  name: parseMemoryName('feedback/when-adding-a-database-column'),
  situation: 'When adding a database column',
  behavior: 'Adding it NOT NULL with a default in one migration',
  impact: 'The orders table was locked for nine minutes',
  action: 'Add it nullable, backfill in batches, then set NOT NULL',
};

export const INTENT = {
  situation: 'About to add a currency column to orders.',
  behavior: 'One ALTER TABLE, NOT NULL.',
};
