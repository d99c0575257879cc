import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/sync/check.ts';
import { storeStatus } from '../../src/sync/status.ts';
import { databaseOf, shell } from '../support/sqlite-shell.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';

/** After a sync: what is pending, and whether a finding asks for a sync once more. */
function advice(store: TestStore) {
  store.sync();
  const found = checkStore(store.context);
  return {
    pending: storeStatus(store.context).pending,
    asksForSync: found.some(({ remedy }) => remedy === 'sync'),
    messages: found.map(({ subject, message }) => `${subject} ${message}`),
  };
}

const NOTHING = { pending: { files: 0, rows: 0 }, asksForSync: false };

test('SY-66, SY-68: what no file can be is not pending; check says what to do', async () => {
  using store = await temporaryStore();
  execFileSync('mkdir', ['-p', store.at('feedback')]);
  execFileSync('mkfifo', [store.at('feedback/fifo.toml')]);
  mkdirSync(store.at('feedback/directory.toml'));
  symlinkSync('/nonexistent', store.at('feedback/dangling.toml'));
  store.write('feedback/same.toml', feedbackText());
  store.write('feedback/Same.toml', feedbackText({ action: '"another"' }));
  for (let round = 0; round < 2; round += 1) {
    const { messages, ...rest } = advice(store);
    expect(rest).toEqual(NOTHING);
    expect(messages).toEqual([
      expect.stringMatching(/^feedback\/dangling\.toml .*; repair the file$/),
      expect.stringMatching(/^feedback\/directory\.toml .*; move it away$/),
      expect.stringMatching(/^feedback\/fifo\.toml .*; move it away$/),
      expect.stringMatching(/^feedback\/\wame\.toml .*rename one of the two$/),
      ...(messages.length > 4 ? [expect.stringMatching(/^feedback\/\wame\.toml .*rename one of the two$/)] : []),
    ]);
    store.advance(70_000);
  }
});

test('SY-66, SY-68: rows that no sync can write are not pending; check names the way out of each', async () => {
  using store = await temporaryStore();
  store.write('feedback/bad.toml', feedbackText({ action: '"bad"' }));
  store.write('feedback/newer.toml', feedbackText({ schema_version: '3', action: '"newer"' }));
  store.write('feedback/value.toml', feedbackText({ core: '"yes"', action: '"value"' }));
  store.write('feedback/target', feedbackText({ action: '"linked"' }));
  symlinkSync(store.at('feedback/target'), store.at('feedback/linked.toml'));
  const inline =
    'situation = "When a"\ncontent = { behavior = "b", impact = "i", action = "a", pending_evaluations = 1 }\n';
  store.write('feedback/inline.toml', `${inline}pending_evaluations = 1\n`);
  store.sync();
  shell(
    databaseOf(store.root),
    `UPDATE memories SET impact = '' WHERE name = 'feedback/bad';
     INSERT INTO memories(name, situation) VALUES ('feedback/half', 'When half');
     UPDATE memories SET impact = 'x' WHERE name IN ('feedback/newer', 'feedback/linked', 'feedback/inline');
     UPDATE memories SET core = 1 WHERE name = 'feedback/value';`,
  );
  const { messages, ...rest } = advice(store);
  expect(rest).toEqual(NOTHING);
  expect(messages).toEqual([
    expect.stringMatching(/^feedback\/bad row invalid: .*; run: .*UPDATE memories SET impact = .* = 'feedback\/bad'"$/),
    expect.stringMatching(/^feedback\/half row invalid: .* \(or DELETE FROM memories WHERE name = 'feedback\/half'\)$/),
    expect.stringMatching(/^feedback\/inline .* impact, .*: it cannot be edited in place; change it in an editor$/),
    expect.stringMatching(/^feedback\/linked .*: it is a link; edit what it points to$/),
    expect.stringMatching(/^feedback\/newer .*: it is for a newer engram; update engram$/),
    expect.stringMatching(/^feedback\/value .* core, .*: repair the value there$/),
  ]);
});
