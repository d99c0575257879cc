import { listQuarantined, putQuarantined, releaseQuarantined } from '../store/quarantine.ts';
import { immediately } from '../store/transaction.ts';
import { redact } from '../text/secrets.ts';
import type { SyncContext } from './context.ts';
import type { StepLog } from './report.ts';
import type { Scan } from './scan.ts';

const NAME_REASONS: ReadonlySet<string> = new Set(['name', 'conflict-copy', 'name-clash']);

/** Quarantines files that are refused for their name, and releases those that are gone or renamed (MF-4, SY-4). */
export function storeRefusals(context: SyncContext, scan: Scan, _log: StepLog): void {
  const { db } = context.store;
  const stored = new Map(
    listQuarantined(db)
      .filter((row) => row.side === 'file')
      .map((row) => [row.name, row]),
  );
  // Without the secrets in their names, as they are stored; a scan does not know such an entry for its file.
  const seen = scan.refused.map((file) => ({ ...file, path: redact(file.path) }));
  const refused = new Set(seen.map((file) => file.path));
  const added = seen.filter((file) => stored.get(file.path)?.reason !== file.reason);
  const ended = [...stored.values()].filter((row) => NAME_REASONS.has(row.reason) && !refused.has(row.path));
  const vanished = scan.vanishedSights.filter((row) => !refused.has(row.path));
  if (added.length === 0 && ended.length === 0 && vanished.length === 0) return;
  immediately(context.store, () => {
    for (const row of [...ended, ...vanished]) releaseQuarantined(db, 'file', row.name);
    for (const { path, reason, message } of added) {
      putQuarantined(db, {
        side: 'file',
        name: path,
        path,
        size_bytes: null,
        mtime_ms: null,
        ctime_ms: null,
        ino: null,
        hash: null,
        reason,
        line: null,
        col: null,
        message,
        seen_ms: context.clock(),
      });
    }
  });
}
