// Transforms rows without holding up other calls: in parts with pauses in between, and long rows in threads.
import type { Worker } from 'node:worker_threads';
import type { After } from '../../../sql/base/clock.ts';
import { copied, joined } from './parts.ts';
import type { Pause } from './pause.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { nextMessage, startThread } from '../../threads/thread.ts';
import { slicesOf } from '../../formats/lines.ts';
import { markRoom } from '../../formats/room.ts';
import { createFairTurns } from '../limits/turns.ts';
import { apply, withRedactor, type Transform, type Transformed, type TransformReply } from './transforms.ts';

/** On whose behalf rows are transformed. */
export interface TransformContext {
  /** Ends the work when it aborts. */
  readonly signal: AbortSignal;
  /** Keys take turns. */
  readonly key: string | undefined;
}

export interface Transformer {
  /**
   * The rows, transformed; the same array if nothing is changed. Throws Problem `format.too_large`, the reason of the signal, and
   * SyntaxError if redaction does.
   */
  readonly rows: (transform: Transform, lines: Uint8Array, context: TransformContext) => Promise<Transformed>;
  /** As `rows`, but all rows together. */
  readonly whole: (
    transform: Transform,
    lines: Uint8Array,
    context: TransformContext,
  ) => Promise<Transformed>;
  /** Between parts of other work on results. */
  readonly pause: Pause;
  /** Ends the threads. */
  readonly close: () => Promise<void>;
}

export interface TransformerOptions {
  readonly pause: Pause;
  readonly after: After;
  /** Bytes that are transformed without a pause. */
  readonly inPlace?: number;
  /** Of the heap of a thread. */
  readonly threadMebibytes?: number;
}

/** Some tens of milliseconds in the worst case: redaction of texts with escapes. */
const IN_PLACE = 2 ** 19;
/** More would take the processors from the event loop and the engine. */
const THREADS = 2;
/** Texts of rows have at most half of it; memory outside of the heap is not counted. */
const THREAD_MEBIBYTES = 1024;
/** A thread that has nothing to do keeps the memory of its last rows. */
const IDLE_MS = 5000;

export function createTransformer(options: TransformerOptions): Transformer {
  const { pause, after, inPlace = IN_PLACE, threadMebibytes = THREAD_MEBIBYTES } = options;
  const threads = createThreads(after, threadMebibytes);
  const turns = createFairTurns(THREADS);

  const whole: Transformer['whole'] = async (transform, lines, { signal, key = '' }) => {
    signal.throwIfAborted();
    if (lines.length <= inPlace) return apply(transform, lines);
    return turns.take(key, async () => {
      signal.throwIfAborted();
      const own = await copied(lines, pause);
      const reply = await threads.ask(transform, own, signal);
      if (reply.kind === 'too_large') throw new Problem('format.too_large');
      const { kind: _, bytes, ...rest } = reply;
      return { ...rest, bytes: bytes === undefined ? lines : markRoom(bytes) };
    });
  };

  const rows: Transformer['rows'] = async (transform, lines, context) => {
    const parts: Uint8Array[] = [];
    const found: Record<string, number> = {};
    let isSame = true;
    for (const slice of slicesOf(lines)) {
      if (parts.length > 0) await pause();
      const part = await whole(transform, slice, context);
      isSame &&= part.bytes === slice;
      for (const [name, count] of Object.entries(part.found)) found[name] = (found[name] ?? 0) + count;
      parts.push(part.bytes);
    }
    if (isSame) return { bytes: lines, found };
    const [first] = parts;
    const bytes = first !== undefined && parts.length === 1 ? first : await joined(parts, pause);
    return { bytes, found };
  };

  return { rows, whole, pause, close: threads.close };
}

interface Threads {
  /** Rejects with the reason of the signal. */
  readonly ask: (transform: Transform, lines: Uint8Array, signal: AbortSignal) => Promise<TransformReply>;
  readonly close: () => Promise<void>;
}

function createThreads(after: After, mebibytes: number): Threads {
  const idle = new Map<Worker, () => void>(); // with what keeps it from being ended
  const all = new Set<Worker>();

  const start = async (): Promise<Worker | undefined> => {
    const thread = startThread('./transform-program', import.meta.url, {
      resourceLimits: { maxOldGenerationSizeMb: mebibytes },
    });
    all.add(thread);
    thread.once('exit', () => {
      all.delete(thread);
      idle.get(thread)?.();
      idle.delete(thread);
    });
    return (await nextMessage(thread)) === undefined ? undefined : thread;
  };

  const takeIdle = (): Worker | undefined => {
    const [found] = idle;
    if (found === undefined) return undefined;
    const [thread, keep] = found;
    keep();
    idle.delete(thread);
    return thread;
  };

  return {
    ask: async (transform, lines, signal) => {
      const thread = takeIdle() ?? (await start());
      if (thread === undefined) return { kind: 'too_large' };
      const end = (): void => void thread.terminate();
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      try {
        const request = { transform: withRedactor(transform, ({ options }) => options), lines };
        thread.postMessage(request, [lines.buffer as ArrayBuffer]); // a copy with memory of its own
        const reply = await nextMessage<TransformReply>(thread);
        signal.throwIfAborted();
        if (reply === undefined) return { kind: 'too_large' };
        const endIdle = (): void => {
          idle.delete(thread); // it exits later
          end();
        };
        idle.set(thread, after(IDLE_MS, endIdle));
        return reply;
      } finally {
        signal.removeEventListener('abort', end);
      }
    },
    close: async () => {
      await Promise.all(Array.from(all, (thread) => thread.terminate()));
    },
  };
}
