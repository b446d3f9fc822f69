// The files and folders that the engine process needs: its data, its program, the library of the engine and what these read
// of the system.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LandlockPath } from './landlock.ts';

export interface AllowedPathsOptions {
  /** The data folder. */
  readonly data: string;
  /** The file of the program. */
  readonly program: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Native libraries; the engine's needs those of C. */
const LIBRARIES = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/nix/store',
  '/gnu/store',
  '/etc/ld.so.cache',
];

const SYSTEM = [
  '/usr/share/zoneinfo',
  '/etc/localtime',
  '/etc/timezone',
  // The addresses of names: a dictionary over a table of the engine connects to "localhost".
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/host.conf',
  '/dev/random',
  '/dev/urandom',
  '/dev/zero',
  // Limits of memory and processors.
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/stat',
  '/proc/sys/vm/overcommit_memory',
  '/sys/devices/system/cpu',
  '/sys/devices/system/node',
  '/sys/fs/cgroup',
  '/sys/kernel/mm/transparent_hugepage',
];

/** Name servers and certificate authorities. */
const NETWORK = [
  '/etc/gai.conf',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/ssl/cert.pem',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/ca-trust/extracted',
  '/etc/pki/tls/certs',
  '/usr/share/ca-certificates',
];

/** Some may not exist. */
export function allowedPaths(options: AllowedPathsOptions): readonly LandlockPath[] {
  const { data, program, read, write, network, env } = options;
  const libraries = env['LD_LIBRARY_PATH']?.split(':').filter((folder) => folder !== '') ?? [];
  const readable = [
    process.execPath,
    ...programFiles(program),
    ...LIBRARIES,
    ...libraries,
    ...SYSTEM,
    ...(network ? NETWORK : []),
    // Not /proc/self: a rule is for one process. Statistics of its threads, and its own memory map.
    `/proc/${process.pid}`,
    ...read,
  ];
  return [
    ...readable.map((path): LandlockPath => ({ path, access: 'read' })),
    ...[data, '/dev/null', ...write].map((path): LandlockPath => ({ path, access: 'write' })),
  ];
}

/** The program and chDB, wherever a package manager has put it. */
function programFiles(program: string): readonly string[] {
  const folder = dirname(program);
  return [folder, ...packageFileOf(folder), ...engineFolders(program)];
}

/** The nearest package.json, from which Node.js learns how to read the program's files. */
function packageFileOf(folder: string): readonly string[] {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return [file];
  const parent = dirname(folder);
  return parent === folder ? [] : packageFileOf(parent);
}

/** chDB and the packages with its native code, beside it or inside of it. */
function engineFolders(program: string): readonly string[] {
  let chdb: string;
  try {
    chdb = dirname(createRequire(program).resolve('chdb/package.json'));
  } catch {
    return []; // not installed, which is reported when it is loaded
  }
  const beside = join(dirname(chdb), '@chdb');
  const native = existsSync(beside) ? readdirSync(beside) : [];
  return [chdb, ...native.map((name) => realpathSync(join(beside, name)))];
}
