import { appendFileSync, chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { canonicalBlock } from '../chat/chat-bytes.ts';
import { type ChatHome, chatHome } from '../support/chat-process.ts';
import { runEngram } from '../support/engram.ts';
import { until } from '../support/watch-process.ts';

let chat: ChatHome;
beforeEach(() => {
  chat = chatHome();
});

const TS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const now = () => new Date().toISOString().replace(/\.\d+/, '');

describe('post', () => {
  test('CH-15, CH-1: prints the cursor behind the message, and makes file and directory for the owner alone', () => {
    const { status, stdout, stderr } = chat.run(
      ...['post', '--from', 'executor', '--to', 'all', '--thread', 't', '--type', 'info', '--text', 'hello'],
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '10\n', stderr: '' });
    expect(statSync(chat.path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(chat.path)).mode & 0o777).toBe(0o700);
    expect(chat.post('executor', 'all', 'info', 'again')).toEqual({
      cursor: 20,
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      ts: expect.stringMatching(TS),
    });
  });

  test('CH-11: takes a text exactly, from a file or stdin', () => {
    const text = '\n  a """ b \\ \t\n[[message]]\nfrom = "x"\n\n';
    writeFileSync(`${chat.home}/text`, text);
    const options = ['post', '--from', 'a', '--to', 'b', '--thread', 't', '--type', 'info'];
    expect(chat.run(...options, '--text-file', `${chat.home}/text`)).toMatchObject({ status: 0 });
    const path = ['--chat-file', chat.path];
    expect(runEngram(chat.home, ['chat', ...options, '--text-file', '-', ...path], { input: text }).status).toBe(0);
    expect(chat.json('tail').messages).toMatchObject([{ text }, { text }]);
  });

  test.each<[string, string[], RegExp]>([
    ['no text', [], /either --text or --text-file/],
    ['two texts', ['--text', 'a', '--text-file', 'b'], /either --text or --text-file/],
    ['an empty text', ['--text', ''], /empty/],
    ['a file that is not there', ['--text-file', 'nothing'], /nothing: cannot be read/],
    ['a bad name', ['--text', 'a', '--from', 'all'], /--from/],
    ['an id that is none', ['--text', 'a', '--re', 'xyz'], /--re/],
  ])('CH-16: refuses %s with exit 2, writes nothing and says what to do', (_, args, message) => {
    const options = ['--from', 'a', '--to', 'b', '--thread', 't', '--type', 'info'];
    const { status, stdout, stderr } = chat.run('post', ...options, ...args);
    expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 2 });
    expect(stderr).toMatch(message);
    expect(chat.run('cursor').stdout).toBe('0\n');
  });

  test('CH-16: refuses a secret, and posts it redacted with --redact', () => {
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const options = ['post', '--from', 'a', '--to', 'b', '--thread', 't', '--type', 'info', '--text', `use ${secret}`];
    const { status, stderr } = chat.run(...options);
    expect(status).toBe(2);
    expect(stderr).not.toContain(secret);
    expect(stderr).toContain('--redact');
    expect(chat.run(...options, '--redact').status).toBe(0);
    expect(readFileSync(chat.path, 'utf8')).toContain('use [redacted:');
    for (const option of ['--from', '--to']) {
      const named = chat.run(...options, '--redact', option, secret);
      expect({ status: named.status, said: named.stderr.includes(secret) }).toEqual({ status: 2, said: false });
    }
    expect(readFileSync(chat.path, 'utf8')).not.toContain(secret);
  });

  test('--from defaults to $ENGRAM_CHAT_NAME, and is missed otherwise', () => {
    const options = [
      'chat',
      'post',
      '--to',
      'b',
      '--thread',
      't',
      '--type',
      'info',
      '--text',
      'x',
      '--chat-file',
      chat.path,
    ];
    expect(runEngram(chat.home, options)).toMatchObject({
      status: 2,
      stderr: 'engram: --from is missing\n  Give --from NAME, or set $ENGRAM_CHAT_NAME.\n',
    });
    expect(runEngram(chat.home, options, { env: { ENGRAM_CHAT_NAME: 'executor' } })).toMatchObject({ status: 0 });
    expect(chat.json('tail').messages).toMatchObject([{ from: 'executor' }]);
  });

  test('CH-50: warns about an intent without the memory agent, and about a type that is nearly one', () => {
    const options = ['post', '--from', 'a', '--thread', 't', '--text', 'x'];
    const warned = (to: string, type: string) => chat.run(...options, '--to', to, '--type', type).stderr;
    expect(warned('reviewer', 'intent')).toMatch(/^warning: .*engram-agent/);
    expect(warned('reviewer, engram-agent', 'intent')).toBe('');
    expect(warned('all', 'intent')).toBe('');
    expect(warned('all', 'intnet')).toContain('did you mean intent?');
    expect(warned('all', 'hold-extend')).toBe('');
  });
});

describe('cursor and tail', () => {
  test('CH-51: without a file are 0 and empty', () => {
    expect(chat.json('cursor')).toEqual({ cursor: 0, path: chat.path });
    expect(chat.run('cursor').stdout).toBe('0\n');
    expect(chat.json('tail')).toEqual({ messages: [], damaged: [], cursor: 0 });
    expect(chat.run('tail')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('CH-51: what is no chat file is exit 6, what cannot be read exit 1', () => {
    for (const command of ['cursor', 'tail', 'presence'])
      expect(chat.run(command, '--chat-file', chat.home)).toMatchObject({ status: 6, stdout: '' });
    const picture = join(chat.home, 'picture.png');
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0xff, 0x0a]);
    writeFileSync(picture, bytes);
    const post = ['post', '--from', 'a', '--to', 'b', '--thread', 't', '--type', 'info', '--text', 'x'];
    expect(chat.run(...post, '--chat-file', picture)).toMatchObject({ status: 6, stdout: '' });
    expect(readFileSync(picture)).toEqual(bytes);
    if (process.getuid?.() === 0) return;
    chat.post('a', 'b', 'info', 'x');
    chmodSync(chat.path, 0);
    expect(chat.run('cursor')).toMatchObject({ status: 1 });
  });

  test('tail shows the last messages that match, oldest first', () => {
    chat.post('executor', 'reviewer', 'intent', 'one');
    chat.post('Reviewer', 'executor', 'wait', 'two');
    chat.post('reviewer/sub-1', 'all', 'info', 'three');
    const texts = (...args: string[]) =>
      (chat.json('tail', ...args).messages as { text: string }[]).map(({ text }) => text);
    expect(texts()).toEqual(['one', 'two', 'three']);
    expect(texts('-n', '2')).toEqual(['two', 'three']);
    expect(texts('-n', '0')).toEqual([]);
    expect(texts('--from', 'reviewer')).toEqual(['two', 'three']);
    expect(texts('--to', 'reviewer')).toEqual(['one', 'three']);
    expect(texts('--type', 'wait, intent')).toEqual(['one', 'two']);
    expect(texts('--thread', 'other')).toEqual([]);
    expect(chat.json('tail', '-n', '1').messages).toEqual([
      {
        ...{
          id: expect.stringMatching(/^[0-9a-f]{16}$/),
          from: 'reviewer/sub-1',
          to: 'all',
          thread: 'schema',
          type: 'info',
        },
        ...{ ts: expect.stringMatching(TS), re: null, text: 'three', line: 22, cursor: 30 },
      },
    ]);
  });

  test('CH-51, CH-20: damage is listed once, and said on stderr, with exit 0', () => {
    chat.post('a', 'b', 'info', 'one');
    appendFileSync(chat.path, 'garbage\n');
    appendFileSync(chat.path, canonicalBlock({ text: 'two' }));
    const damaged = [{ first: 11, last: 11, reason: expect.any(String) }];
    expect(chat.json('tail')).toMatchObject({
      messages: [{ text: 'one' }, { text: 'two', suspect: true }],
      damaged,
      cursor: 21,
    });
    const { status, stderr } = chat.run('tail');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/^damaged, skipped: line 11: .*\n$/),
    });
  });

  test('CH-21: the unfinished last block is not shown, and the cursor stays before it', () => {
    chat.post('a', 'b', 'info', 'one');
    appendFileSync(chat.path, '\n[[message]]\nfrom = "b"\ntext = """\nhalf');
    expect(chat.json('tail')).toMatchObject({ messages: [{ text: 'one' }], damaged: [], cursor: 10 });
    expect(chat.run('cursor').stdout).toBe('10\n');
  });

  test('CH-29: control characters of others are shown as escapes', () => {
    chat.post('a', 'b', 'info', 'x');
    appendFileSync(chat.path, canonicalBlock({ from: 'a\\u001b[31m', text: '\\u001b[2J\\u202eevil\rx' }));
    const { stdout } = chat.run('tail');
    expect(stdout).not.toMatch(/[\u001b\u202e\r]/);
    expect(stdout).toContain('\\u{202e}evil\\u{d}x');
    expect(chat.run('tail', '--json').stdout).not.toMatch(/[\u001b\u202e\r]/);
  });

  test('tail -f goes on with what comes, and SIGINT ends it with 0', async () => {
    chat.post('a', 'b', 'info', 'one');
    const tail = chat.start('tail', '-f', '--json');
    let printed = '';
    tail.process.stdout?.on('data', (chunk) => {
      printed += chunk;
    });
    await until(() => printed.includes('one'));
    chat.post('b', 'a', 'info', 'two');
    await until(() => printed.includes('two'));
    tail.process.kill('SIGINT');
    expect(await tail.end).toMatchObject({ status: 0, stderr: '' });
    expect(
      printed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { messages: [{ text: 'one' }], cursor: 10 },
      { messages: [{ text: 'two' }], cursor: 20 },
    ]);
  });
});

describe('presence', () => {
  test('CH-34, CH-50: lists who wrote, and --agent exits 3 for one that is not online', () => {
    const old = '2026-01-01T00:00:00Z';
    chat.post('Executor', 'all', 'info', 'x');
    appendFileSync(chat.path, canonicalBlock({ from: 'reviewer', ts: old, type: 'ack' }));
    appendFileSync(chat.path, canonicalBlock({ from: 'lead', ts: now(), type: 'done', thread: 'lifecycle' }));
    expect(chat.json('presence')).toEqual({
      agents: [
        {
          name: 'Executor',
          state: 'online',
          last_ts: expect.stringMatching(TS),
          last_type: 'info',
          evidence: 'message',
        },
        { name: 'lead', state: 'left', last_ts: expect.stringMatching(TS), last_type: 'done', evidence: 'message' },
        { name: 'reviewer', state: 'offline', last_ts: old, last_type: 'ack', evidence: 'message' },
      ],
      cursor: 30,
    });
    expect(chat.run('presence', '--agent', 'executor')).toMatchObject({ status: 0 });
    for (const name of ['lead', 'reviewer', 'nobody'])
      expect(chat.run('presence', '--agent', name)).toMatchObject({ status: 3 });
    expect(chat.json('presence', '--agent', 'nobody').agents).toEqual([
      { name: 'nobody', state: 'offline', last_ts: null, last_type: null, evidence: 'message' },
    ]);
  });
});

describe('watch', () => {
  test('CH-49: facts and an objection in one wake-up: two calls, two messages, nothing skipped', async () => {
    const before = chat.json('cursor').cursor as number;
    const waiting = chat.start('watch', '--agent', 'executor', '--cursor', String(before));
    chat.post('executor', 'all', 'info', 'my own');
    appendFileSync(
      chat.path,
      canonicalBlock({ from: 'engram-agent', to: 'executor', ts: now(), text: '[FACT] a b c' }) +
        canonicalBlock({ from: 'engram-agent', to: 'executor', ts: now(), type: 'wait', text: 'Stop.' }) +
        canonicalBlock({ from: 'engram-agent', to: 'lead', ts: now() }),
    );
    const first = await waiting.end;
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const fact = JSON.parse(first.stdout);
    expect(fact).toMatchObject({ type: 'info', text: '[FACT] a b c', line: 12, cursor: 20 });
    const second = JSON.parse(chat.run('watch', '--agent', 'executor', '--cursor', String(fact.cursor)).stdout);
    expect(second).toMatchObject({ type: 'wait', text: 'Stop.', line: 22, cursor: 30 });
    const third = chat.run('watch', '--agent', 'executor', '--cursor', '30', '--max-wait', '0.05');
    expect(third).toMatchObject({ status: 3, stdout: '' });
  });

  test('CH-26: what is posted while it waits is printed by it, also into a file that did not exist', async () => {
    const waiting = chat.start('watch', '--agent', 'reviewer', '--cursor', '0');
    chat.post('executor', 'reviewer', 'info', 'hello');
    expect(JSON.parse((await waiting.end).stdout)).toMatchObject({ text: 'hello', cursor: 10 });
  });

  test('CH-49: filters, --all, and everybody where no name is given', () => {
    chat.post('a', 'b', 'info', 'one');
    chat.post('b', 'a', 'wait', 'two', ['--thread', 'other']);
    chat.post('b/sub-1', 'all', 'ack', 'three');
    const texts = (...args: string[]) =>
      chat
        .run('watch', '--cursor', '0', '--max-wait', '0.05', ...args)
        .stdout.split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line).text);
    expect(texts('--all')).toEqual(['one', 'two', 'three']);
    expect(texts()).toEqual(['one']);
    expect(texts('--all', '--agent', 'A')).toEqual(['two', 'three']);
    expect(texts('--all', '--agent', 'b')).toEqual(['one']);
    expect(texts('--all', '--type', 'ack,wait')).toEqual(['two', 'three']);
    expect(texts('--thread', 'other')).toEqual(['two']);
    expect(texts('--all', '--agent', 'c', '--type', 'info')).toEqual([]);
  });

  test('CH-24: a cursor past the end is exit 6 with the next command, one beyond is the end', () => {
    chat.post('a', 'b', 'info', 'one');
    expect(chat.run('watch', '--cursor', '900')).toEqual({
      status: 6,
      stdout: '',
      stderr: expect.stringMatching(
        /^engram: cursor 900 is past the end \(10 lines\): .*; take a new one: engram chat cursor\n/,
      ),
    });
    expect(chat.run('watch', '--cursor', '11', '--max-wait', '0.05')).toMatchObject({ status: 3 });
    expect(chat.run('watch', '--cursor', '-1')).toMatchObject({ status: 2 });
  });

  test.each(['SIGINT'] as const)('%s ends it with 130, nothing printed', async (signal) => {
    chat.post('a', 'b', 'info', 'one');
    const waiting = chat.start('watch', '--cursor', '0', '--type', 'wait', '-v');
    // It reports the damage of the file once it has read it: from then on it waits.
    appendFileSync(chat.path, 'garbage\n');
    appendFileSync(chat.path, canonicalBlock());
    await new Promise((resolve) => waiting.process.stderr?.once('data', resolve));
    waiting.process.kill(signal);
    expect(await waiting.end).toMatchObject({ status: 130, stdout: '' });
  });

  describe('CH-51: while it waits,', () => {
    async function waitingFor(change: () => void): Promise<{ status: number | null; stdout: string; stderr: string }> {
      for (const text of ['one', 'two']) chat.post('a', 'b', 'info', text);
      appendFileSync(chat.path, `garbage\n${canonicalBlock({ text: 'three', ts: now() })}`);
      const waiting = chat.start('watch', '--agent', 'b', '--cursor', '20', '--type', 'wait');
      await new Promise((resolve) => waiting.process.stderr?.once('data', resolve));
      change();
      return waiting.end;
    }
    const objection = () => canonicalBlock({ from: 'a', to: 'b', type: 'wait', text: 'Stop.', ts: now() });

    test('a file that is replaced by one with the same bytes and more goes on', async () => {
      const { status, stdout } = await waitingFor(() => {
        writeFileSync(`${chat.path}.new`, readFileSync(chat.path, 'utf8') + objection());
        renameSync(`${chat.path}.new`, chat.path);
      });
      expect({ status, text: JSON.parse(stdout).text }).toEqual({ status: 0, text: 'Stop.' });
    });

    test('a file that is gone for a moment and comes back goes on', async () => {
      const { status } = await waitingFor(() => {
        const text = readFileSync(chat.path, 'utf8');
        rmSync(chat.path);
        writeFileSync(`${chat.path}.new`, text + objection());
        renameSync(`${chat.path}.new`, chat.path);
      });
      expect(status).toBe(0);
    });

    test.each<[string, (text: string) => void]>([
      ['replaced by another', (text) => renameSync(written(`${chat.path}.new`, text.replace('one', 'eno')), chat.path)],
      ['cut', (text) => writeFileSync(chat.path, text.slice(0, 50))],
      ['written anew in place', (text) => writeFileSync(chat.path, `${text.replace('one', 'eno')}${objection()}`)],
    ])('a file that is %s before the cursor is exit 6, with the new cursor', async (_, change) => {
      const { status, stdout, stderr } = await waitingFor(() => change(readFileSync(chat.path, 'utf8')));
      expect({ status, stdout }).toEqual({ status: 6, stdout: '' });
      expect(stderr).toMatch(/was replaced or cut.*\n {2}Go on from cursor \d+, its end now\.\n$/);
    });

    function written(path: string, text: string): string {
      writeFileSync(path, text);
      return path;
    }
  });
});
