// Structured log: one JSON object per observation and line. No parameter values, no keys, no consumer queries.
import pino, { type Level } from 'pino';
import type { Observation, Observe } from '../core/observation.ts';
import { loggedText } from './describe.ts';
import { rounded } from './request-fields.ts';
import { createRequestLine } from './request-line.ts';

/** Takes lines that end with LF. */
export interface LineStream {
  readonly write: (line: string) => void;
}

/** Adds the id of a worker process to each line, in front. */
export function withPid(stream: LineStream, pid: number): LineStream {
  return { write: (line) => stream.write(`{"pid":${pid},${line.slice(1)}`) };
}

/** Logs observations at `level` or above to `stream`. `epoch` gives milliseconds since the Unix epoch. */
export function createLog(level: Level | 'silent', stream: LineStream, epoch: () => number): Observe {
  const time = createTime(epoch);
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${time()}"`,
      serializers: { ms: rounded, cause: loggedText },
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
  return LEVELS[observation.kind];
}

const LEVELS: Readonly<Record<Exclude<Observation['kind'], 'request.finished'>, Level>> = {
  'catalog.rejected': 'error',
  'catalog.failed': 'error',
  'tokens.rejected': 'error',
  'sandbox.switched_off': 'error',
  'service.worker_lost': 'error',
  'process.failed': 'fatal',
  'process.warning': 'warn',
  'engine.process_ended': 'error',
  'engine.process_not_started': 'error',
  'engine.statement_fatal': 'error',
  'sandbox.not_checked': 'warn',
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
};
