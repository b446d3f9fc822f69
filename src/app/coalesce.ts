// Callers who ask while the same is being found out share what comes of it.

/** Calls that come while one runs get its result. */
export function coalesce<T>(find: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= find().finally(() => {
      running = undefined;
    });
    return running;
  };
}
