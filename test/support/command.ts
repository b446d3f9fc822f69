// The built command as a child process.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/millrace.cjs');

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly finished: Promise<Finished>;
  /** Resolves with the match once the output contains it; rejects if the process exits first. */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/** Creates a temporary folder. */
export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'millrace-'));
}

/** Starts a command, `through` another that execs it; settings come from `env` alone. */
export function start(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; bin?: string; through?: readonly string[] } = {},
): Running {
  const [program = '', ...words] = [
    ...(options.through ?? []),
    process.execPath,
    options.bin ?? BIN,
    ...args,
  ];
  const child = spawn(program, words, {
    cwd: options.cwd ?? scratch(),
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: tmpdir(),
      NO_COLOR: '1',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  const finished = new Promise<Finished>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  );
  const output = (): string => out + err;
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(output());
      if (match !== null) return match;
      const ended = await Promise.race([finished, setTimeout(20)]);
      const last = pattern.exec(output());
      if (ended !== undefined && last === null) throw new Error(`ended with ${ended.code}: ${output()}`);
    }
  };
  return { child, output, finished, says };
}

export function run(args: readonly string[], options: Parameters<typeof start>[1] = {}): Promise<Finished> {
  return start(args, options).finished;
}
