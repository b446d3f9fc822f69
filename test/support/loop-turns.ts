// How often the event loop was free while something ran.

/** The result, and the turns of the event loop before it; at most 1,000 are counted. */
export async function countTurns<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    if (isDone || turns >= 1000) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isDone = true;
  }
}
