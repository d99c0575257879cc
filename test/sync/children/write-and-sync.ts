import { feedbackText, temporaryStore } from '../../support/sync-store.ts';

/** One writer of S38: puts a file in place, syncs it, and prints what the report says. Arguments: data root, slug. */
const [root = '', slug = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const store = await temporaryStore(root);
  process.stdout.write('open\n');
  process.stdin.once('data', () => {
    store.write(`feedback/${slug}.toml`, feedbackText({ action: `"do ${slug}"` }));
    const report = store.sync();
    process.stdout.write(`${JSON.stringify(report.unfinished)}\n`);
    store.context.store.close();
    process.exit(0);
  });
}

main();
