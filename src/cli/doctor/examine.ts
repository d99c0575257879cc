import { openEngram } from '../../engram.ts';
import { EngramError } from '../../errors.ts';
import { gitMerging } from '../../exchange/git-merging.ts';
import { lookUp } from '../../files/memory-directory.ts';
import type { EmbeddingSettings } from '../../search/embedder-source.ts';
import { type DatabaseState, openToExamine } from '../../store/open.ts';
import { checkStoreQuickly } from '../../sync/check.ts';
import { notImportedText } from '../not-imported-text.ts';
import { type DoctorFinding, fromCheck } from './finding.ts';
import { examineMachine, type Machine, thisMachine } from './machine.ts';
import { type ExaminedStatus, findingsOfStatus } from './store-findings.ts';
import { makeScratch, type TrialStep, tryWholeLoop } from './trial.ts';

export interface DoctorReport {
  readonly findings: readonly DoctorFinding[];
  /** What is as it should be, and good to know. */
  readonly notes: readonly string[];
  /** The whole way of a memory, in a store of its own. */
  readonly trial: readonly TrialStep[];
  /** As `db status`; null where there is no store that can be opened. */
  readonly status: ExaminedStatus | null;
}

export interface DoctorRequest {
  /** Absolute path of the data root. */
  readonly root: string;
  readonly embedding: EmbeddingSettings;
  /** Variables that look like ours and are not. */
  readonly unknownVariables: readonly { readonly name: string; readonly suggestion: string | null }[];
  readonly machine?: Machine;
}

/**
 * Tries the whole loop in a temporary store, and looks at the machine and at the store without changing it. A store that
 * cannot be opened is a finding.
 */
export async function examine(request: DoctorRequest): Promise<DoctorReport> {
  const { root, embedding, unknownVariables, machine = thisMachine } = request;
  using scratch = makeScratch();
  const onMachine = examineMachine(machine, root, scratch.path);
  const [trial, native] = await triedLoop(scratch.path, embedding);
  const store = native === null ? await examineStore(root, embedding, onMachine) : NO_STORE;
  return {
    findings: [
      ...onMachine,
      ...unknownVariables.map(variableFinding),
      ...(native === null ? [] : [native]),
      ...store.findings,
      // A model that does not answer is said once.
      ...trial
        .filter(({ step }) => step !== 'meaning' || !store.findings.some(({ kind }) => kind === 'model'))
        .flatMap(trialFinding),
    ],
    notes: [...store.notes, ...(embedding.provider === 'built-in' ? [ENGLISH] : [])],
    trial,
    status: store.status,
  };
}

/** SE-29. */
const ENGLISH =
  'the built-in model is for English: other languages are matched by their words; engram embed use openai takes a multilingual model';

/** Without the native part of SQLite nothing works, and one finding says it (SY-65). */
async function triedLoop(
  directory: string,
  embedding: EmbeddingSettings,
): Promise<[TrialStep[], DoctorFinding | null]> {
  try {
    return [await tryWholeLoop(directory, embedding), null];
  } catch (error) {
    if (!(error instanceof EngramError)) throw error;
    return [[], failure(error, directory)];
  }
}

const KINDS: Readonly<Record<string, DoctorFinding['kind']>> = {
  'native-module': 'native-module',
  'data-root.network': 'network',
  'data-root.invalid': 'root',
  'database.damaged': 'integrity',
};

function failure({ code, message, hint }: EngramError, subject: string): DoctorFinding {
  const kind = KINDS[code] ?? 'database';
  return {
    kind,
    subject: kind === 'native-module' ? 'better-sqlite3' : subject,
    message,
    next: hint ?? 'engram db check',
  };
}

type StoreReport = Pick<DoctorReport, 'findings' | 'notes' | 'status'>;

const NO_STORE: StoreReport = { findings: [], notes: [], status: null };

async function examineStore(
  root: string,
  embedding: EmbeddingSettings,
  known: readonly DoctorFinding[],
): Promise<StoreReport> {
  if (lookUp(root) === 'absent') {
    return { ...NO_STORE, notes: [`there is no store at ${root} yet; engram learn makes one`] };
  }
  if (known.some(({ kind }) => kind === 'network')) return NO_STORE;
  try {
    const { store, state } = await openToExamine(root);
    using engram = await openEngram({ root, origin: 'cli', embedding, store });
    const { notes: _, ...status } = await engram.status({ withoutNotes: true });
    const checked = checkStoreQuickly(engram.context).map(fromCheck);
    const found = state === 'current' ? findingsOfStatus(status, embedding.provider) : [];
    return {
      findings: [...stateFindings(state, store.unwritable ?? root), ...checked, ...found],
      notes: [
        ...stateNotes(state),
        ...gitNotes(engram.context.paths.memory),
        ...(status.notImported === 'unknown' ? [] : status.notImported).map((place) => notImportedText(place, root)),
      ],
      status,
    };
  } catch (error) {
    if (!(error instanceof EngramError)) throw error;
    return { ...NO_STORE, findings: [failure(error, root)] };
  }
}

function stateFindings(state: DatabaseState, unwritable: string): DoctorFinding[] {
  if (state !== 'unwritable') return [];
  const message = 'it cannot be written: answers come from an index in memory, and nothing is learned';
  return [{ kind: 'root', subject: unwritable, message, next: `chmod u+rwX '${unwritable}', or --data-dir DIR` }];
}

function stateNotes(state: DatabaseState): string[] {
  if (state === 'absent') return ['there is no database yet; the next command makes it from the files'];
  return state === 'older' ? ['the database is of an older engram; the next command backs it up and migrates it'] : [];
}

function gitNotes(memory: string): string[] {
  const merging = gitMerging(memory);
  if (merging.kind === 'no-repository') return [];
  if (merging.kind === 'by-field') return ['git merges memories field by field'];
  const what =
    merging.missing === 'driver' ? 'its merge driver is not configured here' : 'no merge driver is named for them';
  return [`git merges memories line by line, since ${what}; engram setup git changes that`];
}

function variableFinding({ name, suggestion }: DoctorRequest['unknownVariables'][number]): DoctorFinding {
  const message = `no setting of engram${suggestion === null ? '' : `; did you mean ${suggestion}?`}`;
  return { kind: 'variable', subject: name, message, next: `unset ${name}` };
}

function trialFinding({ step, problem }: TrialStep): DoctorFinding[] {
  if (problem === null) return [];
  const next = 'install engram again; if that does not help, report this with the output of engram doctor --json';
  return [{ kind: 'trial', subject: step, message: problem, next }];
}
