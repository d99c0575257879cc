import fc from 'fast-check';
import { contentKeysOf, type ParsedMemory, type RecordChanges } from '../../src/memory/record.ts';
import { basicString } from '../../src/memory/toml-values.ts';

/** A piece of a generated file that stands or goes as one. */
export interface Chunk {
  /** The key it gives a value to; null for comments, empty lines, headers and foreign keys. */
  readonly key: string | null;
  readonly pending: boolean;
  readonly text: string;
}

export interface GeneratedFile {
  readonly chunks: readonly Chunk[];
  readonly bom: boolean;
  readonly text: string;
}

/** Texts people write, and texts that break editors. */
export const texts = fc
  .oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
    {
      weight: 2,
      arbitrary: fc.string({
        unit: fc.constantFrom('"', "'", '\\', '\n', '\r', '\t', 'a', '#', '=', '[', '\u0001', ' '),
        minLength: 1,
        maxLength: 12,
      }),
    },
  )
  .map((text) => `${text}.`);

export const counts = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(2 ** 53 - 1));
export const confidences = fc.oneof(fc.constantFrom(0, 0.4, 0.7, 1, 1e-7), fc.double({ min: 0, max: 1, noNaN: true }));
export const times = fc
  .integer({ min: 0, max: 4_000_000_000 })
  .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);

const textTokens = texts.chain((text) => {
  const literal = /^[^'\p{Cc}]*$/u.test(text) ? [`'${text}'`] : [];
  const lines = /^[^'\u0000-\u0009\u000b-\u001f\u007f]*$/.test(text) ? [`'''${text}'''`, `'''\n${text}'''`] : [];
  const broken = /^[^"\\\u0000-\u0009\u000b-\u001f\u007f]*$/.test(text) ? [`"""${text}"""`, `"""\n${text}"""`] : [];
  return fc.constantFrom(basicString(text), ...literal, ...lines, ...broken);
});
const countTokens = fc.oneof(
  counts.map(String),
  fc.integer({ min: 0, max: 99 }).chain((n) => fc.constantFrom(`${n}.0`, `"${n}"`, `0x${n.toString(16)}`, `+${n}`)),
);
const timeTokens = times.chain((time) =>
  fc.constantFrom(
    `"${time}"`,
    `'${time}'`,
    time,
    time.replace('T', ' '),
    time.slice(0, -1),
    time.slice(0, 10),
    `"${time.slice(0, -1)}+02:00"`,
    `${time.slice(0, -1)}.123456789-01:30`,
  ),
);
const confidenceTokens = fc.oneof(
  fc.constantFrom('0', '1', '0.0', '1.0', '7e-1'),
  confidences.map((value) => value.toFixed(3)),
);
const flagTokens = fc.constantFrom('true', 'false', '"true"');

const COUNTERS = ['surfaced_count', 'followed_count', 'not_followed_count', 'irrelevant_count', 'missed_count'];
const tracking: Record<string, fc.Arbitrary<string>> = {
  ...Object.fromEntries(COUNTERS.map((key) => [key, countTokens])),
  initial_confidence: confidenceTokens,
  created_at: timeTokens,
  updated_at: timeTokens,
};
const top: Record<string, fc.Arbitrary<string>> = {
  source: textTokens,
  core: flagTokens,
  core_origin: fc.constantFrom('"user"', "'auto'"),
  project_scoped: flagTokens,
  project_slug: fc.constant('"shop-api"'),
};

/** Each at most once a section, and none of them looks like a part of a value: a test finds them again by their text. */
const noises = fc
  .subarray(['\n# surfaced_count = 5\n', '  # a note\n', '\n\n#-\n'])
  .map((lines) => lines.map((text) => ({ key: null, pending: false, text })));
const foreign = fc
  .constantFrom(
    'owner = "x"',
    'tags = [\n  "a", # one\n  "b",\n]',
    'due = 2026-04-20',
    "a.b = 'c'",
    'note = """\ncore = false\n"""',
  )
  .map((text) => ({ key: null, pending: false, text: `${text}\n` }));

/** Lines for the given keys in any order, with comments, empty lines and foreign keys between them. */
function section(tokens: Record<string, fc.Arbitrary<string>>, required: readonly string[]): fc.Arbitrary<Chunk[]> {
  const optional = Object.keys(tokens).filter((key) => !required.includes(key));
  return fc
    .tuple(fc.subarray(optional), noises, fc.option(foreign, { nil: null }), fc.infiniteStream(fc.nat()))
    .chain(([chosen, comments, alien, order]) => {
      const keys = [...required, ...chosen];
      const lines = keys.map((key) => keyLine(key, tokens[key] ?? fc.constant('""')));
      return fc.tuple(...lines).map((own) => {
        const chunks: Chunk[] = [...own, ...comments, ...(alien === null ? [] : [alien])];
        const weighted = chunks.map((chunk) => [order.next().value ?? 0, chunk] as const);
        return weighted.sort(([a], [b]) => a - b).map(([, chunk]) => chunk);
      });
    });
}

function keyLine(key: string, token: fc.Arbitrary<string>): fc.Arbitrary<Chunk> {
  return fc
    .tuple(
      token,
      fc.constantFrom('', '  ', '\t'),
      fc.constantFrom(' = ', '=', '   =  '),
      fc.constantFrom('', ' # why', '  '),
    )
    .chain(([value, indent, equals, tail]) =>
      fc
        .constantFrom(key, `"${key}"`)
        .map((name) => ({ key, pending: false, text: `${indent}${name}${equals}${value}${tail}\n` })),
    );
}

const header = (text: string): Chunk => ({ key: null, pending: false, text: `${text}\n` });
const pendingBlock: Chunk[] = ['[[pending_evaluations]] # old\n', 'surfaced_at = "x"\n', 'surfaced_count = 9\n'].map(
  (text) => ({ key: null, pending: true, text }),
);
const linksBlock = [header('[links]'), header('surfaced_count = 99'), header('action = "x"')];
const text = (name: string) => ({ [name]: textTokens });
const feedback = { ...text('behavior'), ...text('impact'), ...text('action') };
const fact = { ...text('subject'), ...text('predicate'), ...text('object') };

const flat = section({ situation: textTokens, ...feedback, ...top, ...tracking, schema_version: fc.constant('1') }, [
  'situation',
  ...Object.keys(feedback),
]);
const m1 = section(
  {
    title: textTokens,
    content: textTokens,
    principle: textTokens,
    anti_pattern: textTokens,
    rationale: textTokens,
    confidence: fc.constantFrom('"A"', '"D"'),
    contradicted_count: countTokens,
    ignored_count: fc.constant('2'),
    ...top,
    ...tracking,
  },
  ['title', 'content'],
).filter((chunks) => !chunks.some((chunk) => chunk.key === 'contradicted_count' && chunk.text.includes('9007')));
const nested = fc.constantFrom('1', '2', null).chain((version) =>
  fc.constantFrom(feedback, fact).chain((fields) => {
    const versionToken = version === null ? {} : { schema_version: fc.constant(version) };
    const upper = section({ situation: textTokens, ...top, ...tracking, ...versionToken }, [
      'situation',
      ...Object.keys(versionToken),
    ]);
    return fc
      .tuple(upper, section({ ...fields, ...tracking }, Object.keys(fields)))
      .map(([above, below]) => [...above, header('[content] # texts'), ...below]);
  }),
);

/** Files of all variants, as people and programs might write them. All of them can be read. */
export const memoryFiles: fc.Arbitrary<GeneratedFile> = fc
  .tuple(fc.oneof(flat, m1, nested), fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean())
  .filter(([chunks]) => !isScopedToNothing(chunks))
  .map(([chunks, hasLinks, hasPending, crlf, bom, cut]) => {
    const all = [...chunks, ...(hasPending ? pendingBlock : []), ...(hasLinks ? linksBlock : [])];
    const ended = all.map((chunk) => ({ ...chunk, text: crlf ? chunk.text.replaceAll('\n', '\r\n') : chunk.text }));
    const last = ended.at(-1);
    if (cut && last !== undefined) ended[ended.length - 1] = { ...last, text: last.text.replace(/\r?\n$/, '') };
    return { chunks: ended, bom, text: (bom ? '\ufeff' : '') + ended.map((chunk) => chunk.text).join('') };
  });

/** Valid TOML, but quarantined (MF-23). */
function isScopedToNothing(chunks: readonly Chunk[]): boolean {
  const isScoped = chunks.some(({ key, text: line }) => key === 'project_scoped' && /= *"?true/.test(line));
  return isScoped && !chunks.some(({ key }) => key === 'project_slug');
}

/** Some of the keys that an edit of this memory may name, with new values. */
export function changesOf({ record, variant, unusable }: ParsedMemory): fc.Arbitrary<RecordChanges> {
  const [a, b, c] = contentKeysOf(record.type);
  const authored = { [a]: texts, [b]: texts, [c]: texts, ...(variant === 'M1' ? {} : { situation: texts }) };
  const all = {
    ...authored,
    source: texts,
    core: fc.boolean(),
    core_origin: fc.constantFrom('user' as const, 'auto' as const, null),
    project_scoped: fc.boolean(),
    project_slug: texts,
    surfaced_count: counts,
    followed_count: counts,
    not_followed_count: counts,
    irrelevant_count: counts,
    missed_count: counts,
    initial_confidence: confidences,
    created_at: times,
    updated_at: times,
  };
  const usable = Object.fromEntries(Object.entries(all).filter(([key]) => !unusable.some((other) => other === key)));
  const changes = fc.record(usable, { requiredKeys: [] }) as fc.Arbitrary<RecordChanges>;
  return changes.filter(({ project_scoped, project_slug }) => {
    const isScoped = project_scoped ?? record.project_scoped;
    return !isScoped || (project_slug ?? record.project_slug) !== '';
  });
}
