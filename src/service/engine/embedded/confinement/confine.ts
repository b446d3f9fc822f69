// Confines this process, for good, by Landlock and seccomp. Each layer is applied by itself: without one of them, the other still holds.
import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { LAYERS, noLayers, type Layer, type LayerName } from './confinement.ts';
import {
  encodePathRule,
  encodeRuleset,
  FIRST_ABI,
  restrictFlags,
  rightsOf,
  type LandlockPath,
} from './landlock.ts';
import { encodeFilter, seccompFilter, type Instruction } from './seccomp-filter.ts';
import { openSystem, SystemCallError, type System } from './system.ts';

export interface ConfineOptions {
  readonly paths: readonly LandlockPath[];
  readonly network: boolean;
}

/**
 * Returns which layers are in force. seccomp applies to all threads of the process; Landlock to the calling one and all that it starts
 * later, and since Linux 7.0 to all others as well: call it before there are threads that open files.
 */
export function confine(options: ConfineOptions): readonly Layer[] {
  const system = openSystem();
  if (typeof system === 'string') return noLayers(system);
  const rings = openRings(); // before Landlock hides /proc
  // Landlock first: the filter denies some of what its set-up needs.
  const apply: Readonly<Record<LayerName, () => string | undefined>> = {
    landlock: () => restrictFiles(system, options),
    seccomp: () => filterCalls(system, options, rings),
  };
  return LAYERS.map((name) => ({ name, missing: attempt(apply[name]) }));
}

const OPEN_FILES = '/proc/self/fd';

/** The file descriptors of io_uring of this process. */
function openRings(): readonly number[] {
  const isRing = (name: string): boolean => {
    try {
      return readlinkSync(`${OPEN_FILES}/${name}`) === 'anon_inode:[io_uring]';
    } catch {
      return false; // the one that has read the folder is closed
    }
  };
  return readdirSync(OPEN_FILES).filter(isRing).map(Number);
}

/** The result, or why a system call failed. */
function attempt(action: () => string | undefined): string | undefined {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof SystemCallError) return cause.message;
    throw cause;
  }
}

/** `LANDLOCK_CREATE_RULESET_VERSION` and `LANDLOCK_RULE_PATH_BENEATH`. */
const VERSION = 1;
const PATH_BENEATH = 1;

function restrictFiles(system: System, { paths, network }: ConfineOptions): string | undefined {
  const abi = landlockAbi(system);
  if (typeof abi === 'string') return abi;
  system.forbidNewPrivileges();
  const attributes = encodeRuleset(abi, network);
  const ruleset = system.call('landlock_create_ruleset', attributes, attributes.length, 0);
  try {
    for (const path of paths) addRule(system, { ruleset, abi }, path);
    system.call('landlock_restrict_self', ruleset, restrictFlags(abi));
  } finally {
    closeSync(ruleset);
  }
  return undefined;
}

/** The version of Landlock, or why it cannot be used. */
function landlockAbi(system: System): number | string {
  try {
    const abi = system.call('landlock_create_ruleset', null, 0, VERSION);
    return abi >= FIRST_ABI ? abi : 'Linux 5.19 or later is needed, since the engine moves files';
  } catch (cause) {
    if (!(cause instanceof SystemCallError)) throw cause;
    return REASONS[cause.code] ?? cause.message;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSYS: 'the kernel does not have it, or a seccomp profile hides it',
  EOPNOTSUPP: 'it is not among the security modules that the kernel was started with',
  EPERM: 'a seccomp profile denies it',
};

/** `O_PATH` of Linux, which Node.js has no name for. */
const O_PATH = 0x200000;

function addRule(
  system: System,
  { ruleset, abi }: { readonly ruleset: number; readonly abi: number },
  given: LandlockPath,
): void {
  const file = openPath(given.path);
  if (file === undefined) return;
  const rights = rightsOf(given, fstatSync(file), abi);
  system.call('landlock_add_rule', ruleset, PATH_BENEATH, encodePathRule(rights, file), 0);
  // A rule is for the inode. That of a folder in /proc stays the same only while it is open.
  if (!given.path.startsWith('/proc/')) closeSync(file);
}

/** Undefined: it does not exist, or may not be seen by this user. */
function openPath(path: string): number | undefined {
  try {
    return openSync(path, O_PATH | constants.O_RDONLY);
  } catch {
    return undefined;
  }
}

/** `SECCOMP_SET_MODE_FILTER`, and its flags for all threads and for no mitigation of Spectre, which older kernels add at a cost. */
const SET_MODE_FILTER = 1;
const ALL_THREADS = 1 << 0;
const NO_MITIGATION = 1 << 2;

function filterCalls(
  system: System,
  { network }: ConfineOptions,
  rings: readonly number[],
): string | undefined {
  const { architecture } = system;
  return installFilter(system, seccompFilter({ architecture, pid: process.pid, network, rings }));
}

/** For all threads of this process and all processes that it starts. Returns why it is not in force, if that is so; throws SystemCallError. */
export function installFilter(system: System, instructions: readonly Instruction[]): string | undefined {
  const filter = encodeFilter(instructions);
  const program = Buffer.alloc(16); // struct sock_fprog
  program.writeUInt16LE(instructions.length, 0);
  program.writeBigUInt64LE(system.addressOf(filter), 8);
  system.forbidNewPrivileges();
  const thread = system.call('seccomp', SET_MODE_FILTER, ALL_THREADS | NO_MITIGATION, program);
  return thread === 0 ? undefined : `the thread ${thread} has a filter of its own`;
}
