import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Everything that is delivered. An id stands here from the change that delivers it, and some test's name cites it. */
const DELIVERED = [
  // The record: files, names, reading, writing, locks, tiers and figures; of MF-49 what does not need import.
  ...range('MF', 1, 49),
  // Words and identity, the store, the planner, the plain shell, absence, the executor.
  ...range('SY', 1, 44),
  // Encodings, links, other tools, git; watching; freshness before reading, and what lies beside the files.
  ...range('SY', 45, 58),
  // Opening; status, check, repair, configuration.
  ...range('SY', 59, 72),
  // Text, indexes, the words arm.
  ...range('SE', 1, 19),
  // Meaning and token vectors, long intents.
  ...range('SE', 20, 29),
  ...range('SE', 70, 74),
  // Filters, relevance, policies, answers. SE-32 is unused, SE-36 gives reasons only.
  ...ids('SE', 30, 31),
  ...range('SE', 33, 35),
  ...range('SE', 38, 50),
  ...ids('SE', 59, 60, 61),
  // Same, opposite and related; the lint; what engram printed itself.
  ...ids('SE', 37),
  ...range('SE', 51, 58),
  ...cases('Q', 20, 21, 22, 23, 24, 26, 27),
  // Where a project talks.
  ...range('CH', 1, 6),
  // How retrieval is measured.
  ...range('SE', 62, 69),
  // The chat file: blocks, their ids, reading and appending them, cursors.
  ...range('CH', 7, 26),
  // Chat commands: threads, answers, time, presence. CH-37 to CH-39 and CH-41 to CH-44 bind agents.
  ...range('CH', 27, 36),
  ...ids('CH', 40, 45),
  ...range('CH', 46, 51),
  // What the agent learns, against what is known.
  ...ids('AG', 2),
  ...range('AG', 4, 53),
  // Cases of sync. S14 and the rest of X07 wait for MCP and import, X08 for sqlite-vec.
  ...cases('S', ...upTo(13), ...upTo(40).slice(14)),
  ...cases('X', ...upTo(7), ...upTo(12).slice(8)),
  // Cases of search; Q28 says whose memories apply.
  ...cases('Q', ...upTo(19), 25, 28, 29, 30),
];

test('each delivered requirement is cited by the name of a test', () => {
  const cited = new Set(testNames().flatMap((name) => name.match(/\b(?:(?:MF|SY|SE|CH|AG)-\d+|[SXQ]\d\d)\b/g) ?? []));
  expect(DELIVERED.filter((id) => !cited.has(id))).toEqual([]);
});

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, at) => at + 1);
}

function range(prefix: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `${prefix}-${from + at}`);
}

function ids(prefix: string, ...numbers: number[]): string[] {
  return numbers.map((number) => `${prefix}-${number}`);
}

function cases(prefix: string, ...numbers: number[]): string[] {
  return numbers.map((number) => `${prefix}${String(number).padStart(2, '0')}`);
}

/** Texts that become names of tests: the name itself, and the table of an `each` whose name has a placeholder. */
function testNames(): string[] {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.ts'));
  return files.flatMap((path) =>
    namesIn(ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest)),
  );
}

function namesIn(file: ts.SourceFile): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTestFunction(node.expression)) {
      const [name] = node.arguments;
      const isName = name !== undefined && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name));
      const text = isName ? literals(name).join(' ') : '';
      names.push(text);
      if (/[%$]/.test(text) && ts.isCallExpression(node.expression))
        names.push(...node.expression.arguments.flatMap(literals));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

/** `test`, `it.skipIf(...)`, `describe.each(...)` and the like. */
function isTestFunction(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return ['test', 'it', 'describe'].includes(callee.text);
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return isTestFunction(callee.expression);
  return false;
}

function literals(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
    return [node.text];
  const found: string[] = [];
  ts.forEachChild(node, (child) => void found.push(...literals(child)));
  return found;
}
