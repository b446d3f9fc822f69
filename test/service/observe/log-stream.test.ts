// The log is bounded in memory, and never waits for the disk or for its reader.
import { closeSync, mkdtempSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  createLogStream,
  fileSink,
  pipeSink,
  type LogSink,
} from '../../../src/service/observe/log-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';

const LINE = `${'x'.repeat(99)}\n`;

function open(sink: LogSink, maxWaiting = 1000) {
  const time = createVirtualTime();
  const troubles: string[] = [];
  const stream = createLogStream({
    sink,
    after: time.after,
    droppedLine: (lines) => `dropped ${lines}\n`,
    onTrouble: (reason) => void troubles.push(reason),
    maxWaiting,
  });
  return { time, troubles, ...stream };
}

/** A sink that holds each write until it is told how it ends. */
function heldSink() {
  const held: { readonly bytes: Uint8Array; end(result: number | Error): void }[] = [];
  const sink: LogSink = {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        held.push({
          bytes,
          end: (result) => (result instanceof Error ? reject(result) : resolve(result)),
        });
      }),
    writeNow: () => undefined,
  };
  return { held, sink };
}

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

describe('a reader that has stopped', () => {
  test('lines beyond the limit are dropped and counted, and reported once', async () => {
    const { held, sink } = heldSink();
    const log = open(sink);
    log.write(LINE);
    await log.time.advance(100); // the sink has the first line, and does not end
    for (let each = 0; each < 20; each++) log.write(LINE);
    expect(log.dropped()).toBe(11);
    expect(log.troubles).toHaveLength(1);
    await log.time.advance(10_000);
    expect(held).toHaveLength(1);
  });

  test('when it reads again, the log says how many lines are missing', async () => {
    const { held, sink } = heldSink();
    const log = open(sink);
    for (let each = 0; each < 15; each++) log.write(LINE);
    await log.time.advance(100);
    held[0]?.end(1000);
    await log.time.advance(0);
    expect(Buffer.from(held[1]?.bytes ?? []).toString()).toBe('dropped 5\n');
    held[1]?.end(10);
    await log.flushed();
    expect(held).toHaveLength(2);
  });
});

describe('a write that fails', () => {
  test.each(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EAGAIN'])(
    '%s: the lines wait, and are written later',
    async (code) => {
      const { held, sink } = heldSink();
      const log = open(sink);
      log.write('a\n');
      await log.time.advance(100);
      held[0]?.end(systemError(code));
      log.write('b\n');
      await log.time.advance(100);
      expect(log.dropped()).toBe(0);
      await log.time.advance(1000);
      expect(held.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['a\n', 'a\n']);
      held[1]?.end(2);
      await log.time.advance(0);
      held[2]?.end(2);
      await log.flushed();
      expect(Buffer.from(held[2]?.bytes ?? []).toString()).toBe('b\n');
    },
  );

  test('part of a batch: the rest is written after it', async () => {
    const { held, sink } = heldSink();
    const log = open(sink);
    log.write('abc\n');
    await log.time.advance(100);
    held[0]?.end(1);
    await log.time.advance(0);
    expect(Buffer.from(held[1]?.bytes ?? []).toString()).toBe('bc\n');
  });

  test.each(['EPIPE', 'EBADF', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])(
    '%s: nobody will read it, so every line is dropped',
    async (code) => {
      const { held, sink } = heldSink();
      const log = open(sink);
      log.write('a\n');
      await log.time.advance(100);
      held[0]?.end(systemError(code));
      log.write('b\n');
      await log.time.advance(100);
      await log.flushed();
      expect(log.dropped()).toBe(2);
      expect(held).toHaveLength(1);
      expect(log.troubles).toHaveLength(1);
    },
  );
});

describe('sinks', () => {
  test('a full device is an error, and a file is written in order once there is room', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'log');
    const [full, file] = [openSync('/dev/full', 'w'), openSync(path, 'a')];
    const [first, second] = [fileSink(full), fileSink(file)];
    let isFull = true;
    const log = open({
      write: (bytes) => (isFull ? first : second).write(bytes),
      writeNow: second.writeNow,
    });
    log.write('a\n');
    await log.time.advance(100);
    await eventually(() => expect(log.troubles).toEqual(['ENOSPC']));
    isFull = false;
    log.write('b\n');
    await log.time.advance(2000);
    await log.flushed();
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n');
    for (const fd of [full, file]) closeSync(fd);
  });

  test('at the end of the process, what waits is written at once', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'millrace-')), 'log');
    writeFileSync(path, 'old\n');
    truncateSync(path);
    const file = openSync(path, 'a');
    const log = open(fileSink(file));
    log.write('a\n');
    log.write('b\n');
    log.flushNow();
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n');
    closeSync(file);
  });

  test('a stream that was destroyed drops lines', async () => {
    const stream = new PassThrough();
    stream.destroy();
    const log = open(pipeSink(stream, -1));
    log.write('a\n');
    await log.time.advance(100);
    await log.flushed();
    expect(log.dropped()).toBe(1);
  });
});
