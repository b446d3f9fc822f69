// Structured log: one JSON object per observation and line. No parameter values, no keys, no consumer queries.
import { visibleJson } from './visible-text.ts';
import pino, { type Level } from 'pino';
import type { After } from '../../sql/base/clock.ts';
import type { Finished, Observation, Observe } from '../../sql/base/observation.ts';
import { loggedText } from './describe.ts';
import { isProbe } from './probes.ts';
import { rounded } from './request-fields.ts';
import { createRepeats } from './repeats.ts';
import { createRequestLine } from './request-line.ts';

/** Takes lines that end with LF. */
export interface LineStream {
  readonly write: (line: string) => void;
}

/** Adds the id of a worker process to each line, in front. */
export function withPid(stream: LineStream, pid: number): LineStream {
  return { write: (line) => stream.write(`{"pid":${pid},${line.slice(1)}`) };
}

/** Lines that a person may read: JSON may have control characters and marks of writing direction in strings, a terminal must not. */
export function forTerminal(stream: LineStream): LineStream {
  return { write: (line) => stream.write(visibleJson(line)) };
}

export interface LogSettings {
  readonly level: Level | 'silent';
  /** Ratio of requests with a status below 400 that are logged; default: 1. */
  readonly requestRatio?: number;
}

/** Where observations are written. */
export interface Log {
  readonly observe: Observe;
  /** Lines that could not be written. */
  readonly droppedLines: () => number;
}

export interface LogOptions extends LogSettings {
  readonly stream: LineStream;
  /** Milliseconds since the Unix epoch. */
  readonly epoch: () => number;
  readonly after: After;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Logs observations at `level` or above to `stream`. */
export function createLog(options: LogOptions): Observe {
  const { stream, requestRatio = 1, random } = options;
  const time = createTime(options.epoch);
  const log = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${time()}"`,
      serializers: { ms: rounded, cause: loggedText },
    },
    stream,
  );
  const requestLine = createRequestLine();
  const logEvent = createRepeats((observation, repeated) => {
    const { kind: event, ...fields } = observation;
    const given = { event, ...fields };
    log[levelOf(observation)](repeated === 0 ? given : { ...given, repeated });
  }, options.after);
  return (observation) => {
    const level = levelOf(observation);
    if (!log.isLevelEnabled(level)) return;
    if (observation.kind !== 'request.finished') return logEvent(observation);
    if (observation.status < 400 && requestRatio < 1 && random() >= requestRatio) return;
    stream.write(requestLine(log.levels.values[level] ?? 0, time(), observation));
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
  if (observation.kind === 'request.finished') return levelOfRequest(observation);
  if (observation.kind === 'engine.confined') return isWhole(observation.layers) ? 'info' : 'warn';
  return LEVELS[observation.kind];
}

const isWhole = (layers: Extract<Observation, { kind: 'engine.confined' }>['layers']): boolean =>
  layers.every(({ missing }) => missing === undefined);

/** By outcome. Probes come every few seconds, and what they find has events of its own. */
function levelOfRequest({ route, status, code }: Finished): Level {
  if (isProbe(route)) return 'debug';
  if (status >= 500) return 'error';
  return status >= 400 && code !== 'request.client_closed' ? 'warn' : 'info';
}

type ByKind = Exclude<Observation['kind'], 'request.finished' | 'engine.confined'>;

const LEVELS: Readonly<Record<ByKind, Level>> = {
  'catalog.rejected': 'error',
  'catalog.failed': 'error',
  'tokens.rejected': 'error',
  'rollup.rejected': 'error',
  'rollup.failed': 'warn',
  'rollup.not_routed': 'error',
  'rollup.distrusted': 'error',
  'rollup.verified': 'debug',
  'rollup.unequal': 'warn',
  'rollup.filled': 'info',
  'sandbox.switched_off': 'error',
  'service.worker_lost': 'error',
  'process.failed': 'fatal',
  'process.warning': 'warn',
  'data.parts_broken': 'error',
  'data.tables_missing': 'error',
  'data.not_checked': 'warn',
  'engine.process_ended': 'error',
  'engine.process_not_started': 'error',
  'engine.statement_fatal': 'error',
  'sandbox.not_checked': 'warn',
  'query.suspended': 'warn',
  'engine.output': 'warn',
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
  'export.ended': 'info',
  'export.not_kept': 'warn',
  'watch.not_notified': 'warn',
  'watch.not_stored': 'error',
  'watch.looked': 'debug',
  'watch.changed': 'info',
  'watch.notified': 'info',
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
  'service.note': 'info',
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

/** Forwards observations to a receiver that can be replaced: the engine opens before its observers exist. */
export interface Relay {
  readonly observe: Observe;
  to(receiver: Observe): void;
}

export function createRelay(first: Observe): Relay {
  let receiver = first;
  return {
    observe: (observation) => receiver(observation),
    to: (next) => {
      receiver = next;
    },
  };
}
