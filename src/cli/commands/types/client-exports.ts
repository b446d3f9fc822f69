// The part of the client that `millrace types` writes which makes exports.

/** TypeScript; follows the client, whose functions it uses. */
export const CLIENT_EXPORTS = `
interface ExportRequests {
  /** Asks for the export. */
  create(): Promise<Response>;
  /** Sends a request for the state of an export, or for a path below it. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** Makes an export, and opens its file. It is removed once the file has been read, and if anything fails. */
async function exportedFile({ create, send }: ExportRequests, { signal, onProgress }: Pick<ExportOptions<never>, 'signal' | 'onProgress'>): Promise<ExportedFile> {
  signal?.throwIfAborted();
  const remove = async (id: string): Promise<void> => {
    const response = await send(id, { method: 'DELETE' }).catch(() => undefined); // the service removes it after a while
    await response?.body?.cancel();
  };
  // Without the signal: an export is removed by its id, which the response has.
  const creating = create().then(async (response) => {
    const { id } = await exportIn(response, undefined);
    return String(id);
  });
  const id = await unlessAborted(creating, signal).catch((cause: unknown) => {
    if (signal?.aborted === true) void creating.then(remove, () => undefined);
    throw cause;
  });
  const init = signal === undefined ? {} : { signal };
  try {
    for (let pause = 100; ; pause = Math.min(pause * 1.5, 2000)) {
      const response = await send(id, init);
      if (response.status === 429) {
        await response.body?.cancel();
        await wait((Number(response.headers.get('Retry-After')) || 1) * 1000, signal);
        continue;
      }
      const found = await exportIn(response, signal);
      const progress = { state: String(found['state']), rows: Number(found['rows']), bytes: Number(found['bytes']) };
      onProgress?.(progress);
      if (progress.state === 'finished') {
        const result = await send(\`\${id}/result\`, init);
        if (!result.ok) throw new MillraceError(result.status, await jsonIn(result, signal));
        return { rows: progress.rows, bytes: progress.bytes, stream: streamOf(bytesIn(result, signal), () => remove(id)) };
      }
      if (progress.state !== 'waiting' && progress.state !== 'running') {
        const problem = (found['error'] ?? {}) as Record<string, unknown>;
        throw new MillraceError(Number(problem['status'] ?? 500), problem);
      }
      await wait(pause, signal);
    }
  } catch (cause) {
    await remove(id);
    throw cause;
  }
}

/** The state of an export. Rejects with MillraceError. */
async function exportIn(response: Response, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
  const document = await jsonIn(response, signal);
  if (!response.ok || typeof document['id'] !== 'string') throw new MillraceError(response.status, document);
  return document;
}

/** Rejects with the reason of the signal as soon as it aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** \`onEnd\` is called when all has been read, when reading fails, and when the stream is canceled. */
function streamOf(chunks: AsyncGenerator<Uint8Array, void>, onEnd: () => Promise<void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done !== true) return controller.enqueue(value);
      } catch (cause) {
        await onEnd();
        throw cause;
      }
      await onEnd();
      controller.close();
    },
    async cancel() {
      await chunks.return();
      await onEnd();
    },
  }, { highWaterMark: 0 });
}
`;
