import { readFileSync, writeSync } from 'node:fs';
import { realFileSystem } from '../../../src/files/file-system.ts';
import { acquireLock } from '../../../src/files/lock.ts';
import { prepareReplacement } from '../../../src/files/replace-file.ts';
import { dyingFileSystem } from './dying-file-system.ts';

// Appends COUNT lines `<name> <number>` to FILE by whole replacement under its lock, and says each on stdout once it is
// in. With a chance of DEATH before each call that changes something, it dies by SIGKILL.
// `node append-lines.cjs FILE NAME COUNT DEATH`
const [file = '', name = '', count = '0', death = '0'] = process.argv.slice(2);
const fs = Number(death) > 0 ? dyingFileSystem(() => Math.random() < Number(death)) : realFileSystem;

for (let number = 1; number <= Number(count); ) {
  const lock = acquireLock(file, {}, fs);
  const bytes = Buffer.concat([readFileSync(file), Buffer.from(`${name} ${number}\n`)]);
  const replacement = prepareReplacement(file, bytes, { mode: 0o600 }, fs);
  if (lock.isOurs()) {
    replacement.over();
    writeSync(1, `${name} ${number}\n`);
    number += 1;
  } else {
    replacement.discard();
  }
  lock.release();
}
