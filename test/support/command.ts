// The built command as a child process.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  return {
    PATH,
    HOME,
    TMPDIR: tmpdir(),
    MILLRACE_ANALYSIS_CACHE: join(tmpdir(), 'analyses'),
    NO_COLOR: '1',
    ...env,
  };
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
    ...process.execArgv.filter((each) => each.startsWith('--interrupt-budget')),
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
  const written = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) stream.on('data', () => written.emit('more'));
  const finished = new Promise<Finished>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  );
  const output = (): string => out + err;
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(output());
      if (match !== null) return match;
      const ended = await Promise.race([finished, once(written, 'more').then(() => undefined)]);
      if (ended !== undefined && pattern.exec(output()) === null)
        throw new Error(`ended with ${ended.code}: ${output()}`);
    }
  };
  return { child, output, finished, says };
}

/**
 * Runs a command to its end: in a process that runs the commands of all files of this worker, one after the other. What a
 * test says of the process itself, such as that it exits, needs `start`.
 */
export async function run(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
  if (needsProcess(args, options)) return start(args, options).finished;
  const folder = tmpdir();
  // The host has one working folder and one environment, so concurrent tests of a file take turns.
  const finished = lastRun.then(() => {
    if (folder !== tmpdir()) throw new Error('the test file has ended');
    return runInHost(args, options);
  });
  lastRun = finished.catch(() => undefined);
  return finished;
}

/** Outside of development, serving logs to the file descriptor of standard output, which the host shares. */
function needsProcess(args: readonly string[], { bin, through }: StartOptions): boolean {
  const logs = args[0] === 'serve' && !args.includes('--dev') && !args.includes('--check');
  return logs || bin !== undefined || through !== undefined;
}

async function runInHost(args: readonly string[], options: StartOptions): Promise<Finished> {
  host = host?.connected === true ? host : startHost();
  const child = host;
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

let host: ChildProcess | undefined;
let lastRun: Promise<unknown> = Promise.resolve();

/** It belongs to the run, not to a file; while it runs a command, it is in a folder of the file, and would end with that. */
function startHost(): ChildProcess {
  const env = { ...environment({}), TMPDIR: process.env['TEST_RUN_FOLDER'] ?? tmpdir() };
  const child = fork(HOST, { cwd: '/', env, execArgv: [], stdio: 'inherit' });
  child.unref();
  child.channel?.unref();
  return child;
}
