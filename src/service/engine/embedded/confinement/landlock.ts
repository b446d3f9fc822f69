// The Landlock rules of the engine process: which files and folders it can open, and how. All else is denied: files that are
// read, written, made, removed, run, and TCP connections.
// https://docs.kernel.org/userspace-api/landlock.html
import type { Stats } from 'node:fs';

/** Access rights of `linux/landlock.h`. */
const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_FOLDER = 1 << 3;
const MAKE_CHARACTER_DEVICE = 1 << 6;
const MAKE_BLOCK_DEVICE = 1 << 11;
const TRUNCATE = 1 << 14;
const IOCTL_DEVICE = 1 << 15;

/** The rights of each ABI: those of the first, REFER, TRUNCATE, none for files, IOCTL_DEV. */
const FIRST_RIGHTS = 13;
const RIGHTS_SINCE: readonly (readonly [abi: number, rights: number])[] = [
  [2, 14],
  [3, 15],
  [5, 16],
];

/** `LANDLOCK_ACCESS_NET_BIND_TCP` and `…_CONNECT_TCP`, since ABI 4. */
const TCP_RIGHTS = 0b11;
const TCP_SINCE = 4;

/** `LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET` and `…_SIGNAL`, since ABI 6. */
const SCOPES = 0b11;
const SCOPES_SINCE = 6;

/** `LANDLOCK_RESTRICT_SELF_TSYNC`, since ABI 8. */
const ALL_THREADS = 1 << 3;
const ALL_THREADS_SINCE = 8;

/** ABI 1 (Linux 5.13 to 5.18) denies to move files between folders, which the engine does when it drops a table. */
export const FIRST_ABI = 2;

export interface LandlockPath {
  readonly path: string;
  readonly access: 'read' | 'write';
}

/** All access rights to files that an ABI knows. */
export function fileRights(abi: number): number {
  const count = RIGHTS_SINCE.findLast(([since]) => abi >= since)?.[1] ?? FIRST_RIGHTS;
  return (1 << count) - 1;
}

/** Which of them a path gets. The kernel rejects rights of folders for other files. */
export function rightsOf({ access }: LandlockPath, stats: Pick<Stats, 'isDirectory'>, abi: number): number {
  const all = fileRights(abi);
  const write = all & ~(EXECUTE | MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE | IOCTL_DEVICE);
  const rights = access === 'read' ? READ_FILE | READ_FOLDER : write;
  return stats.isDirectory() ? rights : rights & (READ_FILE | WRITE_FILE | TRUNCATE);
}

/** `struct landlock_ruleset_attr`, as long as the ABI knows it. */
export function encodeRuleset(abi: number, network: boolean): Buffer {
  const length = abi >= SCOPES_SINCE ? 24 : abi >= TCP_SINCE ? 16 : 8;
  const fields = [fileRights(abi), network ? 0 : TCP_RIGHTS, SCOPES];
  const bytes = Buffer.alloc(length);
  for (let index = 0; index * 8 < length; index++)
    bytes.writeBigUInt64LE(BigInt(fields[index] ?? 0), index * 8);
  return bytes;
}

/** `struct landlock_path_beneath_attr`, which is packed. */
export function encodePathRule(rights: number, file: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64LE(BigInt(rights), 0);
  bytes.writeInt32LE(file, 8);
  return bytes;
}

/** Flags of `landlock_restrict_self`: all threads of the process, if the kernel can. */
export function restrictFlags(abi: number): number {
  return abi >= ALL_THREADS_SINCE ? ALL_THREADS : 0;
}
