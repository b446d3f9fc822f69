// Structured log: one JSON object per observation and line. No parameter values, no keys, no consumer queries.
import { visibleJson } from './visible-text.ts';
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

/** Lines that a person may read: JSON may have control characters and marks of writing direction in strings, a terminal must not. */
export function forTerminal(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(visibleJson(line)) };
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
  if (observation.kind === 'request.finished') return observation.status >= 500 ? 'error' : 'info';
  if (observation.kind === 'engine.confined') return isWhole(observation.layers) ? 'info' : 'warn';
  return LEVELS[observation.kind];
}

const isWhole = (layers: Extract<Observation, { kind: 'engine.confined' }>['layers']): boolean =>
  layers.every(({ missing }) => missing === undefined);

type ByKind = Exclude<Observation['kind'], 'request.finished' | 'engine.confined'>;

const LEVELS: Readonly<Record<ByKind, Level>> = {
  'catalog.rejected': 'error',
  'catalog.failed': 'error',
  'tokens.rejected': 'error',
  'sandbox.switched_off': 'error',
  'service.worker_lost': 'error',
  'engine.process_ended': 'error',
  'engine.process_not_started': 'error',
  'engine.statement_fatal': 'error',
  'query.suspended': 'warn',
  'engine.kill_failed': 'warn',
  'engine.host_lost': 'warn',
  'response.cut_off': 'warn',
  'cache.remote_lost': 'warn',
  'cache.corrupt_entry': 'warn',
  'cache.key_derived': 'warn',
  'data.folder_open': 'warn',
  'cache.write_rejected': 'warn',
  'tokens.not_locked': 'warn',
  'tokens.jwks_failed': 'warn',
  'tokens.use_not_stored': 'warn',
  'usage.not_written': 'warn',
  'cache.refresh_failed': 'warn',
  'warming.failed': 'warn',
  'cache.check_failed': 'warn',
  'cache.unwatched': 'warn',
  'live.unwatched': 'warn',
  'live.failed': 'warn',
  'engine.connection_dropped': 'debug',
  'budget.spent': 'debug',
  'budget.exceeded': 'debug',
  'shadow.compared': 'debug',
  'live.ran': 'debug',
  'usage.written': 'debug',
  'redaction.found_in_rows': 'debug',
  'cache.entry_too_large': 'debug',
  'warming.refreshed': 'debug',
  'warming.adopted': 'debug',
  'warming.unchanged': 'debug',
  'cache.checked': 'debug',
  'warming.saved': 'debug',
  'warming.dropped': 'debug',
  'service.started': 'info',
  'service.stopping': 'info',
  'service.stopped': 'info',
  'catalog.loaded': 'info',
  'sandbox.checked': 'info',
  'tokens.loaded': 'info',
  'live.ended': 'info',
  'cache.remote_restored': 'info',
  'engine.host_restored': 'info',
  'engine.process_restarted': 'info',
  'engine.access_changed': 'info',
};
