// Reads the body of a response to `fetch` until a signal aborts.

/**
 * The chunks of a body as they arrive. Rejects with the signal's reason once it aborts: Node's `fetch` forgets its own signal
 * when it has responded and its request has been garbage collected.
 */
export async function* chunksOf(
  { body }: Response,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  if (body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined); // a read that waits ends
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
