// The seccomp filter of the engine process, as a program of classic BPF: which system calls are denied, and with which
// error. Every other call is allowed: the filter complements Landlock, which decides on files.
// https://docs.kernel.org/userspace-api/seccomp_filter.html
import {
  AUDIT_ARCH,
  LAST_KNOWN,
  systemCallNumber,
  type Architecture,
  type SystemCall,
} from './system-calls.ts';

/** Error numbers, which are the same on both architectures. */
const EPERM = 1;
const EACCES = 13;
export const ENOSYS = 38;

/** The flag of `clone` for threads, and the families of sockets. */
const CLONE_THREAD = 0x10000;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

/** One system call. With `argument`, the call is allowed if it is one of `values`, or has one of the `bits`. */
export interface Rule {
  readonly call: SystemCall;
  readonly error: number;
  readonly argument?: { readonly index: number; readonly values?: readonly number[]; readonly bits?: number };
}

export interface FilterOptions {
  readonly architecture: Architecture;
  /** The process, which may send signals to itself. */
  readonly pid: number;
  readonly network: boolean;
  /** File descriptors of io_uring that the process has already: since Node.js 22, its event loops cannot do without theirs. */
  readonly rings: readonly number[];
}

const denied = (error: number, calls: readonly SystemCall[]): readonly Rule[] =>
  calls.map((call) => ({ call, error }));

/** Only rings that are set up already can be used. */
const onlyRings = (rings: readonly number[]): Rule => {
  const rule: Rule = { call: 'io_uring_enter', error: ENOSYS };
  return rings.length === 0 ? rule : { ...rule, argument: { index: 0, values: rings } };
};

const onlySelf = (pid: number, calls: readonly SystemCall[]): readonly Rule[] =>
  calls.map((call) => ({ call, error: EPERM, argument: { index: 0, values: [pid] } }));

function rulesOf({ pid, network, rings }: FilterOptions): readonly Rule[] {
  return [
    // The C library then falls back to `clone`, whose flags are visible to a filter.
    { call: 'clone3', error: ENOSYS },
    { call: 'clone', error: EPERM, argument: { index: 0, bits: CLONE_THREAD } },
    ...denied(EPERM, ['fork', 'vfork', 'execve', 'execveat', 'uselib', 'unshare', 'setns', 'personality']),
    ...denied(EPERM, ['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise']),
    ...denied(EPERM, ['process_mrelease', 'kcmp', 'pidfd_open', 'pidfd_getfd', 'pidfd_send_signal', 'tkill']),
    ...onlySelf(pid, ['kill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo']),
    { call: 'prlimit64', error: EPERM, argument: { index: 0, values: [0, pid] } },
    ...denied(EPERM, ['migrate_pages', 'move_pages']),
    ...(network ? NETWORK : denied(EACCES, ['socket', 'bind', 'connect'])),
    ...denied(EACCES, ['listen', 'accept', 'accept4']),
    ...denied(EPERM, ['shmget', 'shmat', 'msgget', 'semget', 'mq_open', 'mq_unlink']),
    ...denied(EPERM, ['mount', 'umount2', 'move_mount', 'open_tree', 'fsopen', 'fsconfig', 'fsmount']),
    ...denied(EPERM, ['fspick', 'mount_setattr', 'pivot_root', 'chroot', 'swapon', 'swapoff']),
    ...denied(EPERM, ['quotactl', 'quotactl_fd', 'mknod', 'mknodat', 'name_to_handle_at']),
    ...denied(EPERM, ['open_by_handle_at', 'fanotify_init', 'chown', 'lchown', 'fchown', 'fchownat']),
    ...denied(EPERM, ['setxattr', 'lsetxattr', 'fsetxattr', 'removexattr', 'lremovexattr', 'fremovexattr']),
    ...denied(EPERM, ['bpf', 'perf_event_open', 'userfaultfd', 'add_key', 'request_key', 'keyctl']),
    // Callers of io_uring know kernels without it.
    ...denied(ENOSYS, ['io_uring_setup', 'io_uring_register']),
    onlyRings(rings),
    ...denied(EPERM, ['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module']),
    ...denied(EPERM, ['reboot', 'syslog', 'acct', 'vhangup', 'sethostname', 'setdomainname']),
    ...denied(EPERM, ['settimeofday', 'clock_settime', 'clock_adjtime', 'adjtimex', 'iopl', 'ioperm']),
    ...denied(EPERM, ['modify_ldt', 'lookup_dcookie', 'nfsservctl']),
  ];
}

/** Connections to other machines; `AF_NETLINK` is how the C library learns which addresses the machine has. Not `AF_UNIX`: services of the machine listen there. */
const NETWORK: readonly Rule[] = [
  { call: 'socket', error: EACCES, argument: { index: 0, values: [AF_INET, AF_INET6, AF_NETLINK] } },
];

// Instructions: https://www.kernel.org/doc/Documentation/networking/filter.txt
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_BITS = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const FAIL = 0x00050000;

/** Offsets in `struct seccomp_data`; of arguments, the lower half on a little-endian machine. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

/** An instruction; both jumps are counted from the next one. */
export interface Instruction {
  readonly code: number;
  readonly value: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
}

/** The filter. A call that no rule names is allowed; so the kernel caches that decision and runs no instruction for it. */
export function seccompFilter(options: FilterOptions): readonly Instruction[] {
  return filterOf(rulesOf(options), options.architecture);
}

export function filterOf(rules: readonly Rule[], architecture: Architecture): readonly Instruction[] {
  return [
    // A process of another architecture would have other numbers.
    { code: LOAD, value: ARCHITECTURE_AT },
    { code: JUMP_EQUAL, value: AUDIT_ARCH[architecture], ifTrue: 1 },
    { code: RETURN, value: FAIL + EPERM },
    { code: LOAD, value: NUMBER_AT },
    // Also the calls of x32, which have the bit 30.
    { code: JUMP_GREATER, value: LAST_KNOWN, ifFalse: 1 },
    { code: RETURN, value: FAIL + ENOSYS },
    ...rules.flatMap((rule) => instructionsOf(rule, architecture)),
    { code: RETURN, value: ALLOW },
  ];
}

function instructionsOf({ call, error, argument }: Rule, architecture: Architecture): readonly Instruction[] {
  const number = systemCallNumber(call, architecture);
  if (number === undefined) return [];
  const body = [...(argument === undefined ? [] : checkOf(argument)), { code: RETURN, value: FAIL + error }];
  return [{ code: JUMP_EQUAL, value: number, ifFalse: body.length }, ...body];
}

/** Allows the call, or goes on to the next instruction. */
function checkOf({ index, values = [], bits }: NonNullable<Rule['argument']>): readonly Instruction[] {
  const tests = [
    ...values.map((value) => ({ code: JUMP_EQUAL, value })),
    ...(bits === undefined ? [] : [{ code: JUMP_BITS, value: bits }]),
  ];
  return [
    { code: LOAD, value: argumentAt(index) },
    ...tests.flatMap((test) => [
      { ...test, ifFalse: 1 },
      { code: RETURN, value: ALLOW },
    ]),
  ];
}

/** As the kernel reads it: `struct sock_filter[]`. */
export function encodeFilter(filter: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(filter.length * 8);
  for (const [index, { code, value, ifTrue = 0, ifFalse = 0 }] of filter.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
