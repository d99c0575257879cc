/** A path with a base whose file was not found. `bytesHash` is that of the base. */
export interface VanishedPath {
  readonly name: string;
  /** Below `memory/`, the exact bytes of the name on disk. */
  readonly path: string;
  /** `path` after NFC and case folding. */
  readonly foldedPath: string;
  readonly bytesHash: string;
  /** Whether the absence is verified (SY-28). */
  readonly verified: boolean;
}

/** A file that was found under a path; `hasBase` is false for a new one. */
export interface AppearedPath {
  readonly path: string;
  readonly foldedPath: string;
  readonly bytesHash: string;
  readonly hasBase: boolean;
}

export interface RenamePlan<V extends VanishedPath, A extends AppearedPath> {
  /** Row, pk, history, events and base move; the old name gets an archive entry with `gone_to` (SY-21). */
  readonly pairs: readonly { readonly from: V; readonly to: A }[];
  /** New files left alone until the absence of `from` is verified or refuted. */
  readonly waits: readonly { readonly from: V; readonly to: A }[];
  /** New memories whose bytes equal those of a memory that is still there. */
  readonly duplicates: readonly { readonly path: string; readonly of: string }[];
}

/**
 * Finds the renames of one batch (SY-21, SY-22), whatever the order of its events. A fold-equal new name beside a
 * vanished one is a rename also when the bytes differ, and needs no verified absence: on some file systems the old name
 * still answers. Otherwise bytes decide, several equal candidates pair in byte order. A path with a base is never the
 * target of a rename, so two names that swapped contents are two edits.
 *
 * @param present - based files that are still there, to name the source of a copy
 */
export function planRenames<V extends VanishedPath, A extends AppearedPath>(
  vanished: readonly V[],
  appeared: readonly A[],
  present: readonly { readonly name: string; readonly bytesHash: string }[] = [],
): RenamePlan<V, A> {
  const sources = [...vanished].sort((a, b) => compareBytes(a.path, b.path));
  const targets = appeared.filter((file) => !file.hasBase).sort((a, b) => compareBytes(a.path, b.path));
  const folded = pairBy(sources, targets, (file) => file.foldedPath);
  const moved = pairBy(folded.unpairedSources, folded.unpairedTargets, (file) => file.bytesHash);
  const nameByHash = new Map([...present].reverse().map((memory) => [memory.bytesHash, memory.name]));
  return {
    pairs: [...folded.pairs, ...moved.pairs.filter((pair) => pair.from.verified)],
    waits: moved.pairs.filter((pair) => !pair.from.verified),
    duplicates: moved.unpairedTargets.flatMap((file) => {
      const of = nameByHash.get(file.bytesHash);
      return of === undefined ? [] : [{ path: file.path, of }];
    }),
  };
}

function pairBy<V extends VanishedPath, A extends AppearedPath>(
  sources: readonly V[],
  targets: readonly A[],
  keyOf: (file: VanishedPath | AppearedPath) => string,
) {
  const waiting = new Map<string, A[]>();
  for (const target of targets) {
    const group = waiting.get(keyOf(target));
    if (group === undefined) waiting.set(keyOf(target), [target]);
    else group.push(target);
  }
  const pairs: { readonly from: V; readonly to: A }[] = [];
  const unpairedSources: V[] = [];
  for (const from of sources) {
    const to = waiting.get(keyOf(from))?.shift();
    if (to === undefined) unpairedSources.push(from);
    else pairs.push({ from, to });
  }
  const paired = new Set(pairs.map((pair) => pair.to));
  return { pairs, unpairedSources, unpairedTargets: targets.filter((target) => !paired.has(target)) };
}

const utf8 = new TextEncoder();

function compareBytes(a: string, b: string): number {
  const left = utf8.encode(a);
  const right = utf8.encode(b);
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
