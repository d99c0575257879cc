import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BIN, type RunOptions, runEngram } from '../support/engram.ts';
import { feedbackText } from '../support/sync-store.ts';
import { onTerminal } from '../support/terminal.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'engram-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const file = (path = 'feedback/a.toml') => join(home, '.local/share/engram/memory', path);
const read = () => readFileSync(file(), 'utf8');
const engram = (args: readonly string[], options?: RunOptions) => runEngram(home, args, options);
const json = (args: readonly string[], options?: RunOptions) => JSON.parse(engram([...args, '--json'], options).stdout);

function write(text: string, path?: string) {
  mkdirSync(dirname(file(path)), { recursive: true });
  writeFileSync(file(path), text);
}

/** Runs `engram edit a` on a terminal, with `script` as the editor; `$1` is the copy. */
function editWith(script: string, options: { readonly args?: readonly string[] } = {}) {
  const editor = join(home, 'my editor.sh');
  writeFileSync(editor, `#!/bin/sh\nset -e\n${script}\n`, { mode: 0o755 });
  const env = { EDITOR: `'${editor}'`, TMPDIR: home };
  return onTerminal(home, [process.execPath, BIN, 'edit', 'a', ...(options.args ?? [])], env);
}

describe('edit by options and by stdin', () => {
  test('changes the fields it names', () => {
    write(feedbackText());
    expect(engram(['edit', 'a', '--action', 'Add it nullable', '--confidence', '0.4'])).toEqual({
      status: 0,
      stdout: 'saved feedback/a\n',
      stderr: '',
    });
    expect(read()).toContain('action = "Add it nullable"\n');
    expect(read()).toContain('initial_confidence = 0.4\n');
    expect(engram(['edit', 'a', '--action', 'Add it nullable'])).toMatchObject({
      stdout: 'nothing changed in feedback/a\n',
    });
    expect(json(['edit', 'a'], { input: '{"impact":"It was locked"}' })).toMatchObject({
      name: 'feedback/a',
      changed: true,
      record: { impact: 'It was locked', action: 'Add it nullable' },
    });
  });

  test('--scoped, --everywhere, and the same in JSON', () => {
    write(feedbackText());
    const scope = (...args: string[]) => {
      const { record } = json(['edit', 'a', ...args]);
      return [record.project_scoped, record.project_slug];
    };
    expect(scope('--scoped', '--project', 'shop')).toEqual([true, 'shop']);
    expect(scope('--everywhere')).toEqual([false, 'shop']);
    const { record } = json(['edit', 'a', '--project', 'depot'], { input: '{"scoped":true}' });
    expect([record.project_scoped, record.project_slug]).toEqual([true, 'depot']);
    expect(engram(['edit', 'a', '--scoped'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--project'),
    });
    expect(engram(['edit', 'a', '--scoped', '--everywhere', '--project', 'shop'])).toMatchObject({ status: 2 });
  });

  test('nothing to change is said, not waited for', () => {
    write(feedbackText());
    expect(engram(['edit', 'a'], { input: '' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('nothing to change'),
    });
    expect(engram(['edit', 'a', '--action', ''])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('action'),
    });
    expect(read()).toBe(feedbackText());
  });
});

describe('edit in $EDITOR', () => {
  test('takes over what was saved, comments included', () => {
    write(feedbackText());
    const { status, output } = editWith(
      `sed -i 's/^action = .*/action = "Add it nullable" # short/; 1i # looked at' "$1"`,
    );
    expect({ status, output }).toEqual({ status: 0, output: 'saved feedback/a\n' });
    expect(read()).toMatch(/^# looked at\n/);
    expect(read()).toContain('action = "Add it nullable" # short\n');
    expect(readdirSync(home).filter((name) => name.startsWith('engram-edit-'))).toEqual([]);
    expect(json(['show', 'a']).record).toMatchObject({ action: 'Add it nullable' });
    expect(json(['history', 'a']).changes).toMatchObject([{ reason: 'edit', text: feedbackText() }]);
  });

  test('a memory that was counted meanwhile keeps the count, and the comments of the editor', () => {
    write(feedbackText());
    const { status } = editWith(`'${process.execPath}' '${BIN}' outcome a missed > /dev/null
sed -i 's/^action = .*/action = "Add it nullable"/; 1i # looked at' "$1"`);
    expect(status).toBe(0);
    expect(read()).toMatch(/^# looked at\n/);
    expect(json(['show', 'a']).record).toMatchObject({ action: 'Add it nullable', missed_count: 1 });
  });

  test('a file that was laid out anew meanwhile is merged, the copy kept and named', () => {
    write(feedbackText());
    const { status, output } = editWith(`sed -i 's/^impact = .*/impact = "It was locked"/; 1i # theirs' '${file()}'
sed -i 's/^action = .*/action = "Add it nullable"/; 1i # mine' "$1"`);
    expect(status).toBe(0);
    expect(json(['show', 'a']).record).toMatchObject({ action: 'Add it nullable', impact: 'It was locked' });
    expect(read()).toMatch(/^# theirs\n/);
    const copy = /your copy: (\S+)/.exec(output)?.[1] ?? '';
    expect(readFileSync(copy, 'utf8')).toMatch(/^# mine\n/);
  });

  test('a copy that is no memory is kept and named, and nothing changes', () => {
    write(feedbackText());
    const { status, output } = editWith(`sed -i 's/^action = .*/action = "broken/' "$1"`);
    expect(status).toBe(2);
    expect(read()).toBe(feedbackText());
    expect(output).toMatch(/a\.toml:\d+:\d+ syntax/);
    const copy = /your text is in (\S+)/.exec(output)?.[1] ?? '';
    expect(readFileSync(copy, 'utf8')).toContain('action = "broken\n');
  });

  test('so is one with a text that is too long, and the key is named', () => {
    write(feedbackText());
    const { status, output } = editWith(`sed -i "s/^action = .*/action = \\"$(printf 'x%.0s' $(seq 8001))\\"/" "$1"`);
    expect(status).toBe(2);
    expect(output).toMatch(/action has 8001 characters/);
    expect(output).toMatch(/your text is in \S+a\.toml/);
  });

  test('an editor that fails changes nothing', () => {
    write(feedbackText());
    const { status, output } = editWith(`echo broken > "$1"; exit 3`);
    expect(status).toBe(1);
    expect(output).toMatch(/^engram: the editor ended with status 3\n {2}Nothing was changed; your text is in \S+\n$/);
    expect(read()).toBe(feedbackText());
  });

  test('the copy goes away where nothing was typed into it', () => {
    write(feedbackText());
    const { status, output } = editWith('exit 3');
    expect(status).toBe(1);
    expect(output).toMatch(/^engram: the editor ended with status 3\n {2}Nothing was changed\. .*\$EDITOR.*\n$/);
    expect(readdirSync(home).filter((name) => name.startsWith('engram-edit-'))).toEqual([]);
  });

  test('an editor that removes its copy is said in one line', () => {
    write(feedbackText());
    const { status, output } = editWith('rm "$1"');
    expect(status).toBe(1);
    expect(output).toMatch(/^engram: the editor left no file behind\n {2}Nothing was changed\. .*\n$/);
    expect(read()).toBe(feedbackText());
    expect(readdirSync(home).filter((name) => name.startsWith('engram-edit-'))).toEqual([]);
  });

  test('what cannot be written is refused before the editor opens: a newer version, a link, a quarantined file', () => {
    write(feedbackText({ schema_version: '3' }));
    const opened = `touch '${join(home, 'opened')}'`;
    expect(editWith(opened)).toMatchObject({
      status: 1,
      output: expect.stringMatching(/feedback\/a\.toml.*schema_version 3/),
    });
    write('action = "broken\n');
    expect(editWith(opened)).toMatchObject({
      status: 6,
      output: expect.stringMatching(/feedback\/a\.toml:1:\d+ syntax/),
    });
    rmSync(file());
    writeFileSync(join(home, 'target.toml'), feedbackText());
    symlinkSync(join(home, 'target.toml'), file());
    expect(editWith(opened)).toMatchObject({ status: 1, output: expect.stringContaining('link') });
    expect(readdirSync(home)).not.toContain('opened');
  });

  test('without an editor it says what to do', () => {
    write(feedbackText());
    expect(onTerminal(home, [process.execPath, BIN, 'edit', 'a'])).toMatchObject({
      status: 2,
      output: expect.stringContaining('$EDITOR'),
    });
  });

  test('options on a terminal need no editor', () => {
    write(feedbackText());
    expect(editWith('exit 3', { args: ['--everywhere'] })).toMatchObject({ status: 0 });
    expect(editWith('exit 3', { args: ['--source', 'me'] })).toMatchObject({ status: 0 });
  });
});
