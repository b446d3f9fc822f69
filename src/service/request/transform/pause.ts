// Lets other events be handled between the parts of long work.

/** Resolves in a turn of the event loop in which no other pause ends: pauses that overlap end in the order in which they began. */
export type Pause = () => Promise<void>;

/** All long work of a process shares one: what is done at once would otherwise be done in the same turn. */
export function createPause(): Pause {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
}
