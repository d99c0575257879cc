import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

// Writes FILE anew in place, as a slow editor does: truncates, waits 200 ms, then three chunks 100 ms apart.
// `node write-slowly.cjs FILE NEW_CONTENT_FILE`
const [file = '', source = ''] = process.argv.slice(2);
const bytes = readFileSync(source);
const wait = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const descriptor = openSync(file, 'w');
process.stdout.write('truncated\n');
wait(200);
const step = Math.ceil(bytes.length / 3);
for (let from = 0; from < bytes.length; from += step) {
  writeSync(descriptor, bytes, from, Math.min(step, bytes.length - from), from);
  wait(100);
}
closeSync(descriptor);
