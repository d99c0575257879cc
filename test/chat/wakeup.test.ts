import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { appendMessages } from '../../src/chat/append.ts';
import { type ChatFollower, followChat } from '../../src/chat/follow.ts';
import { readAll } from '../../src/chat/read-end.ts';
import type { WatchDirectory } from '../../src/chat/wakeup.ts';
import { watchDirectory } from '../../src/files/watchable.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), 'chat.toml');
});

const post = (text: string) => appendMessages(path, [{ from: 'a', to: 'b', thread: 't', type: 'info', text }]);

/** Goes on until something is there. */
async function next(follower: ChatFollower): Promise<string[]> {
  for (;;) {
    const texts = readAll(follower).messages.map(({ text }) => text);
    if (texts.length > 0) return texts;
    await follower.changed(10_000);
  }
}

/** Until `count` waits have gone by; then a watch has been asked for. */
async function wait(follower: ChatFollower, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    readAll(follower);
    await follower.changed(10_000);
  }
}

describe('CH-26: where the system', () => {
  test.each(['ENOSPC', 'EMFILE'])('refuses to watch (%s), the file is looked at every 250 ms', async (code) => {
    let refusedCount = 0;
    const refuse: WatchDirectory = () => {
      refusedCount += 1;
      throw Object.assign(new Error(`${code}: injected`), { code });
    };
    post('before');
    using follower = followChat(path, 0, undefined, refuse);
    expect(await next(follower)).toEqual(['before']);
    await wait(follower, 1);
    const waiting = next(follower);
    const startedMs = performance.now();
    post('after');
    expect(await waiting).toEqual(['after']);
    expect(performance.now() - startedMs).toBeLessThan(5000);
    expect(refusedCount).toBeGreaterThan(0);
  });

  test('takes the watch away later, it is asked for another, and nothing is missed', async () => {
    const watches: { readonly lose: () => void; closed: boolean }[] = [];
    const watch: WatchDirectory = (directory, onEntry, onFailure) => {
      const real = watchDirectory(directory, onEntry, onFailure);
      const kept = { lose: () => onFailure('EIO'), closed: false };
      watches.push(kept);
      return {
        close: () => {
          kept.closed = true;
          real.close();
        },
      };
    };
    post('before');
    using follower = followChat(path, 0, undefined, watch);
    expect(await next(follower)).toEqual(['before']);
    await wait(follower, 2);
    expect(watches).toHaveLength(1);
    const waiting = next(follower);
    watches[0]?.lose();
    expect(watches[0]?.closed).toBe(true);
    post('after');
    expect(await waiting).toEqual(['after']);
    await wait(follower, 1);
    expect(watches).toHaveLength(2);
  });

  test('takes the watch away and gives no other, the file is still looked at', async () => {
    let lose = () => {};
    let askedCount = 0;
    using follower = followChat(path, 0, undefined, (directory, onEntry, onFailure) => {
      askedCount += 1;
      if (askedCount > 1) throw Object.assign(new Error('EMFILE: injected'), { code: 'EMFILE' });
      lose = () => onFailure('EIO');
      return watchDirectory(directory, onEntry, onFailure);
    });
    await wait(follower, 2);
    lose();
    const waiting = next(follower);
    post('after');
    expect(await waiting).toEqual(['after']);
    expect(askedCount).toBeGreaterThan(1);
  });
});
