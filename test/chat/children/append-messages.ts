import { writeSync } from 'node:fs';
import { appendMessages } from '../../../src/chat/append.ts';
import { type FileSystem, realFileSystem } from '../../../src/files/file-system.ts';

// Posts COUNT messages `<name> <number>` to FILE and says each on stdout, with its cursor, once it is in. With TEAR it is
// killed with SIGKILL in the middle of the write of that message, of which then only a part is in the file.
// `node append-messages.cjs FILE NAME COUNT [TEAR]`
const [file = '', name = '', count = '0', tear = '0'] = process.argv.slice(2);

for (let number = 1; number <= Number(count); number += 1) {
  const text = `${name} ${number}\n[[message]]\nfrom = "nobody"\n"""\\`;
  const fs = number === Number(tear) ? tearingFileSystem() : realFileSystem;
  const { cursor } = appendMessages(file, [{ from: name, to: 'all', thread: 'race', type: 'info', text }], {}, fs);
  writeSync(1, `${name} ${number} ${cursor}\n`);
}

function tearingFileSystem(): FileSystem {
  return {
    ...realFileSystem,
    writeSync: (descriptor, bytes, offset, length) => {
      if (length < 50) return realFileSystem.writeSync(descriptor, bytes, offset, length);
      realFileSystem.writeSync(descriptor, bytes, offset, Math.floor(Math.random() * length));
      process.kill(process.pid, 'SIGKILL');
      return length;
    },
  };
}
