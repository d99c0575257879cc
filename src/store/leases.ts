import { withoutStamp } from './change-stamp.ts';
import type { SqliteDatabase } from './native.ts';
import { oneRow, run } from './statement.ts';
import { immediately, type Transactable } from './transaction.ts';

/** Who answers in a chat (AG-2). */
export interface Lease {
  readonly chatFile: string;
  readonly name: string;
  /** Grows with every holder; who finds another one has lost the chat. */
  readonly epoch: number;
  /** Null: given back. */
  readonly pid: number | null;
  readonly startedAtMs: number;
  readonly renewedAtMs: number;
}

/** Renewed so often, and free after so long without. */
export const LEASE_RENEWED_EVERY_MS = 5000;
const LEASE_LASTS_MS = 15_000;

/** Whether a process may be the one that took something at that moment; see `mayStillHold`. */
export type IsProcess = (pid: number, takenAtMs: number) => boolean;

const SELECT = `SELECT chat_file AS chatFile, name, epoch, pid, started_at_ms AS startedAtMs, renewed_at_ms AS renewedAtMs
  FROM agent_leases`;

export function findLease(db: SqliteDatabase, chatFile: string): Lease | null {
  return oneRow<Lease>(db, `${SELECT} WHERE chat_file = ?`, chatFile);
}

/** Whether somebody answers there: not given back, its process is there, and it was renewed (AG-2). */
export function isHeld({ pid, startedAtMs, renewedAtMs }: Lease, nowMs: number, isProcess: IsProcess): boolean {
  return pid !== null && isProcess(pid, startedAtMs) && renewedAtMs > nowMs - LEASE_LASTS_MS;
}

/** The lease, or whoever holds it. */
export type TakenLease = { readonly epoch: number } | { readonly holder: Lease };

/** Takes the lease of a chat for this process. @throws EngramError `database.busy` */
export function takeLease(
  store: Transactable,
  wanted: Pick<Lease, 'chatFile' | 'name'> & { readonly pid: number; readonly nowMs: number },
  isProcess: IsProcess,
): TakenLease {
  const { chatFile, name, pid, nowMs } = wanted;
  return immediately(store, () => {
    const known = findLease(store.db, chatFile);
    if (known !== null && known.pid !== pid && isHeld(known, nowMs, isProcess)) return { holder: known };
    const epoch = (known?.epoch ?? 0) + 1;
    run(
      store.db,
      `INSERT INTO agent_leases(chat_file, name, epoch, pid, started_at_ms, renewed_at_ms) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT(chat_file) DO UPDATE SET name = excluded.name, epoch = excluded.epoch, pid = excluded.pid,
         started_at_ms = excluded.started_at_ms, renewed_at_ms = excluded.renewed_at_ms`,
      chatFile,
      name,
      epoch,
      pid,
      nowMs,
      nowMs,
    );
    return { epoch };
  });
}

/** False when somebody else has it: another epoch stands in the row. Sleep alone loses nothing. */
export function renewLease(db: SqliteDatabase, chatFile: string, epoch: number, nowMs: number): boolean {
  const sql = 'UPDATE agent_leases SET renewed_at_ms = ? WHERE chat_file = ? AND epoch = ?';
  return withoutStamp(db, () => run(db, sql, nowMs, chatFile, epoch)) === 1;
}

export function holdsLease(db: SqliteDatabase, chatFile: string, epoch: number): boolean {
  return findLease(db, chatFile)?.epoch === epoch;
}

/** Gives the lease back; nobody has to wait for it. */
export function releaseLease(db: SqliteDatabase, chatFile: string, epoch: number): void {
  run(db, 'UPDATE agent_leases SET pid = NULL WHERE chat_file = ? AND epoch = ?', chatFile, epoch);
}
