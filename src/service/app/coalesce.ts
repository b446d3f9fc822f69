// Coalesces concurrent calls of one function.

/** Calls made while one is running share its result. */
export function coalesce<T>(find: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= find().finally(() => {
      running = undefined;
    });
    return running;
  };
}
