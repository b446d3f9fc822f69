// The log of the process: where it goes, and what Node.js itself reports, in the same form.
import { fstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Observe } from '../../sql/base/observation.ts';
import { createLog, forTerminal, withPid, type Log, type LogSettings } from '../observe/log.ts';
import { createLogStream, fileSink, pipeSink, type LogSink, type LogStream } from '../observe/log-stream.ts';
import { createPlainLog } from '../observe/plain.ts';
import { lineText } from '../observe/visible-text.ts';
import { after, clock } from './clock.ts';

export interface ProcessLog {
  readonly open: (settings: LogSettings, isDevelopment: boolean) => Log;
  /** Resolves to whether all output has been written, after at most `ms` milliseconds: its reader may have stopped. */
  finish(ms: number): Promise<boolean>;
}

/** Standard output or standard error. */
interface Output {
  readonly stream: NodeJS.WriteStream;
  readonly fd: number;
}

export interface ProcessLogOptions {
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
  /** Prints a line for the operator. */
  readonly note: (line: string) => void;
  /** Lines of worker processes, which share standard output, have their process id. */
  readonly worker: number | undefined;
}

const STDOUT = 1;
const STDERR = 2;

export function createProcessLog({ output, errors, note, worker }: ProcessLogOptions): ProcessLog {
  const streams: LogStream[] = [];
  const open = (to: Output, onTrouble: (reason: string) => void): LogStream => {
    const opened = createLogStream({
      sink: sinkOf(to),
      after,
      droppedLine: (lines) =>
        `${JSON.stringify({ level: 40, time: new Date(clock.epoch()).toISOString(), event: 'log.lines_dropped', lines })}\n`,
      onTrouble,
    });
    streams.push(opened);
    process.once('exit', opened.flushNow);
    return opened;
  };
  const openPlain = (): Log => {
    if (errors.isTTY) return { observe: createPlainLog(note), droppedLines: () => 0 };
    const stream = open({ stream: errors, fd: STDERR }, () => undefined);
    return {
      observe: createPlainLog((line) => stream.write(`${lineText(line)}\n`)),
      droppedLines: stream.dropped,
    };
  };
  const openStructured = ({ level, requestRatio = 1 }: LogSettings): Log => {
    const stream = open({ stream: output, fd: STDOUT }, (reason) =>
      note(
        `millrace: the log cannot be written (${reason}): lines wait in up to 8 MiB, and further ones are dropped`,
      ),
    );
    const shown = output.isTTY ? forTerminal(stream) : stream;
    const lines = worker === undefined ? shown : withPid(shown, process.pid);
    const observe = createLog({
      level,
      stream: lines,
      epoch: clock.epoch,
      after,
      requestRatio,
      random: Math.random,
    });
    if (level !== 'silent') reportProcess(observe);
    return { observe, droppedLines: stream.dropped };
  };
  return {
    open: (given, isDevelopment) =>
      isDevelopment && given.level !== 'silent' ? openPlain() : openStructured(given),
    finish: async (ms) => {
      const written = [...streams.map((each) => each.flushed()), drained(output), drained(errors)];
      return Promise.race([Promise.all(written).then(() => true), setTimeout(ms, false)]);
    },
  };
}

/** Pipes and sockets have a reader that can stop; the stream of the process does not block on them (checked by a test). */
function sinkOf({ stream, fd }: Output): LogSink {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket() ? pipeSink(stream, fd) : fileSink(fd);
}

/** Resolves once a stream of the process has no more to write, or cannot write. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => void stream.write('', () => resolve()));
}

/** Warnings of Node.js, and errors that nothing caught, which end the process. */
function reportProcess(observe: Observe): void {
  process.removeAllListeners('warning'); // Node's own listener prints them as text
  process.on('warning', (warning) => observe({ kind: 'process.warning', cause: warning }));
  process.on('uncaughtException', (cause) => {
    observe({ kind: 'process.failed', cause });
    process.exit(1); // writes what waits
  });
}
