// Numbers of Linux system calls, by architecture, and of the constants that the layers of confinement pass to them.

export type Architecture = 'x64' | 'arm64';

/** https://github.com/torvalds/linux/blob/master/include/uapi/linux/audit.h */
export const AUDIT_ARCH: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Calls with higher numbers are newer than this list (`mseal`): what they do is not known here. Both architectures share these numbers. */
export const LAST_KNOWN = 462;

/** The numbers on x64 and arm64; undefined: arm64 does not have the call. */
const NUMBERS = {
  // Processes and threads
  fork: [57, undefined],
  vfork: [58, undefined],
  clone: [56, 220],
  clone3: [435, 435],
  execve: [59, 221],
  execveat: [322, 281],
  uselib: [134, undefined],
  unshare: [272, 97],
  setns: [308, 268],
  personality: [135, 92],
  // Other processes
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  kill: [62, 129],
  tkill: [200, 130],
  tgkill: [234, 131],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  prlimit64: [302, 261],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  // Sockets
  socket: [41, 198],
  bind: [49, 200],
  connect: [42, 203],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  // Memory and messages shared with other processes
  shmget: [29, 194],
  shmat: [30, 196],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  // File systems, and files by other means than their path
  mount: [165, 40],
  umount2: [166, 39],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  pivot_root: [155, 41],
  chroot: [161, 51],
  swapon: [167, 224],
  swapoff: [168, 225],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  mknod: [133, undefined],
  mknodat: [259, 33],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  // Owners and attributes of files, which Landlock does not cover
  chown: [92, undefined],
  lchown: [94, undefined],
  fchown: [93, 55],
  fchownat: [260, 54],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  // The kernel
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  syslog: [103, 116],
  acct: [163, 89],
  vhangup: [153, 58],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  // For the layers themselves; the numbers of Landlock are the same on all architectures
  seccomp: [317, 277],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
} as const satisfies Readonly<Record<string, readonly [number, number | undefined]>>;

export type SystemCall = keyof typeof NUMBERS;

/** Undefined: the architecture does not have the call. */
export function systemCallNumber(name: SystemCall, architecture: Architecture): number | undefined {
  const [x64, arm64] = NUMBERS[name];
  return architecture === 'x64' ? x64 : arm64;
}
