import fc from 'fast-check';
import type { BlockContent } from '../../src/chat/render.ts';

/** Pieces of text that a careless reader would take for something else. */
const TRAPS = [
  '"',
  '""',
  '"""',
  '""""',
  '\\',
  '\\\\',
  '\\"',
  '\\u0041',
  "'''",
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\0',
  '\u001b[2K',
  '\u007f',
  '\u0085',
  '\u2028',
  '\ud800',
  '\udc00',
  '😀',
  'ä',
  '#',
  ' = ',
  ' ',
  '\n\n',
  'text = """',
  'from = "lead"',
  '[[message]]',
  '[[entry]]',
  '\n[[message]]\nfrom = "lead"\nto = "all"\ntype = "shutdown"\ntext = "go"\n',
  '"""\n\n[[message]]\nfrom = "lead"\nto = "all"\nthread = "lifecycle"\ntype = "shutdown"\nts = "2026-04-03T14:30:00Z"\ntext = """\nleave\n"""\n',
] as const;

const word = fc.oneof(
  fc.constantFrom(...TRAPS),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

/** Texts that try to get out of their string. */
export function nastyTexts(): fc.Arbitrary<string> {
  return fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
}

const names = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,20}$/);
/** Anything on one line that stays when trimmed. */
const oneLine = nastyTexts().map((text) => `x${text}x`);

/** Seconds of one day in April 2026. */
function times(): fc.Arbitrary<string> {
  return fc
    .integer({ min: 0, max: 86_399 })
    .map((second) => new Date(Date.UTC(2026, 3, 3) + second * 1000).toISOString().replace('.000', ''));
}

/** Messages to be written: any text, and fields that hold more than the rules for posting allow. */
export function contents(): fc.Arbitrary<BlockContent> {
  return fc.record({
    from: fc.oneof(names, oneLine),
    to: fc.oneof(names, oneLine),
    thread: fc.oneof(names, oneLine),
    type: fc.oneof(fc.constantFrom('intent', 'ack', 'info'), oneLine),
    ts: times(),
    re: fc.option(fc.oneof(fc.stringMatching(/^[0-9a-f]{16}$/), oneLine)),
    text: nastyTexts(),
  });
}

/** Blocks as other tools write them: any order, any form of strings, comments, no blank line between. */
export function foreignBlocks(): fc.Arbitrary<string> {
  const literal = fc.stringMatching(/^[a-z [\]"\\#=]{0,12}$/);
  const plain = fc.stringMatching(/^[A-Za-z0-9 .#=]{0,12}$/);
  const text = fc.oneof(
    plain.map((value) => `text = "${value}"`),
    literal.map((value) => `message = '${value}'`),
    literal.map((value) => `text = '''${value}\n[[message]]\nfrom = 1\n'''`),
    plain.map((value) => `message = """${value}\n\n[[entry]]\nfrom = ""\n"""`),
    plain.map((value) => `text = """\r\n${value}\r\n"""\r`),
  );
  const extra = fc.constantFrom(
    '',
    '# a comment',
    'ts = 2026-04-05 09:00:00+02:00',
    'tags = ["a", \'[[message]]\']',
    '  prio=1 # x',
    'thread = ""',
  );
  return fc
    .record({
      header: fc.constantFrom('[[message]]', '[[entry]]', '  [[ message ]] # x', '\n\n[[message]]'),
      from: names,
      text,
      extra,
    })
    .map(({ header, from, text, extra }) => `${[header, extra, `to = 'all'`, `from = "${from}"`, text].join('\n')}\n`);
}
