// Prints observations as plain lines, for a terminal.
import type { Finished, Observation, Observe } from '../core/observation.ts';
import { describeCause, describeFinding } from './describe.ts';

/** Writes lines for the observations that matter during endpoint development. */
export function createPlainLog(write: (line: string) => void): Observe {
  return (observation) => {
    for (const line of linesOf(observation)) write(line);
  };
}

/** The cast is safe: LINES maps each kind to a function for that kind. */
function linesOf(observation: Observation): readonly string[] {
  const lines = LINES[observation.kind] as (observation: Observation) => readonly string[];
  return lines(observation);
}

type Lines = {
  readonly [Kind in Observation['kind']]: (
    observation: Extract<Observation, { kind: Kind }>,
  ) => readonly string[];
};

const NOTHING = (): readonly string[] => [];

const LINES: Lines = {
  'request.finished': (observation) => [requestLine(observation)],
  'catalog.loaded': (observation) => [
    `endpoints: ${observation.endpoints} in service, ${observation.changed} changed (${observation.ms.toFixed(0)} ms)`,
  ],
  'catalog.rejected': (observation) => [
    'endpoints: the last good versions stay in service, because of',
    ...observation.diagnostics.map((each) => `  ${describeFinding(each)}`),
  ],
  'catalog.failed': (observation) => [`endpoints: not reloaded: ${describeCause(observation.cause)}`],
  'tokens.loaded': (observation) => [`keys: ${observation.tokens} loaded`],
  'tokens.rejected': (observation) => [
    'keys: the last good file stays in service',
    ...observation.diagnostics.map((each) => `  ${describeFinding(each)}`),
  ],
  'tokens.jwks_failed': (observation) => [
    `keys: the issuer's keys cannot be had: ${describeCause(observation.cause)}`,
  ],
  'tokens.use_not_stored': (observation) => [
    `keys: what was counted could not be kept: ${describeCause(observation.cause)}`,
  ],
  'service.stopping': (observation) => [`stopping (${observation.reason})`],
  'engine.kill_failed': (observation) => [
    `engine: a query could not be ended: ${describeCause(observation.cause)}`,
  ],
  'engine.process_ended': (observation) => [`engine: its process is replaced (${observation.reason})`],
  'engine.process_restarted': (observation) => [
    `engine: the new process is ready after ${(observation.ms / 1000).toFixed(1)} s`,
  ],
  'engine.process_not_started': (observation) => [
    `engine: its process cannot be started: ${describeCause(observation.cause)}`,
  ],
  'engine.statement_fatal': (observation) => [
    `engine: a ${observation.origin} query could not be ended, or ended the engine process (${observation.fatality})`,
  ],
  'query.suspended': (observation) => [
    observation.scope === 'query'
      ? `a consumer query of "${observation.principal}" on ${observation.endpoint} is suspended`
      : `consumer queries of "${observation.principal}" are suspended`,
  ],
  'engine.host_lost': (observation) => [
    `engine: ${observation.host} is away: ${describeCause(observation.cause)}`,
  ],
  'engine.host_restored': (observation) => [
    `engine: ${observation.host} is back after ${(observation.ms / 1000).toFixed(1)} s`,
  ],
  'cache.remote_lost': (observation) => [
    `cache: Redis is away, answers are kept in memory alone: ${describeCause(observation.cause)}`,
  ],
  'cache.remote_restored': (observation) => [
    `cache: Redis is back after ${(observation.ms / 1000).toFixed(1)} s`,
  ],
  'cache.corrupt_entry': (observation) => [
    `cache: a value in Redis is not one of ours: ${observation.reason}`,
  ],
  'data.folder_open': (observation) => [observation.reason],
  'cache.key_derived': (observation) => [`cache: ${observation.reason}`],
  'cache.write_rejected': (observation) => [
    `cache: Redis refuses to store: ${describeCause(observation.cause)}`,
  ],
  'cache.refresh_failed': (observation) => [
    `cache: an old answer could not be renewed: ${describeCause(observation.cause)}`,
  ],
  'warming.failed': (observation) => [
    `warming: ${observation.endpoint} could not be renewed: ${describeCause(observation.cause)}`,
  ],
  'sandbox.switched_off': (observation) => [
    'own queries are switched off, because these got through:',
    ...observation.open.map((each) => `  ${each}`),
  ],
  'response.cut_off': (observation) => [
    `a caller was cut off, too slow for an answer of ${observation.bytes} bytes`,
  ],
  'usage.not_written': (observation) => [
    `usage: rows cannot be written now: ${describeCause(observation.cause)}`,
  ],
  'usage.written': NOTHING,
  'sandbox.checked': NOTHING,
  'service.started': NOTHING,
  'service.stopped': NOTHING,
  'service.worker_lost': NOTHING,
  'engine.connection_dropped': NOTHING,
  'cache.entry_too_large': NOTHING,
  'warming.refreshed': NOTHING,
  'warming.adopted': NOTHING,
  'warming.saved': NOTHING,
  'warming.dropped': NOTHING,
};

function requestLine({ method, route, endpoint, status, code, rows, ms, cause }: Finished): string {
  const outcome = rows === undefined ? (code ?? '') : `${rows} rows`;
  const why = cause === undefined || status < 500 ? '' : `: ${describeCause(cause)}`;
  return `${status} ${method} ${endpoint ?? route} ${outcome} ${ms.toFixed(0)} ms${why}`;
}
