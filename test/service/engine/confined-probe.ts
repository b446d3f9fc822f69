// A process that is confined as that of the engine is, and tries what no statement can try: system calls, in several of its threads.
// Prints the outcome of each attempt as JSON: `ok`, or the name of the error. Arguments: as those of the engine's program.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openSystem, type System } from '../../../src/service/engine/embedded/confinement/system.ts';

const [, , data = ''] = process.argv;
const { PROBE_PORT = '1' } = process.env;

const errorOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);

function attempt(action: () => unknown): string {
  try {
    action();
    return 'ok';
  } catch (cause) {
    return errorOf(cause);
  }
}

const attemptAsync = (action: Promise<unknown>): Promise<string> => action.then(() => 'ok', errorOf);

/** Reads a file in another thread of JavaScript. */
const inWorker = (file: string): Promise<string> =>
  new Promise((resolve) => {
    const script = `
      const { parentPort, workerData } = require('node:worker_threads');
      try { require('node:fs').readFileSync(workerData); parentPort.postMessage('ok'); }
      catch (cause) { parentPort.postMessage(cause.code); }`;
    new Worker(script, { eval: true, workerData: file }).once('message', resolve);
  });

const connecting = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve('ok')).once('error', (cause) =>
      resolve(errorOf(cause)),
    );
    socket.once('close', () => socket.destroy());
  });

const listening = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer().once('error', (cause) => resolve(errorOf(cause)));
    server.listen(0, '127.0.0.1', () => server.close(() => resolve('ok')));
  });

/** Calls with arguments that do no harm if they are allowed. */
function systemCalls(system: System): Record<string, string> {
  const bytes = Buffer.alloc(128);
  const PTRACE_ATTACH = 16;
  const CLONE_NEWUSER = 0x10000000;
  const SIGCHLD = 17;
  return {
    ptrace: attempt(() => system.call('ptrace', PTRACE_ATTACH, process.ppid, 0, 0)),
    process_vm_readv: attempt(() => system.call('process_vm_readv', process.ppid, null, 0, null)),
    pidfd_open: attempt(() => system.call('pidfd_open', process.ppid, 0)),
    fork: attempt(() => system.call('clone', SIGCHLD, null, null, null)),
    clone3: attempt(() => system.call('clone3', bytes, 0)),
    execve: attempt(() => system.call('execve', null, null, null)),
    unshare: attempt(() => system.call('unshare', CLONE_NEWUSER)),
    setns: attempt(() => system.call('setns', -1, 0)),
    mount: attempt(() => system.call('mount', null, null, null, 0)),
    bpf: attempt(() => system.call('bpf', -1, bytes, 0)),
    keyctl: attempt(() => system.call('keyctl', -1)),
    perf_event_open: attempt(() => system.call('perf_event_open', bytes, -1, -1, -1)),
    io_uring_setup: attempt(() => system.call('io_uring_setup', 0, null)),
    userfaultfd: attempt(() => system.call('userfaultfd', -1)),
    init_module: attempt(() => system.call('init_module', null, 0, null)),
    chown: attempt(() => system.call('fchown', -1, 0, 0)),
    unixSocket: attempt(() => system.call('socket', 1, 1, 0)),
    packetSocket: attempt(() => system.call('socket', 17, 3, 0)),
  };
}

const system = openSystem();
if (typeof system === 'string') throw new Error(system);
const own = join(data, 'own');
const result = {
  user: process.getuid?.(),
  write: attempt(() => writeFileSync(own, 'text')),
  read: attempt(() => readFileSync(own)),
  writeInPool: await attemptAsync(writeFile(own, 'text')),
  statistics: attempt(() => process.memoryUsage.rss()),
  outside: attempt(() => readFileSync('/etc/passwd')),
  outsideInPool: await attemptAsync(readFile('/etc/passwd')),
  outsideInWorker: await inWorker('/etc/passwd'),
  writeOutside: attempt(() => writeFileSync(join(data, '..', 'beside'), 'text')),
  parentEnvironment: attempt(() => readFileSync(`/proc/${process.ppid}/environ`)),
  child: spawnSync('/bin/true').error === undefined ? 'ok' : errorOf(spawnSync('/bin/true').error),
  connect: await connecting(Number(PROBE_PORT)),
  listen: await listening(),
  signalSelf: attempt(() => process.kill(process.pid, 0)),
  signalParent: attempt(() => process.kill(process.ppid, 0)),
  ...systemCalls(system),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
