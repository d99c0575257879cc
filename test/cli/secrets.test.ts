import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN } from '../support/engram.ts';
import { GITHUB_TOKEN, PASSWORD } from '../support/fake-secrets.ts';
import { leaksBelow } from '../support/leaks.ts';
import { home, saysNothing } from '../support/secret-home.ts';
import { shell } from '../support/sqlite-shell.ts';
import { feedbackText } from '../support/sync-store.ts';
import { onTerminal } from '../support/terminal.ts';
import { until, watchProcess } from '../support/watch-process.ts';

const FEEDBACK = {
  situation: 'When deploying the shop on a Friday',
  behavior: 'Pushed by hand',
  impact: 'It was down for an hour',
  action: 'Use the pipeline',
};
const FACT = { situation: 'When deploying the shop', subject: 'shop', predicate: 'deploys from', object: 'main' };

const optionsOf = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).flatMap(([key, value]) => [`--${key}`, value]);

describe('learn and edit', () => {
  const fields = [
    ...Object.keys(FEEDBACK).map((key) => ['feedback', key] as const),
    ...Object.keys(FACT).map((key) => ['fact', key] as const),
    ['feedback', 'source'] as const,
  ];

  test.each(fields)('MF-12: learn %s refuses a secret in %s, and nothing of it stays', (type, key) => {
    const { root, run } = home();
    const given: Record<string, string> = type === 'fact' ? FACT : FEEDBACK;
    const text = { ...given, [key]: `${given[key] ?? 'told'}\nwith ${GITHUB_TOKEN}, always` };
    const ran = run(['learn', type, ...optionsOf(text), '--idempotency-key', 'one', '--json', '-v']);
    expect(ran.status).toBe(2);
    saysNothing(ran, GITHUB_TOKEN);
    const { error } = JSON.parse(ran.stderr.split('\n').find((line) => line.startsWith('{')) ?? '');
    expect(error).toMatchObject({
      code: 'memory.invalid',
      message: `${key}: line 2 seems to hold a secret (github-pat)`,
    });
    expect(error.hint).toContain('$DEPLOY_TOKEN');
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([]);
  });

  test('MF-12: a fact whose parts are a secret only together', () => {
    const { run } = home();
    const fact = { situation: 'When deploying', subject: 'deploy password', predicate: 'is', object: PASSWORD };
    const ran = run(['learn', 'fact', ...optionsOf(fact)]);
    expect([ran.status, ran.stderr.split('\n')[0]]).toEqual([
      2,
      'engram: object: line 1 seems to hold a secret (password)',
    ]);
  });

  test('MF-12: a part marked as private is refused, and the hint says what to do', () => {
    const { run } = home();
    const ran = run(['learn', 'feedback', ...optionsOf({ ...FEEDBACK, impact: '<private>Mira leaves' })]);
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain('impact: line 1 seems to hold a secret (private)\n  Leave out what stands between');
  });

  test('MF-12: edit refuses it in options, and keeps the text of an edited copy without it', () => {
    const { directory, root, run } = home();
    run(['learn', 'feedback', ...optionsOf(FEEDBACK), '--everywhere']);
    const name = 'when-deploying-the-shop-on-a-friday';
    const before = readFileSync(join(root, 'memory/feedback', `${name}.toml`), 'utf8');
    const ran = run(['edit', name, '--action', `password: ${PASSWORD}`]);
    expect(ran.status).toBe(2);
    saysNothing(ran, PASSWORD);

    const editor = join(directory, 'editor');
    const source = `# of the host: ${GITHUB_TOKEN}`;
    writeFileSync(editor, `#!/bin/sh\necho '# typed with care' >> "$1"; cat '${editor}.text' >> "$1"\n`);
    writeFileSync(`${editor}.text`, `${source}\n`);
    chmodSync(editor, 0o755);
    const edited = onEditor(directory, name, editor);
    expect(edited.status).toBe(2);
    saysNothing(edited, GITHUB_TOKEN);
    expect(edited.stdout + edited.stderr).toContain('your text without its secrets is in ');
    rmSync(`${editor}.text`);
    expect(leaksBelow(directory, GITHUB_TOKEN)).toEqual([]);
    const [copies = ''] = readdirSync(join(directory, 'tmp')).filter((entry) => entry.startsWith('engram-edit-'));
    expect(readFileSync(join(directory, 'tmp', copies, `${name}.toml`), 'utf8')).toContain(
      '# typed with care\n# of the host: [redacted:github-pat]\n',
    );
    expect(readFileSync(join(root, 'memory/feedback', `${name}.toml`), 'utf8')).toBe(before);
  });

  test('D14: neither a question nor an outcome keeps one', () => {
    const { root, run } = home();
    run(['learn', 'feedback', ...optionsOf(FEEDBACK), '--everywhere']);
    run(['query', `deploying the shop with ${GITHUB_TOKEN}`], { env: { ENGRAM_EMBED_PROVIDER: 'built-in' } });
    run(['outcome', 'when-deploying-the-shop-on-a-friday', 'followed', '--situation', `on ${GITHUB_TOKEN}`]);
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([]);
    const keyed = run(['outcome', 'when-deploying-the-shop-on-a-friday', 'followed', '--key', GITHUB_TOKEN]);
    expect(keyed.status).toBe(2);
    const wrong = run(['learn', 'feedback', '--confidence', GITHUB_TOKEN]);
    expect(wrong.status).toBe(2);
    saysNothing(wrong, GITHUB_TOKEN);
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([]);
  });
});

describe('files', () => {
  const hidden = GITHUB_TOKEN.replace('ghp', 'g\\u0068p');
  const broken = `${GITHUB_TOKEN.slice(0, 20)}\\\n   ${GITHUB_TOKEN.slice(20)}`;
  test.each([
    ['its situation', feedbackText({ situation: `"With ${GITHUB_TOKEN}"` }), 'situation'],
    ['its action', feedbackText({ action: `"With ${GITHUB_TOKEN}"` }), 'action'],
    ['an escape', feedbackText({ action: `"With ${hidden}"` }), 'action'],
    ['a line that goes on', feedbackText({ impact: `"""With ${broken}"""` }), 'impact'],
    ['a comment', `${feedbackText()}# ${GITHUB_TOKEN}\n`, 'a comment or an unknown key'],
    ['an unknown key', `${feedbackText()}[deploy]\nwith = "${GITHUB_TOKEN}"\n`, 'a comment or an unknown key'],
    ['the name of a key', `${feedbackText()}[deploy]\n${GITHUB_TOKEN} = 1\n`, 'a comment or an unknown key'],
    ['a list', `${feedbackText()}[deploy]\nwith = [{ a = "${hidden}" }]\n`, 'a comment or an unknown key'],
    ['a value that is not used', feedbackText({ surfaced_count: `"${hidden}"` }), 'surfaced_count'],
    ['a file that cannot be parsed', `${feedbackText()}oops "${GITHUB_TOKEN}\n`, 'action'],
    ['letters that look alike', feedbackText({ action: `"${GITHUB_TOKEN.replace('p_', 'р_')}"` }), 'action'],
  ])('MF-23: a new file with a secret in %s is quarantined by path and key', (_, text, key) => {
    const { root, run, put, file } = home();
    put('feedback/a.toml', text);
    const ran = run(['db', 'sync', '-v']);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toMatch(
      new RegExp(
        `^quarantined {2}feedback/a\\.toml:\\d+:1 secret: ${key} seems to hold a secret \\(github-pat\\)$`,
        'm',
      ),
    );
    for (const words of [['db', 'sync', '--json'], ['db', 'status', '--json'], ['list'], ['show', 'a'], ['doctor']]) {
      saysNothing(run(words), GITHUB_TOKEN);
    }
    for (const words of [['backup'], ['rebuild'], ['check'], ['repair']])
      saysNothing(run(['db', ...words]), GITHUB_TOKEN);
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual(['memory/feedback/a.toml']);
    expect(readFileSync(file('feedback/a.toml'), 'utf8')).toBe(text);
  });

  test('SY-42: a known memory keeps its last good text; its file is not written over, and repaired it is a memory again', () => {
    const { root, run, put, file, database } = home();
    put('feedback/a.toml', feedbackText());
    expect(run(['db', 'sync']).status).toBe(0);
    const text = feedbackText({ action: `"Log in with ${GITHUB_TOKEN}"` });
    put('feedback/a.toml', text);
    shell(database, `UPDATE memories SET impact = 'Typed in the shell' WHERE name = 'feedback/a'`);
    expect(run(['db', 'sync']).status).toBe(6);
    expect(run(['outcome', 'a', 'followed']).stdout).toContain('the count waits');
    expect(run(['edit', 'a', '--impact', 'None']).status).toBe(6);
    expect(run(['forget', 'a']).status).not.toBe(0);
    expect(readFileSync(file('feedback/a.toml'), 'utf8')).toBe(text);
    expect(run(['show', 'a']).stdout).toContain('Add it nullable, backfill');
    expect(run(['query', 'adding a column to a table']).stdout).toContain('feedback/a');
    run(['db', 'backup']);
    run(['db', 'rebuild']);
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual(['memory/feedback/a.toml']);

    put('feedback/a.toml', feedbackText({ action: '"Log in with the token of the vault"' }));
    expect(run(['db', 'sync']).status).toBe(0);
    expect(run(['show', 'a']).stdout).toContain('Log in with the token of the vault');
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([]);
  });

  test('SE-41: a memory whose file holds a secret is never offered unasked', () => {
    const { run, put } = home();
    put('feedback/a.toml', feedbackText());
    run(['db', 'sync']);
    expect(run(['context']).stdout).toContain('feedback/a');
    put('feedback/a.toml', `${feedbackText()}# ${GITHUB_TOKEN}\n`);
    run(['db', 'sync']);
    expect(run(['context']).stdout).not.toContain('feedback/a');
    expect(run(['query', 'adding a column to a table']).stdout).toContain('feedback/a');
  });

  test('MF-23: a file with a secret in its name is reported without it', () => {
    const { root, run, put } = home();
    put(`feedback/${GITHUB_TOKEN}.toml`, feedbackText());
    const ran = run(['db', 'sync']);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toContain('feedback/[redacted:github-pat].toml secret: the name of the file');
    for (const words of [['db', 'sync', '--json'], ['db', 'status'], ['list']]) saysNothing(run(words), GITHUB_TOKEN);
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([`memory/feedback/${GITHUB_TOKEN}.toml`]);
  });

  test('MF-23, SY-21: neither does a known file bring one in that is renamed to it, nor a directory', () => {
    const { root, run, put, file } = home();
    put('feedback/a.toml', feedbackText());
    run(['db', 'sync']);
    renameSync(file('feedback/a.toml'), file(`feedback/x-${GITHUB_TOKEN}.toml`));
    mkdirSync(file(`feedback/dir-${GITHUB_TOKEN}.toml`));
    for (const words of [
      ['db', 'sync'],
      ['db', 'sync', '--json'],
      ['db', 'status'],
      ['list', '--archived'],
    ])
      saysNothing(run(words), GITHUB_TOKEN);
    const checked = run(['db', 'check']);
    saysNothing(checked, GITHUB_TOKEN);
    expect(checked.stdout).not.toContain('not-synced');
    expect(leaksBelow(root, GITHUB_TOKEN).filter((path) => !path.startsWith('memory/'))).toEqual([]);
    renameSync(file(`feedback/x-${GITHUB_TOKEN}.toml`), file('feedback/b.toml'));
    expect(run(['list', '--all-projects']).stdout).toContain('feedback/b');
  });

  test('MF-4, MF-23: neither does a copy of a file synchroniser or a renamed file bring one in', () => {
    const { root, run, put, file } = home();
    put('feedback/a.toml', feedbackText());
    put('feedback/b.toml', feedbackText({ situation: '"When renaming a file"' }));
    run(['db', 'sync']);
    const copy = 'feedback/a.sync-conflict-20260402-100000-ABCDEFG.toml';
    put(copy, feedbackText({ impact: `"With ${GITHUB_TOKEN}"` }));
    renameSync(file('feedback/b.toml'), file('feedback/c.toml'));
    put('feedback/c.toml', feedbackText({ situation: '"When renaming a file"', impact: `"With ${GITHUB_TOKEN}"` }));
    saysNothing(run(['db', 'sync']), GITHUB_TOKEN);
    saysNothing(run(['conflicts', 'list']), GITHUB_TOKEN);
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual([`memory/${copy}`, 'memory/feedback/c.toml']);
  });

  test('SY-42: watch reports it by path and key, and keeps nothing', async () => {
    const { directory, root, env, put } = home();
    put('feedback/a.toml', feedbackText());
    const watch = watchProcess(directory, root, { env });
    await watch.saw('started');
    put('feedback/a.toml', feedbackText({ action: `"Log in with ${GITHUB_TOKEN}"` }));
    await until(() => JSON.stringify(watch.events()).includes('seems to hold a secret'));
    expect(JSON.stringify(watch.events())).not.toContain(GITHUB_TOKEN.slice(4));
    watch.process.kill('SIGTERM');
    await watch.end;
    expect(leaksBelow(root, GITHUB_TOKEN)).toEqual(['memory/feedback/a.toml']);
  });

  test('SY-46: merge-file leaves to a person what would take one in', () => {
    const { directory, run } = home();
    const texts = {
      base: feedbackText(),
      ours: feedbackText({ impact: '"Ours"' }),
      theirs: feedbackText({ action: `"${GITHUB_TOKEN}"` }),
    };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(directory, name), text);
    const ran = run(['merge-file', '--path=feedback/a.toml', 'base', 'ours', 'theirs']);
    expect(ran.status).toBe(1);
    saysNothing(ran, GITHUB_TOKEN);
  });
});

/** `engram edit` on a terminal, which is what makes it open an editor. */
function onEditor(directory: string, name: string, editor: string) {
  const env = { EDITOR: editor, TMPDIR: join(directory, 'tmp'), ENGRAM_EMBED_PROVIDER: 'none' };
  const { status, output } = onTerminal(directory, [process.execPath, BIN, 'edit', name], env);
  return { status, stdout: output, stderr: '' };
}
