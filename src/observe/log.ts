// Structured log: one JSON object per observation and line. No parameter values, no keys, no consumer queries.
import pino, { type DestinationStream, type Level } from 'pino';
import type { After } from '../core/clock.ts';
import type { Observation, Observe } from '../core/observation.ts';
import { describeCause } from './describe.ts';
import { rounded } from './request-fields.ts';
import { createRequestLine } from './request-line.ts';

/** Size of the log buffer; further lines are dropped, so that a stuck reader never blocks a response. */
const MAX_WAITING = 8 * 2 ** 20;
const CHARACTERS_PER_WRITE = 32 * 1024;
const FLUSH_MS = 100;

/**
 * Writes lines to a file or file descriptor in batches: written one by one, they would cost as much as the requests
 * they describe.
 */
export function logStream(to: string | number, after: After): DestinationStream {
  const file = pino.destination({ dest: to, sync: false, maxLength: MAX_WAITING });
  let lines = '';
  let cancel: (() => void) | undefined;
  const flush = (): void => {
    cancel?.();
    if (lines !== '') file.write(lines);
    lines = '';
  };
  process.once('exit', () => {
    flush();
    file.flushSync();
  });
  return {
    write: (line) => {
      if (lines === '') cancel = after(FLUSH_MS, flush);
      lines += line;
      if (lines.length >= CHARACTERS_PER_WRITE) flush();
    },
  };
}

/** Adds the id of a worker process to each line, in front. */
export function withPid(stream: DestinationStream, pid: number): DestinationStream {
  return { write: (line) => stream.write(`{"pid":${pid},${line.slice(1)}`) };
}

/** Logs observations at `level` or above to `stream`. `epoch` gives milliseconds since the Unix epoch. */
export function createLog(level: Level | 'silent', stream: DestinationStream, epoch: () => number): Observe {
  const time = createTime(epoch);
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${time()}"`,
      serializers: { ms: rounded, cause: describeCause },
    },
    stream,
  );
  const requestLine = createRequestLine();
  return (observation) => {
    const level = levelOf(observation);
    if (!log.isLevelEnabled(level)) return;
    if (observation.kind === 'request.finished') {
      stream.write(requestLine(log.levels.values[level] ?? 0, time(), observation));
      return;
    }
    const { kind: event, ...fields } = observation;
    log[level]({ event, ...fields });
  };
}

/** RFC 3339; formatted at most once per millisecond. */
function createTime(epoch: () => number): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = epoch();
    if (now !== last) text = new Date(now).toISOString();
    last = now;
    return text;
  };
}

/** The log level of an observation. */
function levelOf(observation: Observation): Level {
  switch (observation.kind) {
    case 'request.finished':
      return observation.status >= 500 ? 'error' : 'info';
    case 'catalog.rejected':
    case 'catalog.failed':
    case 'tokens.rejected':
    case 'sandbox.switched_off':
    case 'service.worker_lost':
    case 'engine.process_ended':
    case 'engine.process_not_started':
    case 'engine.statement_fatal':
      return 'error';
    case 'query.suspended':
    case 'engine.kill_failed':
    case 'engine.host_lost':
    case 'response.cut_off':
    case 'cache.remote_lost':
    case 'cache.corrupt_entry':
    case 'cache.key_derived':
    case 'data.folder_open':
    case 'cache.write_rejected':
    case 'tokens.not_locked':
    case 'tokens.jwks_failed':
    case 'tokens.use_not_stored':
    case 'usage.not_written':
    case 'cache.refresh_failed':
    case 'warming.failed':
    case 'cache.check_failed':
    case 'cache.unwatched':
    case 'live.unwatched':
    case 'live.failed':
      return 'warn';
    case 'engine.connection_dropped':
    case 'shadow.compared':
    case 'live.ran':
    case 'usage.written':
    case 'redaction.found_in_rows':
    case 'cache.entry_too_large':
    case 'warming.refreshed':
    case 'warming.adopted':
    case 'warming.unchanged':
    case 'cache.checked':
    case 'warming.saved':
    case 'warming.dropped':
      return 'debug';
    case 'service.started':
    case 'service.stopping':
    case 'service.stopped':
    case 'catalog.loaded':
    case 'sandbox.checked':
    case 'tokens.loaded':
    case 'live.ended':
    case 'cache.remote_restored':
    case 'engine.host_restored':
    case 'engine.process_restarted':
      return 'info';
  }
}
