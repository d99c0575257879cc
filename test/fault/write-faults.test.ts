import { describe, expect, test } from 'vitest';
import { EngramError, type ErrorCode } from '../../src/errors.ts';
import type { FileSystem } from '../../src/files/file-system.ts';
import { editMemoryFields } from '../../src/learning/edit.ts';
import { forget, restore } from '../../src/learning/forget.ts';
import { checkStore } from '../../src/sync/check.ts';
import type { SyncContext } from '../../src/sync/context.ts';
import { syncExit } from '../../src/sync/report.ts';
import type { syncAll } from '../../src/sync/sync.ts';
import { feedbackDraft, learned } from '../learning/drafts.ts';
import { type Call, faultyFileSystem } from '../support/failing-file-system.ts';
import { feedbackText, type TestStore, temporaryStore } from '../support/sync-store.ts';
import { M, WRITES } from '../sync/written.ts';

const CODES = ['ENOSPC', 'EACCES', 'EIO', 'EBUSY'] as const;
type Code = (typeof CODES)[number];

interface FaultedWrite {
  readonly before: string | ((context: SyncContext) => unknown) | null;
  run(context: SyncContext): unknown;
}

/** Every way in which engram writes a memory file, for somebody who can repeat it when it fails. */
const FAULTED: Readonly<Record<string, FaultedWrite>> = {
  ...WRITES,
  edit: { before: null, run: (context) => editMemoryFields(context, M, { action: 'Of a person', scope: 'shop' }) },
  restore: { before: (context) => forget(context, M), run: (context) => restore(context, M) },
  supersede: {
    before: null,
    run: (context) => learned({ context }, feedbackDraft({ situation: 'When better known' }), { supersedes: [M] }),
  },
  'first learn': {
    // The directories are made, and .gitignore.
    before: (context) => context.fs.rmdirSync(context.paths.facts),
    run: (context) => {
      const fact = {
        type: 'fact',
        situation: 'When testing',
        subject: 'shop',
        predicate: 'runs',
        object: 'x',
      } as const;
      return learned({ context }, fact);
    },
  },
};

async function prepared({ before }: FaultedWrite): Promise<TestStore> {
  const store = await temporaryStore();
  // What is lost in a power cut is not the question here, and every case has a database of its own.
  store.context.store.db.pragma('synchronous = OFF');
  store.write('feedback/m.toml', `# kept\n${feedbackText()}`);
  store.write('feedback/other.toml', feedbackText({ situation: '"When other"' }));
  store.sync();
  if (typeof before === 'string') store.sql(before);
  else before?.(store.context);
  return store;
}

/** Names and texts of all memory files, but for the times of the writes. */
function texts(store: TestStore): Record<string, string> {
  const paths = store.files().filter((path) => path.endsWith('.toml'));
  return Object.fromEntries(
    paths.map((path) => [path, store.read(path).replace(/^((?:created|updated)_at = ).*$/gm, '$1...')]),
  );
}

/** The codes with which the write failed, thrown or told; none when it worked. */
function failures(run: () => unknown): readonly string[] {
  try {
    const result = run() as Partial<ReturnType<typeof syncAll>> & { readonly stillLive?: readonly unknown[] };
    const unwritable = (result?.unwritable ?? []).map(({ reason }) =>
      /cannot be written/.test(reason) ? 'file.write' : reason,
    );
    const unfinished = (result?.unfinished ?? []).map(({ reason }) => reason);
    return [...unfinished, ...unwritable, ...(result?.stillLive ?? []).map(() => 'still live')];
  } catch (error) {
    if (!(error instanceof EngramError)) throw error;
    return [error.code];
  }
}

function expectedCode(call: Call, code: Code): ErrorCode {
  if (code === 'ENOSPC') return 'disk.full';
  return call === 'mkdirSync' && code === 'EACCES' ? 'data-root.read-only' : 'file.write';
}

interface Clean {
  readonly calls: readonly Call[];
  readonly before: Record<string, string>;
  readonly after: Record<string, string>;
}

async function cleanRun(write: FaultedWrite): Promise<Clean> {
  using store = await prepared(write);
  const before = texts(store);
  const calls: Call[] = [];
  const fs = faultyFileSystem((call) => {
    calls.push(call);
    return null;
  });
  expect(failures(() => write.run({ ...store.context, fs }))).toEqual([]);
  return { calls, before, after: texts(store) };
}

const failing = (nth: number, code: Code): FileSystem =>
  faultyFileSystem((_call, _nth, ofAll) => (ofAll === nth ? code : null));

describe.each(Object.keys(FAULTED))('MF-41, SY-36: %s', (kind) => {
  const write = FAULTED[kind] as FaultedWrite;
  test.each(CODES)(
    'each call that fails once with %s: old bytes or new ones, a true answer, no litter',
    {
      timeout: 120_000,
    },
    async (code) => {
      const { calls, before, after } = await cleanRun(write);
      expect(calls.length).toBeGreaterThan(5);
      expect(after).not.toEqual(before);
      let failed = 0;
      for (const [at, call] of calls.entries()) {
        const where = `${at + 1}. ${call}`;
        using store = await prepared(write);
        const codes = failures(() => write.run({ ...store.context, fs: failing(at + 1, code) }));
        failed += codes.length;
        const found = texts(store);
        for (const path of new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(found)])) {
          expect([before[path], after[path]], `${where} ${path}`).toContain(found[path]);
        }
        if (codes.length === 0) expect([where, found]).toEqual([where, after]);
        else
          expect([where, codes]).toEqual([
            where,
            [expect.stringMatching(`^(${expectedCode(call, code)}|still live)$`)],
          ]);
        healed(store, write, where, codes.length > 0);
        expect([where, texts(store)]).toEqual([where, after]);
      }
      expect(failed).toBeGreaterThan(3);
    },
  );
});

/** Once the fault is over, the same again, or the next sync, brings everything where it belongs. */
function healed(store: TestStore, write: FaultedWrite, where: string, again: boolean): void {
  if (again) failures(() => write.run(store.context));
  store.advance(61_000); // Temps are swept at that age (MF-9).
  expect([where, syncExit(store.sync())]).toEqual([where, 0]);
  expect([where, store.sync().steps]).toEqual([where, []]);
  expect([where, store.files().filter((path) => !path.endsWith('.toml'))]).toEqual([where, []]);
  expect([where, checkStore(store.context)]).toEqual([where, []]);
  expect([where, store.sql('SELECT * FROM pending_writes')]).toEqual([where, []]);
}
