// A response body as it arrives: checked for errors, bounded in time, and closed cleanly if abandoned.
import type { Readable } from 'node:stream';
import type { EngineError } from '../engine.ts';
import type { ExceptionGate } from './exception-gate.ts';
import { toHttpError } from './http-failures.ts';

export interface BodyOptions {
  readonly stream: Readable;
  readonly gate: ExceptionGate;
  /** Bounds one wait for bytes; returns a function that ends it. */
  readonly watch: () => () => void;
  /** Called once. */
  readonly onEnd: (end: BodyEnd) => void;
}

/** How a body ended: read completely, abandoned by its reader, or failed. */
export type BodyEnd = 'whole' | 'left' | EngineError;

/**
 * Resolves when the first bytes have arrived, so that earlier failures reject this call. The iterable supports one
 * reader and throws EngineError if the server or the connection fails.
 */
export async function openBody(options: BodyOptions): Promise<AsyncIterable<Uint8Array>> {
  const chunks = checkedChunks(options.stream, options.gate);
  let ended = false;
  const finish = (end: BodyEnd): void => {
    if (ended) return;
    ended = true;
    options.stream.destroy();
    options.onEnd(end);
  };
  const pull = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    const release = options.watch();
    try {
      const step = await chunks.next();
      if (step.done === true) finish('whole');
      return step;
    } catch (cause) {
      const error = toHttpError(cause);
      finish(error);
      throw error;
    } finally {
      release();
    }
  };
  let first: IteratorResult<Uint8Array, undefined> | undefined = await pull();
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const step = first ?? (await pull());
        first = undefined;
        return step;
      },
      // Written by hand because a generator does not notice a `return` before its first `next`.
      return: async () => {
        finish('left');
        return { done: true, value: undefined };
      },
    }),
  };
}

async function* checkedChunks(stream: Readable, gate: ExceptionGate): AsyncGenerator<Uint8Array, undefined> {
  try {
    for await (const chunk of stream) {
      // A stream without an encoding yields Buffers.
      const out = gate.push(chunk as Buffer);
      if (out.length > 0) yield out;
    }
  } catch (cause) {
    // The server may write an error and then close the connection; that error is more specific.
    gate.end();
    throw cause;
  }
  const rest = gate.end();
  if (rest.length > 0) yield rest;
  return undefined;
}
