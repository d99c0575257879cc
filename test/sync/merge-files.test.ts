import { describe, expect, test } from 'vitest';
import { readMemory } from '../../src/memory/read-toml.ts';
import { settleFields } from '../../src/sync/merge-files.ts';
import { feedbackText } from '../support/sync-store.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function settled(base: string, ours: string, theirs: string) {
  const settlement = settleFields({ base: encode(base), ours: encode(ours), theirs: encode(theirs) }, 'feedback');
  if (settlement.kind !== 'settled') throw new Error(settlement.reason);
  const { files } = settlement;
  return { ...settlement, base: decode(files.base), ours: decode(files.ours), theirs: decode(files.theirs) };
}

function reasonOf(base: string, ours: string, theirs: string): string {
  const settlement = settleFields({ base: encode(base), ours: encode(ours), theirs: encode(theirs) }, 'feedback');
  return settlement.kind === 'settled' ? 'settled' : settlement.reason;
}

describe('SY-15, SY-46: the fields of three files', () => {
  test('each file says the merged values, in its own layout', () => {
    const base = feedbackText();
    const ours = `# ours\n${feedbackText({ surfaced_count: '7', updated_at: '"2026-05-01T00:00:00Z"', core: 'true' })}`;
    const theirs = feedbackText({
      surfaced_count: '"8"  # counted',
      followed_count: '5',
      updated_at: '2026-06-01T02:00:00+02:00',
      created_at: '"2026-04-01T10:00:00Z"',
      action: `'by them'`,
    });
    const result = settled(base, ours, theirs);
    const merged = {
      surfaced_count: '9',
      followed_count: '5',
      core: 'true',
      action: '"by them"',
      created_at: '"2026-04-01T10:00:00Z"',
      updated_at: '"2026-06-01T00:00:00Z"',
    };
    expect(result.base).toBe(feedbackText(merged));
    expect(result.ours).toBe(`# ours\n${feedbackText(merged)}`);
    expect(result.theirs).toBe(
      feedbackText({
        ...merged,
        surfaced_count: '"9"  # counted',
        updated_at: '2026-06-01T02:00:00+02:00',
        action: `'by them'`,
      }),
    );
    expect([result.clashes, result.decided]).toEqual([[], []]);
    expect(result.isTrueTo(encode(result.ours))).toBe(true);
    expect(result.isTrueTo(encode(ours))).toBe(false);
  });

  test('a text that both changed stays what each made of it, the rest is settled', () => {
    const result = settled(
      feedbackText(),
      feedbackText({ action: '"ours"', surfaced_count: '7' }),
      feedbackText({ action: '"theirs"', surfaced_count: '8' }),
    );
    expect(result.clashes).toEqual(['action']);
    expect(result.base).toBe(feedbackText({ surfaced_count: '9' }));
    expect(result.ours).toBe(feedbackText({ action: '"ours"', surfaced_count: '9' }));
    expect(result.theirs).toBe(feedbackText({ action: '"theirs"', surfaced_count: '9' }));
    expect(result.isTrueTo(encode(result.ours))).toBe(false);
  });

  test('SY-16: texts that differ in white space alone do not clash; the one of ours stays', () => {
    const result = settled(feedbackText(), feedbackText({ action: '"a  b"' }), feedbackText({ action: '"a b "' }));
    expect([result.clashes, result.theirs]).toEqual([[], feedbackText({ action: '"a  b"' })]);
  });

  test('without a base the larger count stays, and what both say the same way', () => {
    const ours = feedbackText({ surfaced_count: '9', created_at: '"2026-01-01T00:00:00Z"', source: '"a"' });
    const theirs = feedbackText({ surfaced_count: '2', followed_count: '7', source: '"b"' });
    const result = settled('', ours, theirs);
    const merged = { surfaced_count: '9', followed_count: '7', created_at: '"2026-01-01T00:00:00Z"', source: '"a"' };
    expect([result.base, result.ours, result.theirs]).toEqual(['', feedbackText(merged), feedbackText(merged)]);
    expect([result.clashes, result.decided]).toEqual([[], ['source']]);
  });

  test('two projects clash, flag and name together; a pin wins over a promotion', () => {
    const scoped = (slug: string) => ({ project_scoped: 'true', project_slug: `"${slug}"` });
    const result = settled(
      feedbackText(),
      feedbackText({ ...scoped('web'), core: 'true\ncore_origin = "auto"' }),
      feedbackText({ ...scoped('api'), core: 'true\ncore_origin = "user"' }),
    );
    expect(result.clashes).toEqual(['project_slug']);
    expect(result.decided).toEqual(['core_origin']);
    expect(result.ours).toContain('project_scoped = true\nproject_slug = "web"');
    expect(result.theirs).toContain('project_scoped = true\nproject_slug = "api"');
    expect(result.base).toContain('project_scoped = false\nproject_slug = ""');
    for (const text of [result.base, result.ours, result.theirs]) expect(text).toContain('core_origin = "user"\n');
  });

  test('SY-17, MF-22: a counter without its line is no count, and its line returns', () => {
    const ours = feedbackText().replace('surfaced_count = 6\n', '').replace('followed_count = 4', 'followed_count = 1');
    const result = settled(feedbackText(), ours, feedbackText({ surfaced_count: '8' }));
    expect(readMemory(encode(result.ours), 'feedback')).toMatchObject({
      kind: 'ok',
      memory: { record: { surfaced_count: 8, followed_count: 4 } },
    });
    const down = settled(feedbackText(), feedbackText({ surfaced_count: '5' }), feedbackText({ surfaced_count: '8' }));
    expect(down.ours).toBe(feedbackText({ surfaced_count: '7' }));
  });

  test('MF-24: a value that nobody can use is left to the lines, in all three files', () => {
    const result = settled(
      feedbackText({ initial_confidence: '1.7' }),
      feedbackText({ initial_confidence: '1.7', surfaced_count: '-3' }),
      feedbackText({ initial_confidence: '1.7', surfaced_count: '8', followed_count: '5' }),
    );
    const all = { initial_confidence: '1.7', followed_count: '5' };
    expect(result.base).toBe(feedbackText(all));
    expect(result.ours).toBe(feedbackText({ ...all, surfaced_count: '-3' }));
    expect(result.theirs).toBe(feedbackText({ ...all, surfaced_count: '8' }));
  });

  test('a string of several lines is one line while lines are merged, and returns as it was', () => {
    const text = (body: string) => feedbackText({ action: `"""\n${body}\n"""`, impact: "'''\n$1 $&\n'''" });
    const result = settled(text('a\nb'), text('a\nours'), text('a\ntheirs'));
    expect(result.clashes).toEqual(['action']);
    for (const one of [result.base, result.ours, result.theirs])
      expect(one.split('\n')).toHaveLength(feedbackText().split('\n').length);
    expect(result.ours).not.toBe(result.theirs);
    expect(decode(result.toFile(encode(result.ours)))).toBe(text('a\nours'));
  });

  test('a byte order mark and CRLF of ours stay', () => {
    const crlf = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const result = settled(
      crlf(feedbackText()),
      crlf(feedbackText({ surfaced_count: '7' })),
      crlf(feedbackText({ surfaced_count: '7' })),
    );
    expect(decode(result.toFile(result.files.ours)).replace('\ufeff', '')).not.toMatch(/[^\r]\n/);
    expect([...result.toFile(result.files.ours).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });
});

describe('SY-46: what is no memory is not merged as one', () => {
  const fine = feedbackText();
  const other = feedbackText({ surfaced_count: '9' });
  test.each([
    ['a side that is no memory', fine, 'hello\n', other, /^ours is no memory/],
    ['marks in the base', `<<<<<<< a\n${fine}`, fine, other, /^base is no memory \(a merge that is not finished\)/],
    ['an empty side', fine, fine, '', /^theirs is no memory/],
    ['a newer version', fine, feedbackText({ schema_version: '3' }), other, /^ours is of a newer engram/],
    [
      'another type',
      fine,
      other,
      fine
        .replace('"feedback"', '"fact"')
        .replace('behavior', 'subject')
        .replace('impact', 'predicate')
        .replace('action', 'object'),
      /^the type of the memory changed/,
    ],
  ])('%s', (_, base, ours, theirs, reason) => {
    expect(reasonOf(base, ours, theirs)).toMatch(reason);
    expect(reasonOf(fine, fine, other)).toBe('settled');
  });
});
