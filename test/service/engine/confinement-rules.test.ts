// The seccomp filter and the Landlock rules as the kernel reads them, on architectures and kernels that the tests do not run on.
import { describe, expect, test } from 'vitest';
import {
  encodePathRule,
  encodeRuleset,
  fileRights,
  restrictFlags,
  rightsOf,
} from '../../../src/service/engine/embedded/confinement/landlock.ts';
import {
  encodeFilter,
  seccompFilter,
  type Instruction,
} from '../../../src/service/engine/embedded/confinement/seccomp-filter.ts';
import {
  AUDIT_ARCH,
  type Architecture,
} from '../../../src/service/engine/embedded/confinement/system-calls.ts';

const ALLOWED = 'allowed';
const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;

interface Call {
  readonly arch: number;
  readonly number: number;
  readonly arguments?: readonly number[];
}

/** What the kernel does with a call: the error number, or that it is allowed. */
function decide(filter: readonly Instruction[], call: Call): number | 'allowed' {
  const words = new Map([
    [0, call.number],
    [4, call.arch],
    ...(call.arguments ?? []).map((value, index): [number, number] => [16 + 8 * index, value]),
  ]);
  let accumulator = 0;
  for (let at = 0; at < filter.length; at++) {
    const { code, value, ifTrue = 0, ifFalse = 0 } = filter[at] ?? { code: 0, value: 0 };
    if (code === 0x20) accumulator = words.get(value) ?? 0;
    else if (code === 0x06) return value === 0x7fff0000 ? ALLOWED : value & 0xffff;
    else {
      const isTrue =
        code === 0x15
          ? accumulator === value
          : code === 0x25
            ? accumulator > value
            : (accumulator & value) !== 0;
      at += isTrue ? ifTrue : ifFalse;
    }
  }
  throw new Error('the program has no end');
}

const PID = 4711;
const THREAD = 0x3d0f00;
const SIGCHLD = 17;

describe('the filter', () => {
  const CALLS: readonly (readonly [
    what: string,
    numbers: Readonly<Record<Architecture, number>>,
    arguments: readonly number[],
    result: number | 'allowed',
  ])[] = [
    ['read', { x64: 0, arm64: 63 }, [], ALLOWED],
    ['openat', { x64: 257, arm64: 56 }, [], ALLOWED],
    ['mmap', { x64: 9, arm64: 222 }, [], ALLOWED],
    ['futex', { x64: 202, arm64: 98 }, [], ALLOWED],
    ['recvmsg', { x64: 47, arm64: 212 }, [], ALLOWED],
    ['a thread', { x64: 56, arm64: 220 }, [THREAD], ALLOWED],
    ['a process', { x64: 56, arm64: 220 }, [SIGCHLD], EPERM],
    ['clone3', { x64: 435, arm64: 435 }, [], ENOSYS],
    ['execve', { x64: 59, arm64: 221 }, [], EPERM],
    ['execveat', { x64: 322, arm64: 281 }, [], EPERM],
    ['ptrace', { x64: 101, arm64: 117 }, [], EPERM],
    ['a signal to itself', { x64: 62, arm64: 129 }, [PID, 9], ALLOWED],
    ['a signal to another process', { x64: 62, arm64: 129 }, [1, 9], EPERM],
    ['a signal to its group', { x64: 62, arm64: 129 }, [0, 9], EPERM],
    ['a signal to a thread of its own', { x64: 234, arm64: 131 }, [PID, 5, 6], ALLOWED],
    ['a signal to a thread of another', { x64: 234, arm64: 131 }, [1, 1, 9], EPERM],
    ['its own limits', { x64: 302, arm64: 261 }, [0, 7], ALLOWED],
    ['the limits of another', { x64: 302, arm64: 261 }, [1, 7], EPERM],
    ['a socket of TCP', { x64: 41, arm64: 198 }, [2, 1], EACCES],
    ['connect', { x64: 42, arm64: 203 }, [], EACCES],
    ['io_uring_setup', { x64: 425, arm64: 425 }, [], ENOSYS],
    ['a ring of the event loop', { x64: 426, arm64: 426 }, [7], ALLOWED],
    ['another ring', { x64: 426, arm64: 426 }, [8], ENOSYS],
    ['io_uring_register', { x64: 427, arm64: 427 }, [7], ENOSYS],
    ['landlock_restrict_self', { x64: 446, arm64: 446 }, [], ALLOWED],
    ['a call of a newer kernel', { x64: 463, arm64: 463 }, [], ENOSYS],
  ];
  const CASES = (['x64', 'arm64'] as const).flatMap((architecture) =>
    CALLS.map(([what, numbers, given, result]) => ({
      architecture,
      what,
      number: numbers[architecture],
      given,
      result,
    })),
  );

  test.each(CASES)('$architecture: $what', ({ architecture, number, given, result }) => {
    const filter = seccompFilter({ architecture, pid: PID, network: false, rings: [7] });
    expect(decide(filter, { arch: AUDIT_ARCH[architecture], number, arguments: given })).toBe(result);
  });

  const SOCKET = 41;
  test.each([
    ['IPv4', SOCKET, [2], ALLOWED],
    ['IPv6', SOCKET, [10], ALLOWED],
    ['a service of the machine', SOCKET, [1], EACCES],
    ['packets', SOCKET, [17], EACCES],
    ['connect', 42, [], ALLOWED],
    ['listen', 50, [], EACCES],
    ['accept4', 288, [], EACCES],
    ['fork', 57, [], EPERM],
    ['a ring, without any', 426, [0], ENOSYS],
  ] as const)('with the network open: %s', (_, number, given, result) => {
    const filter = seccompFilter({ architecture: 'x64', pid: PID, network: true, rings: [] });
    expect(decide(filter, { arch: AUDIT_ARCH.x64, number, arguments: given })).toBe(result);
  });

  test.each([
    ['of i386, where 11 is execve', { arch: 0x40000003, number: 11 }, EPERM],
    ['of x32', { arch: AUDIT_ARCH.x64, number: 0x40000000 + 59 }, ENOSYS],
    ['of the other architecture', { arch: AUDIT_ARCH.arm64, number: 63 }, EPERM],
  ])('calls %s', (_, call, result) => {
    expect(decide(seccompFilter({ architecture: 'x64', pid: PID, network: false, rings: [7] }), call)).toBe(
      result,
    );
  });

  test('is encoded as the kernel reads it', () => {
    const filter = [{ code: 0x15, value: 0xc000003e, ifTrue: 1, ifFalse: 2 }];
    expect(encodeFilter(filter).toString('hex')).toBe('150001023e0000c0');
  });
});

describe('the rules', () => {
  const FOLDER = { isDirectory: () => true };
  const FILE = { isDirectory: () => false };

  test.each([
    [2, 0x3fff],
    [3, 0x7fff],
    [4, 0x7fff],
    [5, 0xffff],
    [7, 0xffff],
    [9, 0xffff],
  ])('ABI %i: all rights are handled', (abi, rights) => {
    expect(fileRights(abi)).toBe(rights);
  });

  test.each([
    ['read', FOLDER, 0b1100],
    ['read', FILE, 0b0100],
    // All but running programs, devices and their controls.
    ['write', FOLDER, 0xffff & ~(1 | (1 << 6) | (1 << 11) | (1 << 15))],
    ['write', FILE, 0b110 | (1 << 14)],
  ] as const)('%s %o', (access, stats, rights) => {
    expect(rightsOf({ path: '/', access }, stats, 7)).toBe(rights);
  });

  test.each([
    [3, 8],
    [4, 16],
    [6, 24],
  ])('ABI %i: a rule set is as long as the kernel knows it', (abi, length) => {
    expect(encodeRuleset(abi, false)).toHaveLength(length);
  });

  test('connections are handled unless the network is open', () => {
    expect(encodeRuleset(6, false).toString('hex')).toBe(`ffff000000000000${'0300000000000000'.repeat(2)}`);
    expect(encodeRuleset(6, true).toString('hex')).toBe('ffff00000000000000000000000000000300000000000000');
  });

  test('a path has its rights and its file', () => {
    expect(encodePathRule(0b1100, 5).toString('hex')).toBe('0c0000000000000005000000');
  });

  test.each([
    [7, 0],
    [8, 8],
  ])('ABI %i: flags', (abi, flags) => {
    expect(restrictFlags(abi)).toBe(flags);
  });
});
