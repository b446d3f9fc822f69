// The bytes of an answer while they arrive: checked for errors, bounded in time, given up cleanly.
import type { Readable } from 'node:stream';
import type { EngineError } from '../engine.ts';
import type { ExceptionGate } from './exception-gate.ts';
import { toHttpError } from './http-failures.ts';

export interface BodyOptions {
  readonly stream: Readable;
  readonly gate: ExceptionGate;
  /** Bounds one wait for bytes; returns its end. */
  readonly watch: () => () => void;
  /** Called once. */
  readonly onEnd: (end: BodyEnd) => void;
}

/** How a body ended: read to its last byte, left by its reader, or with an error. */
export type BodyEnd = 'whole' | 'left' | EngineError;

/**
 * Resolves when the first bytes are there, so that failures before them are rejections of this call. The iterable is
 * for one reader; it throws EngineError when the server or the line fails.
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
      // A reader may give up before it has begun; a generator would not notice that.
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
      // A stream without an encoding gives Buffers.
      const out = gate.push(chunk as Buffer);
      if (out.length > 0) yield out;
    }
  } catch (cause) {
    // A server may write its error and then cut the line: the error says more.
    gate.end();
    throw cause;
  }
  const rest = gate.end();
  if (rest.length > 0) yield rest;
  return undefined;
}
