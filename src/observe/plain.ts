// Observations as plain lines for a person at a terminal.
import type { Observation, Observe } from '../core/observation.ts';
import { describeCause, describeDiagnostic } from './log.ts';

/** Writes one line or more for each observation that a person developing endpoints wants to see. */
export function createPlainLog(write: (line: string) => void): Observe {
  return (observation) => {
    for (const line of linesOf(observation)) write(line);
  };
}

function linesOf(observation: Observation): readonly string[] {
  switch (observation.kind) {
    case 'request.finished':
      return [requestLine(observation)];
    case 'catalog.loaded':
      return [
        `endpoints: ${observation.endpoints} in service, ${observation.changed} changed (${observation.ms.toFixed(0)} ms)`,
      ];
    case 'catalog.rejected':
      return [
        'endpoints: the last good versions stay in service, because of',
        ...observation.diagnostics.map((each) => `  ${describeDiagnostic(each)}`),
      ];
    case 'catalog.failed':
      return [`endpoints: not reloaded: ${describeCause(observation.cause)}`];
    case 'tokens.loaded':
      return [`keys: ${observation.tokens} loaded`];
    case 'tokens.rejected':
      return [
        'keys: the last good file stays in service',
        ...observation.diagnostics.map((each) => `  ${describeDiagnostic(each)}`),
      ];
    case 'tokens.jwks_failed':
      return [`keys: the issuer's keys cannot be had: ${describeCause(observation.cause)}`];
    case 'tokens.use_not_kept':
      return [`keys: what was counted could not be kept: ${describeCause(observation.cause)}`];
    case 'service.stopping':
      return [`stopping (${observation.reason})`];
    case 'engine.kill_failed':
    case 'engine.host_lost':
    case 'engine.host_restored':
      return [engineLine(observation)];
    case 'cache.remote_lost':
      return [`cache: Redis is away, answers are kept in memory alone: ${describeCause(observation.cause)}`];
    case 'cache.remote_restored':
      return [`cache: Redis is back after ${seconds(observation.ms)}`];
    case 'cache.rubbish_found':
      return [`cache: a value in Redis is not one of ours: ${observation.reason}`];
    case 'cache.write_refused':
      return [`cache: Redis refuses to store: ${describeCause(observation.cause)}`];
    case 'cache.refresh_failed':
      return [`cache: an old answer could not be renewed: ${describeCause(observation.cause)}`];
    case 'warming.failed':
      return [`warming: ${observation.endpoint} could not be renewed: ${describeCause(observation.cause)}`];
    case 'sandbox.switched_off':
      return ['own queries are switched off, because these got through:', ...indented(observation.open)];
    case 'sandbox.checked':
    case 'service.started':
    case 'service.worker_lost':
    case 'service.stopped':
    case 'engine.connection_dropped':
    case 'cache.entry_too_large':
    case 'warming.refreshed':
    case 'warming.adopted':
    case 'warming.saved':
    case 'warming.dropped':
      return [];
  }
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

type OfEngine = Extract<
  Observation,
  { kind: 'engine.kill_failed' | 'engine.host_lost' | 'engine.host_restored' }
>;

function engineLine(observation: OfEngine): string {
  switch (observation.kind) {
    case 'engine.kill_failed':
      return `engine: a query could not be ended: ${describeCause(observation.cause)}`;
    case 'engine.host_lost':
      return `engine: ${observation.host} is away: ${describeCause(observation.cause)}`;
    case 'engine.host_restored':
      return `engine: ${observation.host} is back after ${seconds(observation.ms)}`;
  }
}

type Finished = Extract<Observation, { kind: 'request.finished' }>;

function requestLine({ method, route, endpoint, status, code, rows, ms, cause }: Finished): string {
  const outcome = rows === undefined ? (code ?? '') : `${rows} rows`;
  const why = cause === undefined || status < 500 ? '' : `: ${describeCause(cause)}`;
  return `${status} ${method} ${endpoint ?? route} ${outcome} ${ms.toFixed(0)} ms${why}`;
}
