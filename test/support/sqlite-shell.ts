import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface ShellRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type TrustedSchema = 'ON' | 'OFF';

export interface ShellOptions {
  /** `PRAGMA trusted_schema`; OFF forbids triggers and views what an untrusted database must not do. */
  readonly trusted?: TrustedSchema;
  readonly cwd?: string;
}

/** Runs SQL and dot commands in Debian's unmodified `sqlite3`; it stops at the first error. */
export function tryShell(database: string, script: string, { trusted = 'ON', cwd = '/' }: ShellOptions = {}): ShellRun {
  const input = `PRAGMA trusted_schema = ${trusted};\n${script}\n`;
  const { status, stdout, stderr } = spawnSync('sqlite3', ['-batch', '-bail', database], {
    input,
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

/** The same, for scripts that must succeed; returns what the shell printed. */
export function shell(database: string, script: string, options: ShellOptions = {}): string {
  const { status, stdout, stderr } = tryShell(database, script, options);
  if (status !== 0) throw new Error(`sqlite3 ended with ${status}: ${stderr}\n${script.slice(0, 500)}`);
  return stdout;
}

/** The database below a data root. */
export function databaseOf(root: string): string {
  return join(root, 'engram.db');
}
