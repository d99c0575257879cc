import { execFileSync } from 'node:child_process';

/** Runs the real git in `directory`, as somebody with a name and without anybody's configuration. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=Dana', '-c', 'user.email=dana@example.org', ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: directory, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
