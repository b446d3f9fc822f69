// The memory of events that readers have not taken completely: an event that many are reading counts once.

export interface Holding {
  /** A stream uses `now` instead of `before`. */
  swap(now: Buffer | undefined, before: Buffer | undefined): void;
  readonly bytes: () => number;
}

/** Smaller ones do not count: they come and go with every heartbeat. */
const LEAST = 4096;

export function createHolding(): Holding {
  const holders = new Map<Buffer, number>();
  let bytes = 0;
  return {
    swap: (now, before) => {
      if (now === before) return;
      if (now !== undefined && now.length >= LEAST) {
        const count = holders.get(now) ?? 0;
        if (count === 0) bytes += now.length;
        holders.set(now, count + 1);
      }
      if (before === undefined || before.length < LEAST) return;
      const left = (holders.get(before) ?? 1) - 1;
      if (left > 0) return void holders.set(before, left);
      holders.delete(before);
      bytes -= before.length;
    },
    bytes: () => bytes,
  };
}
