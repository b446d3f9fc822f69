// The processes that a benchmark measures, started and ended with it.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '../../..');

export interface Process {
  /** Resolves with the next output line that matches. */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly send: (line: string) => void;
  /** Resolves when the process exits by itself. */
  readonly ended: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly pid: number;
}

/** A TypeScript file of this folder, the built command, or another program. */
export function startProcess(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Process {
  const [program, ...leading] = commandOf(script);
  const child = spawn(program, [...leading, ...args], {
    cwd: ROOT,
    env: { ...process.env, UV_THREADPOOL_SIZE: '24', TZ: 'UTC', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    says: async (pattern) => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`${script} ended before it said ${pattern.source}`);
        const match = pattern.exec(value);
        if (match !== null) return match;
      }
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    ended: () => ended(child),
    stop: () => stop(child),
    pid: child.pid ?? 0,
  };
}

function commandOf(script: string): [string, ...string[]] {
  if (script.endsWith('.ts')) return [process.execPath, '--import', 'tsx', join(import.meta.dirname, script)];
  return script.endsWith('.cjs') ? [process.execPath, join(ROOT, script)] : [script];
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  const closed = ended(child);
  child.kill('SIGTERM');
  return closed;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()));
}
