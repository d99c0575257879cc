// Usage: node commit-and-die.cjs ROOT KEY COUNT - learns COUNT memories, lets the sqlite3 shell look in and write between them,
// asks everything that looks at the database, and ends by SIGKILL. Prints each name once it is committed.
import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { openEngram } from '../../../src/engram.ts';
import { backUp } from '../../../src/store/backup.ts';
import { checkStore } from '../../../src/sync/check.ts';
import { feedbackDraft, learned } from '../../learning/drafts.ts';

const [root = '', key = '', count = '0'] = process.argv.slice(2);

openEngram({ root, origin: 'child', embedding: { provider: 'none' } }).then(async (engram) => {
  for (let at = 0; at < Number(count); at += 1) {
    const outcome = learned(engram, feedbackDraft({ situation: `When ${key} is at ${at}`, action: `Do ${key} ${at}` }));
    writeSync(1, `${outcome.name}\n`);
    const shell = `UPDATE memories SET impact = 'By the shell of ${key}' WHERE name = '${outcome.name}';`;
    spawnSync('sqlite3', [`${root}/engram.db`, '.timeout 20000', 'SELECT count(*) FROM v_memories;', shell]);
    if (at % 5 !== 0) continue;
    await engram.status();
    await engram.sync();
    checkStore(engram.context);
    backUp(engram.context.store.db, root, 'manual');
  }
  process.kill(process.pid, 'SIGKILL');
});
