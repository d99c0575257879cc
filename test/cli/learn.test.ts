import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { BIN, type RunOptions, runEngram } from '../support/engram.ts';
import { onTerminal } from '../support/terminal.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const root = () => join(home, '.local/share/engram');
const engram = (args: readonly string[], options?: RunOptions) => runEngram(home, args, options);
const json = (args: readonly string[], options?: RunOptions) => {
  const ran = engram([...args, '--json'], options);
  return { status: ran.status, value: JSON.parse(ran.stdout || ran.stderr) };
};
const memories = (directory: string) => {
  const path = join(root(), 'memory', directory);
  return existsSync(path) ? readdirSync(path) : [];
};

const FEEDBACK = {
  situation: 'When regenerating the API client',
  behavior: 'Editing the generated client by hand',
  impact: 'The next run removed the fix',
  action: 'Change the schema',
};
const FACT = { situation: 'When running the tests', subject: 'shop', predicate: 'test command', object: 'make check' };
const optionsOf = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).flatMap(([key, value]) => [`--${key}`, value]);

describe('learn', () => {
  test.each([
    ['feedback', FEEDBACK, 'feedback/when-regenerating-the-api-client'],
    ['fact', FACT, 'facts/shop-test-command-make-check'],
  ])('%s takes options, or one JSON object on stdin: the same file comes of both', (type, fields, name) => {
    expect(engram(['learn', type, ...optionsOf(fields), '--confidence', '0.5', '--everywhere'])).toEqual({
      status: 0,
      stdout: `learned ${name}\n  applies everywhere\n`,
      stderr: '',
    });
    const file = join(root(), 'memory', `${name}.toml`);
    const byOptions = readFileSync(file, 'utf8');
    rmSync(root(), { recursive: true });
    const input = JSON.stringify({ ...fields, confidence: 0.5, everywhere: true });
    expect(json(['learn', type], { input })).toMatchObject({ status: 0, value: { kind: 'created', name } });
    const timeless = (text: string) => text.replaceAll(/_at = .*/g, '');
    expect(timeless(readFileSync(file, 'utf8'))).toBe(timeless(byOptions));
  });

  test('an option wins over the same key on stdin only where no text is among the options', () => {
    const input = JSON.stringify(FEEDBACK);
    expect(json(['learn', 'feedback', '--everywhere'], { input }).value).toMatchObject({
      record: { project_scoped: false, action: FEEDBACK.action },
    });
  });

  test('D11: scopes to the project of the working directory, unless --everywhere or --project', () => {
    const cwd = join(home, 'shop');
    mkdirSync(cwd);
    const scopeOf = (...args: string[]) => {
      const { record } = json(
        ['learn', 'fact', ...optionsOf({ ...FACT, predicate: 'has', object: `make ${args.join()}` }), ...args],
        {
          cwd,
        },
      ).value;
      return [record.project_scoped, record.project_slug];
    };
    expect(scopeOf()).toEqual([true, 'shop']);
    expect(scopeOf('--everywhere')).toEqual([false, 'shop']);
    expect(scopeOf('--project', 'Depot')).toEqual([true, 'depot']);
    expect(json(['learn', 'fact', ...optionsOf(FACT)], { cwd: home }).value.record.project_scoped).toBe(false);
  });

  test('without a project and without --everywhere stderr says that it applies everywhere', () => {
    expect(engram(['learn', 'fact', ...optionsOf(FACT)], { cwd: home })).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^no project here, so this applies everywhere.*--project NAME/),
    });
    const quiet = ['learn', 'fact', ...optionsOf({ ...FACT, predicate: 'has', object: 'make all' }), '--everywhere'];
    expect(engram(quiet, { cwd: home })).toMatchObject({ status: 0, stderr: '' });
  });

  test('SE-53: a duplicate exits 0 with the name that has it', () => {
    engram(['learn', 'fact', ...optionsOf(FACT)]);
    const again = ['learn', 'fact', ...optionsOf({ ...FACT, object: 'MAKE  check.' })];
    expect(engram(again)).toMatchObject({ status: 0, stdout: 'known already: facts/shop-test-command-make-check\n' });
    expect(json(again)).toEqual({
      status: 0,
      value: { kind: 'duplicate', name: 'facts/shop-test-command-make-check', deduplicated: true, differs: [] },
    });
    expect(memories('facts')).toHaveLength(1);
  });

  test('SE-53: a duplicate with other texts names them, and the command that takes them over', () => {
    engram(['learn', 'feedback', ...optionsOf(FEEDBACK), '--source', 'review']);
    const name = 'feedback/when-regenerating-the-api-client';
    const again = ['learn', 'feedback', ...optionsOf({ ...FEEDBACK, behavior: "Dana's edit", impact: 'It was lost' })];
    expect(json(again).value).toEqual({
      kind: 'duplicate',
      name,
      deduplicated: true,
      differs: ['behavior', 'impact'],
    });
    const command = `engram edit ${name} --behavior 'Dana'\\''s edit' --impact 'It was lost'`;
    expect(engram(again).stdout).toBe(
      `known already: ${name}\n  its behavior, impact differ and stay; to take yours over: ${command}\n`,
    );
    expect(json(['show', name]).value.record).toMatchObject({ behavior: FEEDBACK.behavior, source: 'review' });
  });

  test('a file that was removed just now is not known any more', () => {
    engram(['learn', 'fact', ...optionsOf(FACT)]);
    rmSync(join(root(), 'memory/facts/shop-test-command-make-check.toml'));
    expect(json(['learn', 'fact', ...optionsOf(FACT)]).value).toMatchObject({ kind: 'created' });
    expect(memories('facts')).toHaveLength(1);
  });

  describe('MF-12: what is wrong exits 2, names the key and writes nothing', () => {
    it.each<[string, string, readonly string[], unknown]>([
      ['situation', 'feedback', [], { ...FEEDBACK, situation: undefined }],
      ['impact', 'feedback', [], { ...FEEDBACK, impact: undefined }],
      ['situation', 'feedback', [], { ...FEEDBACK, situation: 'x'.repeat(2001) }],
      ['subject', 'feedback', [], { ...FEEDBACK, subject: 'x' }],
      ['action', 'fact', [], { ...FACT, action: 'x' }],
      ['confidence', 'feedback', [], { ...FEEDBACK, confidence: 7 }],
      ['confidence', 'feedback', [...optionsOf(FEEDBACK), '--confidence', 'high'], null],
      ['action', 'feedback', [], { ...FEEDBACK, action: 7 }],
      ['"actoin"', 'feedback', [], { ...FEEDBACK, actoin: 'x' }],
      ['everywhere', 'feedback', [], { ...FEEDBACK, everywhere: 'yes' }],
      ['situation', 'feedback', [], {}],
      ['JSON', 'feedback', [], undefined],
      ['JSON object', 'feedback', [], [FEEDBACK]],
      ['JSON object', 'feedback', [], null],
    ])('%s', (key, type, args, input) => {
      const text = input === undefined ? 'situation: When' : JSON.stringify(input);
      const { status, stdout, stderr } = engram(['learn', type, ...args], { input: text });
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr.split('\n')[0]).toContain(key);
      expect(stderr.trimEnd().split('\n')).toHaveLength(2);
      expect([...memories('feedback'), ...memories('facts')]).toEqual([]);
    });

    test('a misspelled key gets a suggestion', () => {
      const input = JSON.stringify({ ...FEEDBACK, actoin: 'x' });
      expect(engram(['learn', 'feedback'], { input }).stderr).toContain('Did you mean action?');
    });

    test("another type's option is unknown", () => {
      expect(engram(['learn', 'fact', ...optionsOf(FEEDBACK)])).toMatchObject({ status: 2 });
    });
  });

  test('a person at stdin is told instead of waited for', () => {
    const { status, output } = onTerminal(home, [process.execPath, BIN, 'learn', 'feedback']);
    expect(status).toBe(2);
    expect(output).toContain('no fields are given');
  });

  test('--supersedes archives the old one; an unknown name fails before anything is written', () => {
    engram(['learn', 'feedback', ...optionsOf(FEEDBACK)]);
    const better = ['learn', 'feedback', ...optionsOf({ ...FEEDBACK, action: 'Better' })];
    expect(engram([...better, '--supersedes', 'when-regenerating-the-api-clint'])).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringContaining('Did you mean when-regenerating-the-api-client?'),
    });
    expect(memories('feedback')).toEqual(['when-regenerating-the-api-client.toml']);
    expect(json([...better, '--supersedes', 'when-regenerating-the-api-client'])).toMatchObject({
      status: 0,
      value: {
        kind: 'superseded',
        name: 'feedback/when-regenerating-the-api-client-2',
        archived: ['feedback/when-regenerating-the-api-client'],
        still_live: [],
      },
    });
    expect(json(['list', '--archived']).value.memories).toMatchObject([
      { name: 'feedback/when-regenerating-the-api-client' },
    ]);
  });

  test('--supersedes of what cannot be archived leaves both live, says so and exits 1', () => {
    engram(['learn', 'feedback', ...optionsOf(FEEDBACK)]);
    writeFileSync(join(root(), 'memory/feedback/when-regenerating-the-api-client.toml'), 'action = "broken\n');
    const better = ['learn', 'feedback', ...optionsOf({ ...FEEDBACK, action: 'Better' })];
    const { status, stdout } = engram([...better, '--supersedes', 'when-regenerating-the-api-client']);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /learned feedback\/when-regenerating-the-api-client-2\n(.*\n)* {2}still live: feedback\/when-re/,
    );
  });

  describe('SE-52: a memory that says the opposite', () => {
    const question = ['learn', 'fact', ...optionsOf({ ...FACT, object: 'just check' })];
    const name = 'facts/shop-test-command-make-check';
    beforeEach(() => void engram(['learn', 'fact', ...optionsOf(FACT)]));

    test('exits 1, writes nothing, and says what it is, how near, and how to answer', () => {
      expect(engram(question)).toEqual({
        status: 1,
        stdout: expect.stringMatching(
          /^not learned yet: facts\/shop-test-command-make-check says the opposite\n {2}when {3}When running the tests\n {2}fact {3}shop test command make check\n {2}sim {4}1\.00 of the situation, 0\.\d\d of the content\n {2}answer with --keep-both, or with --supersedes facts\/shop-test-command-make-check\n$/,
        ),
        stderr: '',
      });
      expect(json(question)).toEqual({
        status: 1,
        value: {
          kind: 'needs_confirmation',
          name,
          relation: 'opposite',
          matches: [
            {
              name,
              relation: 'opposite',
              sim: { situation: 1, content: expect.any(Number) },
              blockers: [],
              near_twins: [],
              record: expect.objectContaining({ object: 'make check' }),
            },
          ],
          related: [],
          lint: [],
          left_out: [],
          degraded: [],
        },
      });
      expect(memories('facts')).toEqual(['shop-test-command-make-check.toml']);
    });

    test('--keep-both writes it beside', () => {
      expect(json([...question, '--keep-both'])).toMatchObject({
        status: 0,
        value: { kind: 'created', related: [{ name, relation: 'opposite' }] },
      });
      expect(memories('facts')).toHaveLength(2);
    });

    test('--supersedes archives it', () => {
      expect(json([...question, '--supersedes', name])).toMatchObject({
        status: 0,
        value: { kind: 'superseded', archived: [name], near_twins: [], related: [] },
      });
      expect(memories('facts')).toEqual(['shop-test-command-just-check.toml']);
    });

    test('AG-46: ENGRAM_LEARN_SINGLE_VALUED says which predicates have one object at a time', () => {
      const env = { ENGRAM_LEARN_SINGLE_VALUED: 'owner' };
      expect(json(question, { env })).toMatchObject({ status: 0, value: { related: [{ name, relation: 'related' }] } });
    });

    test('related memories are named by what is written', () => {
      const related = ['learn', 'fact', ...optionsOf({ ...FACT, predicate: 'has', object: 'ports 80 and 81' })];
      engram(related);
      const ran = engram(['learn', 'fact', ...optionsOf({ ...FACT, predicate: 'has', object: 'ports 80 and 443' })]);
      expect(ran.stdout).toContain('\n  related: facts/shop-has-ports-80-and-81\n');
      expect(memories('facts')).toHaveLength(3);
    });

    test('SE-53: --idempotency-key gives a repeated call the same answer', () => {
      const call = [...question, '--keep-both', '--idempotency-key', 'k1'];
      const first = json(call);
      expect(first).toMatchObject({ status: 0, value: { kind: 'created' } });
      expect(json(call)).toEqual(first);
      expect(memories('facts')).toHaveLength(2);
    });
  });

  test('SE-57: stderr and --json say what is wrong with a situation; it is learned all the same', () => {
    const draft = ['learn', 'feedback', ...optionsOf({ ...FEEDBACK, situation: 'The deploy of #42' }), '--everywhere'];
    expect(engram(draft)).toMatchObject({
      status: 0,
      stderr:
        'situation L1 (The deploy of): begin with the moment or activity: When ..., Before ..., Adding ...\n' +
        'situation L3 (#42): name the kind of thing instead of one issue, date, commit or person\n',
    });
    const edited = ['edit', 'the-deploy-of-42', '--situation', 'When the deploy broke the build'];
    expect(json(edited).value).toMatchObject({
      changed: true,
      lint: [{ rule: 'L4', words: 'broke', advice: expect.any(String) }],
    });
    expect(engram(['edit', 'the-deploy-of-42', '--situation', 'Deploying']).stderr).toContain('situation L5 (1 word)');
    expect(json(['edit', 'the-deploy-of-42', '--impact', 'Much']).value.lint).toEqual([]);
  });

  test('a root that cannot be written is said in one line', () => {
    writeFileSync(join(home, 'file'), '');
    const { status, stderr } = engram(['learn', 'fact', ...optionsOf(FACT), '--data-dir', join(home, 'file')]);
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    expect(stderr).toContain(join(home, 'file'));
  });

  test('texts with control characters are shown, not sent, and come back as they are', () => {
    const action = 'ring \u001b[31mthe bell\u0007';
    const { name } = json(['learn', 'feedback'], { input: JSON.stringify({ ...FEEDBACK, action }) }).value;
    expect(engram(['show', name]).stdout).not.toContain('\u001b[31m');
    expect(json(['show', name]).value.record.action).toBe(action);
  });

  test('a reader that goes away is no failure, and the memory is there', () => {
    const command = `"${process.execPath}" "${BIN}" learn fact --everywhere ${optionsOf(FACT)
      .map((word) => `"${word}"`)
      .join(' ')} | true; exit "\${PIPESTATUS[0]}"`;
    const ran = spawnSync('bash', ['-c', command], {
      encoding: 'utf8',
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home },
    });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' });
    expect(memories('facts')).toEqual(['shop-test-command-make-check.toml']);
  });
});
