// The built command as a child process.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/millrace.cjs');
const HOST = join(import.meta.dirname, 'command-host.mjs');

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

interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly bin?: string;
  readonly through?: readonly string[];
}

/** Settings come from the options alone. */
function environment({ env }: Pick<StartOptions, 'env'>): Record<string, string | undefined> {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, TMPDIR: tmpdir(), NO_COLOR: '1', ...env };
}

/** Creates a temporary folder. */
export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'millrace-'));
}

/** Starts a command, `through` another that execs it; settings come from `env` alone. */
export function start(args: readonly string[], options: StartOptions = {}): Running {
  const [program = '', ...words] = [
    ...(options.through ?? []),
    process.execPath,
    options.bin ?? BIN,
    ...args,
  ];
  const child = spawn(program, words, {
    cwd: options.cwd ?? scratch(),
    env: environment(options),
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

/** Runs a command to its end: in a process that has already run others of this file, after those that it still has to run. */
export async function run(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
  const needsProcess = options.bin !== undefined || options.through !== undefined || args[0] === 'serve';
  if (needsProcess) return start(args, options).finished;
  // The host has one working folder and one environment, so concurrent tests of a file take turns.
  const finished = lastRun.then(() => runInHost(args, options));
  lastRun = finished.catch(() => undefined);
  return finished;
}

async function runInHost(args: readonly string[], options: StartOptions): Promise<Finished> {
  host = host?.folder === tmpdir() && host.child.connected ? host : startHost();
  const { child } = host;
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
  });
  try {
    child.send({ args, cwd: options.cwd ?? scratch(), env: environment(options) });
    return await finished;
  } finally {
    child.removeAllListeners('message').removeAllListeners('exit');
  }
}

interface Host {
  readonly child: ChildProcess;
  /** The temporary folder of the test file: with it, the process ends. */
  readonly folder: string;
}

let host: Host | undefined;
let lastRun: Promise<unknown> = Promise.resolve();

function startHost(): Host {
  const child = fork(HOST, { cwd: '/', env: environment({}), execArgv: [], stdio: 'inherit' });
  child.unref();
  child.channel?.unref();
  return { child, folder: tmpdir() };
}
