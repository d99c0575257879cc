import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AppearedPath, planRenames, type VanishedPath } from '../../src/sync/plan-renames.ts';

const fold = (path: string) => path.normalize('NFC').toLowerCase();

function vanished(slug: string, bytesHash: string, verified = true): VanishedPath {
  const path = `feedback/${slug}.toml`;
  return { name: `feedback/${slug}`.normalize('NFC'), path, foldedPath: fold(path), bytesHash, verified };
}

function appeared(slug: string, bytesHash: string, hasBase = false): AppearedPath {
  const path = `feedback/${slug}.toml`;
  return { path, foldedPath: fold(path), bytesHash, hasBase };
}

const slugs = (pairs: readonly { readonly from: VanishedPath; readonly to: AppearedPath }[]) =>
  pairs.map(({ from, to }) => `${from.path} -> ${to.path}`.replace(/feedback\/|\.toml/g, ''));

describe('SY-21', () => {
  test('S25: a new file with the bytes of a vanished one is a rename', () => {
    const plan = planRenames([vanished('a', 'x')], [appeared('b', 'x')]);
    expect(slugs(plan.pairs)).toEqual(['a -> b']);
    expect(plan).toMatchObject({ waits: [], duplicates: [] });
  });

  test('a rename across directories is one', () => {
    const moved = { ...appeared('a', 'x'), path: 'facts/a.toml', foldedPath: 'facts/a.toml' };
    expect(planRenames([vanished('a', 'x')], [moved]).pairs).toHaveLength(1);
  });

  test('other bytes under another name are none', () => {
    expect(planRenames([vanished('a', 'x')], [appeared('b', 'y')])).toEqual({ pairs: [], waits: [], duplicates: [] });
  });

  test('S25: names that swapped contents are two edits', () => {
    const plan = planRenames(
      [],
      [appeared('a', 'y', true), appeared('b', 'x', true)],
      [
        { name: 'feedback/a', bytesHash: 'x' },
        { name: 'feedback/b', bytesHash: 'y' },
      ],
    );
    expect(plan).toEqual({ pairs: [], waits: [], duplicates: [] });
  });

  test('a path with a base is never the target', () => {
    const plan = planRenames([vanished('a', 'x')], [appeared('b', 'x', true)]);
    expect(plan.pairs).toEqual([]);
  });

  test('several equal candidates pair in byte order', () => {
    const plan = planRenames(
      [vanished('b', 'x'), vanished('a', 'x')],
      [appeared('\u{1f600}', 'x'), appeared('\uff21', 'x'), appeared('d', 'x')],
    );
    expect(slugs(plan.pairs)).toEqual(['a -> d', 'b -> \uff21']);
  });

  test('the order of events does not matter', () => {
    const gone = [vanished('a', 'x'), vanished('b', 'y'), vanished('c', 'x', false)];
    const fresh = [appeared('d', 'y'), appeared('e', 'x'), appeared('f', 'x'), appeared('g', 'x')];
    expect(planRenames([...gone].reverse(), [...fresh].reverse())).toEqual(planRenames(gone, fresh));
  });

  test('a new file waits while the absence of its source is not verified', () => {
    const plan = planRenames([vanished('a', 'x', false)], [appeared('b', 'x'), appeared('c', 'z')]);
    expect(plan.pairs).toEqual([]);
    expect(slugs(plan.waits)).toEqual(['a -> b']);
  });

  test('S25: a copy whose source is still there is a duplicate', () => {
    const plan = planRenames([], [appeared('c', 'x')], [{ name: 'feedback/a', bytesHash: 'x' }]);
    expect(plan).toEqual({ pairs: [], waits: [], duplicates: [{ path: 'feedback/c.toml', of: 'feedback/a' }] });
  });

  test('a rename is no duplicate, though an equal memory is there', () => {
    const plan = planRenames([vanished('a', 'x')], [appeared('b', 'x')], [{ name: 'feedback/z', bytesHash: 'x' }]);
    expect(slugs(plan.pairs)).toEqual(['a -> b']);
    expect(plan.duplicates).toEqual([]);
  });
});

describe('SY-22', () => {
  test.each([
    ['case', 'a', 'A'],
    ['NFC to NFD', 'caf\u00e9', 'cafe\u0301'],
  ])(
    'S25: a fold-equal new name (%s) is a rename also with other bytes and before the absence is verified',
    (_, from, to) => {
      const plan = planRenames([vanished(from, 'x', false)], [appeared(to, 'y')]);
      expect(slugs(plan.pairs)).toEqual([`${from} -> ${to}`]);
      expect(plan.waits).toEqual([]);
    },
  );

  test('it goes before a name with the same bytes', () => {
    const plan = planRenames([vanished('a', 'x')], [appeared('A', 'y'), appeared('0', 'x')]);
    expect(slugs(plan.pairs)).toEqual(['a -> A']);
  });
});

test('SY-21: no path is paired twice, nothing with a base is a target, and order does not matter', () => {
  const hash = fc.constantFrom('x', 'y');
  const gone = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), hash, fc.boolean()), {
    selector: (v) => v[0],
  });
  const fresh = fc.uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'e', 'f', 'g'), hash, fc.boolean()), {
    selector: (v) => v[0],
  });
  fc.assert(
    fc.property(gone, fresh, (sources, targets) => {
      const from = sources.map((v) => vanished(...v));
      const to = targets.map((v) => appeared(...v));
      const plan = planRenames(from, to);
      const both = [...plan.pairs, ...plan.waits];
      expect(new Set(both.map((pair) => pair.from)).size).toBe(both.length);
      expect(new Set(both.map((pair) => pair.to)).size).toBe(both.length);
      expect(both.every((pair) => !pair.to.hasBase)).toBe(true);
      expect(planRenames([...from].reverse(), [...to].reverse())).toEqual(plan);
      // As many renames as can be: what is left over on both sides has nothing in common.
      const leftHashes = from.filter((v) => !both.some((pair) => pair.from === v)).map((v) => v.bytesHash);
      const rest = to.filter((v) => !v.hasBase && !both.some((pair) => pair.to === v));
      for (const target of rest) expect(leftHashes).not.toContain(target.bytesHash);
    }),
  );
});
