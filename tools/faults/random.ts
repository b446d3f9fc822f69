// Repeatable pseudo-random numbers: the same seed gives the same run.

export interface Random {
  /** In [0, 1). */
  readonly next: () => number;
  /** An integer in [0, `end`). */
  readonly below: (end: number) => number;
  readonly isLucky: (share: number) => boolean;
  readonly pick: <T>(from: readonly [T, ...T[]] | readonly T[]) => T;
}

/** Mulberry32: 32 bits of state, not cryptographic. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    isLucky: (share) => next() < share,
    pick: (from) => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error('there is nothing to pick');
      return picked;
    },
  };
}
