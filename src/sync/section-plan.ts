import { EngramError } from '../errors.ts';
import { renderMemory } from '../memory/render-toml.ts';
import type { CreateFile, Deletion, Reconcile } from './action.ts';
import type { Agreement, Removal } from './commit.ts';
import type { SyncContext } from './context.ts';
import type { Intention, SectionWishes, WishedRemoval } from './intention.ts';
import type { MemoryView } from './memory-view.ts';
import { bytesSaying } from './new-bytes.ts';
import { unwritable, type WantedChange } from './own-change.ts';
import { always, knownKeys, ownIntention, stamped, unchangedPlan } from './own-intention.ts';
import { agreementOf, keepReplaced } from './rows-only.ts';

/** Turns a plan and what is wanted on top of it into one intention. @throws EngramError when `wanted` cannot be done */
export function intentionOf(context: SyncContext, view: MemoryView, wishes: SectionWishes): Intention {
  const { action } = view;
  if (action.kind === 'archive' || action.kind === 'delete-file') {
    if (wishes.removal === undefined && wishes.deletionAllowed !== true) {
      if (wishes.wanted !== undefined) throw unwritable(view.name, 'gone', view.path);
      return { kind: 'refused' };
    }
    return removalOf(context, view, action, wishes.removal ?? null);
  }
  if (wishes.removal !== undefined) refuseRemoval(view);
  const wanted = wishes.wanted;
  if (action.kind === 'create-file') return creationOf(context, view, action, wanted ?? null);
  if (wanted !== undefined) {
    const own = ownIntention(context, view, wanted);
    if (own !== null) return own;
  }
  if (!('agreed' in action) || !action.touchesFile) return { kind: 'rows', viewOptions: {} };
  return writeOf(context, view, action);
}

function removalOf(context: SyncContext, view: MemoryView, action: Deletion, wish: WishedRemoval | null): Intention {
  const { sight, row } = view;
  const removal: Removal = {
    kind: 'removal',
    name: view.name,
    record: action.record,
    origin: wish?.origin ?? action.reason,
    goneTo: wish?.goneTo ?? null,
    seqs: row.seqs,
    atMs: context.clock(),
  };
  const file = sight.kind === 'read' ? sight : null;
  return {
    kind: 'remove',
    removal,
    bytes: file?.bytes ?? null,
    hash: file?.hash ?? null,
    check: wish?.check ?? always,
  };
}

function refuseRemoval({ name, path, sight }: MemoryView): void {
  if (sight.kind === 'bad') throw unwritable(name, 'bad', path);
  if (sight.kind === 'in-progress') throw unwritable(name, 'in-progress', path);
}

function creationOf(
  context: SyncContext,
  view: MemoryView,
  action: CreateFile,
  wanted: WantedChange | null,
): Intention {
  const own = wanted?.change(action.target) ?? null;
  const record = own === null ? action.target : stamped(own.record, action.target, context.clock());
  const agreement: Agreement = {
    ...agreementOf(context, view, { ...unchangedPlan(record), merge: action.merge }),
    events: own?.events ?? [],
    ...(own?.learned === undefined ? {} : { learned: own.learned }),
  };
  return { kind: 'create', bytes: renderMemory(record), agreement, keepOld: () => keepReplaced(context, view, action) };
}

/** A plain reconciliation that writes the file; where the file cannot be edited in place, what the row has waits (MF-30). */
function writeOf(context: SyncContext, view: MemoryView, action: Reconcile): Intention {
  const { sight } = view;
  if (sight.kind !== 'read') return { kind: 'refused' };
  try {
    const bytes = bytesSaying(action.agreed, sight, knownKeys(view));
    const keepOld = () => keepReplaced(context, view, action);
    return {
      kind: 'write',
      bytes,
      agreement: agreementOf(context, view, action),
      sight,
      keepOld,
      stillAllowed: always,
    };
  } catch (error) {
    if (!(error instanceof EngramError) || error.code !== 'memory.layout') throw error;
    return { kind: 'rows', viewOptions: { layoutRefused: true } };
  }
}
