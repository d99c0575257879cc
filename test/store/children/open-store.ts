import { openStore } from '../../../src/store/open.ts';

/** Opens a data root, prints `open` or the code of the error, and the number of memories. Argument: data root. */
openStore(process.argv[2] ?? '').then(
  (store) => {
    const { n } = store.db.prepare('SELECT count(*) AS n FROM memories').get() as { n: number };
    process.stdout.write(`open ${n} ${store.readOnly ? 'read-only' : 'writable'}\n`);
    store.close();
  },
  (error: { code?: string; message: string }) => {
    process.stdout.write(`${error.code} ${error.message}\n`);
    process.exitCode = 1;
  },
);
