// Bounds how much work runs at once, in all and in each lane.

export interface Turns {
  /** Runs `work` when there is a place for it in its lane. */
  take<Result>(lane: string, work: () => Promise<Result>): Promise<Result>;
}

export interface TurnsOptions {
  readonly total: number;
  readonly perLane: number;
}

export function createTurns({ total, perLane }: TurnsOptions): Turns {
  const waiting = new Set<{ readonly lane: string; readonly begin: () => void }>(); // in the order of arrival
  const running = new Map<string, number>();
  let all = 0;

  const isFree = (lane: string): boolean => all < total && (running.get(lane) ?? 0) < perLane;
  const begin = (lane: string): void => {
    all++;
    running.set(lane, (running.get(lane) ?? 0) + 1);
  };
  const end = (lane: string): void => {
    all--;
    const left = (running.get(lane) ?? 1) - 1;
    if (left === 0) running.delete(lane);
    else running.set(lane, left);
    for (const next of waiting) {
      if (all >= total) return;
      if (!isFree(next.lane)) continue;
      waiting.delete(next);
      begin(next.lane);
      next.begin();
    }
  };

  return {
    take: async (lane, work) => {
      if (isFree(lane)) begin(lane);
      else await new Promise<void>((resolve) => waiting.add({ lane, begin: resolve }));
      try {
        return await work();
      } finally {
        end(lane);
      }
    },
  };
}

/** Runs one `work` of a lane at a time, and lanes take turns: each has one place in the line, however much it brings. */
export function createFairTurns(total: number): Turns {
  const turns = createTurns({ total, perLane: 1 });
  const last = new Map<string, Promise<unknown>>();
  return {
    take: (lane, work) => {
      const before = last.get(lane) ?? Promise.resolve();
      const own = before.then(() => turns.take(lane, work));
      const settled = own
        .catch(() => undefined)
        .finally(() => {
          if (last.get(lane) === settled) last.delete(lane);
        });
      last.set(lane, settled);
      return own;
    },
  };
}
