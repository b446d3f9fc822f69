// System calls that Node.js has no function for, through koffi, whose native code is in its package: nothing is compiled.
import { createRequire } from 'node:module';
import { getSystemErrorName } from 'node:util';
import type * as Koffi from 'koffi';
import { systemCallNumber, type Architecture, type SystemCall } from './system-calls.ts';

/** A number, or the bytes that the call gets a pointer to. */
export type Argument = number | Buffer | null;

export interface System {
  readonly architecture: Architecture;
  /** Up to four arguments. Returns the result; throws SystemCallError. */
  readonly call: (name: SystemCall, ...given: readonly Argument[]) => number;
  /** `prctl(PR_SET_NO_NEW_PRIVS)`, without which the layers need privileges. Throws SystemCallError. */
  readonly forbidNewPrivileges: () => void;
  /** The address of bytes, for a structure with a pointer to them; valid as long as they are referenced. */
  readonly addressOf: (bytes: Buffer) => bigint;
}

export class SystemCallError extends Error {
  /** The system's name of the error, such as `ENOSYS`. */
  readonly code: string;
  constructor(call: string, code: string) {
    super(`${call} failed with ${code}`);
    this.name = 'SystemCallError';
    this.code = code;
  }
}

const PR_SET_NO_NEW_PRIVS = 38;

/** Returns why there is none, as a part of a sentence, if that is so. */
export function openSystem(): System | string {
  const { platform, arch } = process;
  if (platform !== 'linux') return `the system is ${platform}, not Linux`;
  if (arch !== 'x64' && arch !== 'arm64') return `the processor is ${arch}, not x64 or arm64`;
  let koffi: typeof Koffi;
  try {
    koffi = createRequire(import.meta.url)('koffi') as typeof Koffi; // the package's own type
  } catch {
    return 'the package koffi is not installed: install with optional dependencies';
  }
  return systemOver(koffi, arch);
}

function systemOver(koffi: typeof Koffi, architecture: Architecture): System {
  const library = koffi.load(null); // the C library is part of the process
  const prctl = library.func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)');
  const check = (call: string, result: number): number => {
    if (result === -1) throw new SystemCallError(call, getSystemErrorName(-koffi.errno()));
    return result;
  };
  return {
    architecture,
    call: (name, ...given) => {
      const number = systemCallNumber(name, architecture);
      if (number === undefined) throw new SystemCallError(name, 'ENOSYS');
      const types = given.map((each) => (typeof each === 'number' ? 'long' : 'void *'));
      const syscall = library.func('syscall', 'long', ['long', ...types]);
      return check(name, Number(syscall(number, ...given)));
    },
    forbidNewPrivileges: () => void check('prctl', Number(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))),
    addressOf: (bytes) => koffi.address(bytes),
  };
}
