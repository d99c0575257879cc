import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMemory } from '../../src/memory/read-toml.ts';
import { RECORD_KEYS, TEXT_KEYS } from '../../src/memory/record.ts';
import { listCounterMismatches } from '../../src/store/outcomes.ts';
import { hastyStore } from '../support/hasty-store.ts';
import type { TestStore } from '../support/sync-store.ts';
import { apply, type Edit, edits, firstFiles, tokensAnywhere, tokensInPlace } from './store-edits.ts';

/** `npm run test:property` sets more. */
const RUNS = Number(process.env.ENGRAM_PROPERTY_RUNS ?? 25);

/** Files and rows say the same, except where one of them is quarantined or a deletion waits. */
function expectAgreement(store: TestStore): void {
  const waiting = new Set(
    store.sql('SELECT name FROM quarantine UNION SELECT name FROM deletion_holds').map((row) => row.name),
  );
  const names = new Set(store.files().map((path) => path.replace(/\.toml$/, '')));
  for (const row of store.sql('SELECT name FROM memories')) names.add(String(row.name));
  for (const name of names) {
    if (waiting.has(name)) continue;
    const read = readMemory(Buffer.from(store.read(`${name}.toml`)), 'feedback');
    const row = store.row(name) ?? {};
    if (read.kind !== 'ok') throw new Error(`${name}: ${read.message}, and not quarantined`);
    const record: Readonly<Record<string, unknown>> = { ...read.memory.record };
    // A file that lost tracking keys counts nothing down, and gets them back with its next write (MF-22, SY-17).
    const lost = store.sql(`SELECT 1 FROM bases WHERE name = ? AND lost_keys <> ''`, name).length > 0;
    for (const key of lost ? TEXT_KEYS : RECORD_KEYS) {
      const inFile = typeof record[key] === 'boolean' ? Number(record[key]) : record[key];
      expect([name, key, row[key]]).toEqual([name, key, inFile]);
    }
  }
}

const wrote = (report: ReturnType<TestStore['sync']>) => report.steps.filter((step) => step.action !== 'hold');

test('SY-2, SY-7, SY-18: whatever is edited on either side, no edit is lost, one sync is enough, counters are their events', {
  timeout: RUNS * 2_000 + 30_000,
}, async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 4 }), async (rounds: readonly (readonly Edit[])[]) => {
      using store = await hastyStore();
      firstFiles(store);
      store.sync();
      for (const round of rounds) {
        for (const edit of round) apply(store, edit, `token-${number++}`);
        const written = tokensInPlace(store);
        const known = new Set([...tokensAnywhere(store), ...written]);
        store.sync();
        const kept = tokensAnywhere(store);
        expect([...known].filter((token) => !kept.has(token))).toEqual([]);
        expect(listCounterMismatches(store.context.store.db)).toEqual([]);
        expectAgreement(store);
        const before = store.everything();
        expect(wrote(store.sync())).toEqual([]);
        expect(store.everything()).toEqual(before);
      }
    }),
    { numRuns: RUNS },
  );
});
