// Writes log lines without ever waiting for their reader: batched, bounded in memory, and dropped beyond that, so that a
// full disk or a reader that has stopped holds up neither requests nor the end of the process.
import { write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { After } from '../../sql/base/clock.ts';

/** Where batches go. */
export interface LogSink {
  /** Resolves to the number of bytes written, which may be fewer than given. Rejects with the system's error. */
  write(bytes: Uint8Array): Promise<number>;
  /** Writes what it can at once, without waiting for a reader; for the end of the process. */
  writeNow(bytes: Uint8Array): void;
}

export interface LogStream {
  readonly write: (line: string) => void;
  /** Lines that were dropped since the start. */
  readonly dropped: () => number;
  /** Resolves once nothing waits; never, as long as the reader has stopped. */
  flushed(): Promise<void>;
  /** Writes what waits as far as that is possible at once; for the end of the process. */
  flushNow(): void;
}

export interface LogStreamOptions {
  readonly sink: LogSink;
  readonly after: After;
  /** The line that reports dropped lines in the log itself, once it can be written again. */
  readonly droppedLine: (lines: number) => string;
  /** Called once, when lines cannot be written or were dropped for the first time. */
  readonly onTrouble: (reason: string) => void;
  /** Most bytes that wait; for tests. */
  readonly maxWaiting?: number;
}

/** Further lines are dropped. */
const MAX_WAITING = 8 * 2 ** 20;
/** A batch is written when it has this many characters, or after `FLUSH_MS`: written one by one, lines would cost as much as the requests they describe. */
const CHARACTERS_PER_WRITE = 32 * 1024;
const FLUSH_MS = 100;
/** After a failed write, such as on a full disk. */
const RETRY_MS = 1000;
/** After a write to a descriptor that is not ready. */
const NOT_READY_MS = 50;

interface Batch {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/** A log over one sink. No timer and no write keeps the process alive, except one that the system has accepted. */
export function createLogStream(options: LogStreamOptions): LogStream {
  const { after, maxWaiting = MAX_WAITING } = options;
  const queue = createQueue(options);
  let lines = '';
  let count = 0;
  let cancel: (() => void) | undefined;

  const flush = (): void => {
    cancel?.();
    if (count > 0) queue.add({ bytes: Buffer.from(lines), lines: count });
    lines = '';
    count = 0;
  };
  return {
    write: (line) => {
      if (queue.waiting() + lines.length + line.length > maxWaiting) return queue.drop(1);
      if (count === 0) cancel = after(FLUSH_MS, flush);
      lines += line;
      count++;
      if (lines.length >= CHARACTERS_PER_WRITE) flush();
    },
    dropped: queue.dropped,
    flushed: () => {
      flush();
      return new Promise((resolve) => queue.onEmpty(resolve));
    },
    flushNow: () => {
      cancel?.();
      queue.flushNow(lines);
      lines = '';
      count = 0;
    },
  };
}

/** Batches that wait for the sink, which gets one at a time. */
interface Queue {
  add(batch: Batch): void;
  drop(lines: number): void;
  /** Bytes. */
  readonly waiting: () => number;
  readonly dropped: () => number;
  /** Calls back once nothing waits, which is also the case after the reader has gone. */
  onEmpty(done: () => void): void;
  /** Writes all that waits, and these lines, as far as that is possible at once. */
  flushNow(lines: string): void;
}

/** The reader will not come back: whatever is written from now on is dropped. */
const GONE: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'EBADF', 'ERR_STREAM_DESTROYED']);

/** Batches in order, and how many bytes they have. */
function createBatches() {
  let batches: readonly Batch[] = [];
  let size = 0;
  return {
    first: () => batches[0],
    size: () => size,
    push: (batch: Batch): void => {
      batches = [...batches, batch];
      size += batch.bytes.length;
    },
    /** Removes what was written of the first batch. */
    advance: (written: number): void => {
      const [first, ...others] = batches;
      if (first === undefined) return;
      size -= written;
      const rest = first.bytes.subarray(written);
      batches = rest.length === 0 ? others : [{ bytes: rest, lines: first.lines }, ...others];
    },
    /** Removes all. */
    take: (): readonly Batch[] => {
      const all = batches;
      batches = [];
      size = 0;
      return all;
    },
  };
}

/** Lines that were dropped; the first trouble is reported. */
function createLosses(onTrouble: LogStreamOptions['onTrouble']) {
  let count = 0;
  let reported = 0;
  let isKnown = false;
  const report = (reason: string): void => {
    if (!isKnown) onTrouble(reason);
    isKnown = true;
  };
  return {
    report,
    count: () => count,
    add: (lines: number, reason: string): void => {
      count += lines;
      report(reason);
    },
    /** How many were dropped since the last call. */
    takeUnreported: (): number => {
      const unreported = count - reported;
      reported = count;
      return unreported;
    },
  };
}

function createQueue({ sink, after, droppedLine, onTrouble }: LogStreamOptions): Queue {
  const batches = createBatches();
  const lost = createLosses(onTrouble);
  let isWriting = false;
  let isGone = false;
  let listeners: (() => void)[] = [];

  const drop = (lines: number): void =>
    lost.add(lines, isGone ? 'its reader has gone' : 'its reader is too slow, or has stopped');
  const finish = (): void => {
    const missing = isGone ? 0 : lost.takeUnreported();
    if (missing > 0) return add({ bytes: Buffer.from(droppedLine(missing)), lines: 1 });
    const done = listeners;
    listeners = [];
    for (const each of done) each();
  };
  const resume = (): void => {
    isWriting = false;
    next();
  };
  const goOn = (pauseMs: number | undefined): void => {
    isGone = pauseMs === undefined;
    if (isGone) drop(linesOf(batches.take()));
    if (pauseMs === undefined || pauseMs === 0) resume();
    else after(pauseMs, resume);
  };
  const next = (): void => {
    const first = batches.first();
    if (isWriting) return;
    if (first === undefined) return finish();
    isWriting = true;
    void writeFirst(sink, first, lost.report).then(({ written, pauseMs }) => {
      batches.advance(written);
      goOn(pauseMs);
    });
  };
  const add = (batch: Batch): void => {
    if (isGone) return drop(batch.lines);
    batches.push(batch);
    next();
  };
  return {
    add,
    drop,
    waiting: batches.size,
    dropped: lost.count,
    onEmpty: (done) => {
      listeners.push(done);
      next();
    },
    flushNow: (lines) => {
      // The sink may still have the first batch, and would write it in the middle of the others.
      if (isWriting || isGone) return;
      sink.writeNow(Buffer.concat([...batches.take().map(({ bytes }) => bytes), Buffer.from(lines)]));
    },
  };
}

interface Written {
  /** Bytes. */
  readonly written: number;
  readonly pauseMs: number | undefined;
}

async function writeFirst(
  sink: LogSink,
  { bytes }: Batch,
  report: (reason: string) => void,
): Promise<Written> {
  try {
    const written = await sink.write(bytes);
    return { written, pauseMs: written === 0 ? RETRY_MS : 0 };
  } catch (cause) {
    return { written: 0, pauseMs: pauseAfter(codeOf(cause), report) };
  }
}

/** Milliseconds until the next attempt; undefined if none can succeed. */
function pauseAfter(code: string, report: (reason: string) => void): number | undefined {
  if (code === 'EAGAIN') return NOT_READY_MS;
  if (GONE.has(code)) return undefined;
  report(code);
  return RETRY_MS;
}

function linesOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { lines }) => sum + lines, 0);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'it cannot be written';
}

/** A file, or a terminal. Writing to one does not wait for a reader, so it is left to a thread of the pool. */
export function fileSink(fd: number): LogSink {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        write(fd, bytes, 0, bytes.length, null, (cause, written) => {
          if (cause === null) resolve(written);
          else reject(cause);
        });
      }),
    writeNow: (bytes) => writeAtOnce(fd, bytes),
  };
}

/**
 * A pipe or a socket, which Node.js has made non-blocking. A thread of the pool would wait for a reader that has stopped,
 * and the process could not exit before that thread.
 */
export function pipeSink(stream: Writable, fd: number): LogSink {
  stream.on('error', () => undefined); // each failed write reports it as well
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (cause) => {
          if (cause === null || cause === undefined) resolve(bytes.length);
          else reject(cause);
        });
      }),
    writeNow: (bytes) => writeAtOnce(fd, bytes),
  };
}

function writeAtOnce(fd: number, bytes: Uint8Array): void {
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch {
    // The process ends, and nothing else can take the lines.
  }
}
