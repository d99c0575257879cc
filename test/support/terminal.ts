import { spawnSync } from 'node:child_process';

/** Runs a command on a terminal of its own (util-linux `script`), where nobody types; ends it after 20 s. */
export function onTerminal(
  home: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly output: string } {
  const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm', ...env },
    encoding: 'utf8',
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, output: stdout.replaceAll('\r\n', '\n') };
}
