import { closeSync, openSync, readSync, renameSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { acquireLock } from '../../../src/files/lock.ts';

// For each byte on stdin, takes the lock of FILE once and leaves it to DEAD_PID, as if it had died holding it; so every
// turn of every process is a take-over. Answers `.`, or `!` when another process was inside.
// `node race-for-dead-lock.cjs FILE DEAD_PID`
const [file = '', deadPid = ''] = process.argv.slice(2);
const inside = `${file}.inside`;
const successor = `${file}.dead-${process.pid}`;

while (readSync(0, Buffer.alloc(1), 0, 1, null) > 0) {
  const lock = acquireLock(file);
  const alone = enter();
  writeFileSync(successor, `${deadPid}\n`);
  if (alone) unlinkSync(inside);
  writeSync(1, alone ? '.' : '!');
  renameSync(successor, lock.path);
  lock.release();
}

function enter(): boolean {
  try {
    closeSync(openSync(inside, 'wx'));
    return true;
  } catch {
    return false;
  }
}
