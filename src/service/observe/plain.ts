// Prints observations as plain lines, for a terminal.
import type { Finished, Observation, Observe } from '../../sql/base/observation.ts';
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
    `endpoints: ${observation.endpoints} served, ${observation.changed} changed (${observation.ms.toFixed(0)} ms)`,
  ],
  'catalog.rejected': (observation) => [
    observation.diagnostics.some(({ severity }) => severity === 'error')
      ? 'endpoints: the last good versions stay in service; findings:'
      : 'endpoints: findings:',
    ...observation.diagnostics.map((each) => `  ${describeFinding(each)}`),
  ],
  'catalog.failed': (observation) => [`endpoints: not reloaded: ${describeCause(observation.cause)}`],
  'rollup.filled': ({ rollup, days, rows }) => [`rollups: ${rollup}: ${days} days filled from ${rows} rows`],
  'rollup.unequal': ({ rollup, days }) => [
    `rollups: ${rollup}: differs from its rows, which are read instead, on ${days.join(', ')}`,
  ],
  'rollup.rejected': ({ diagnostics }) => [
    'rollups: findings:',
    ...diagnostics.map((each) => `  ${describeFinding(each)}`),
  ],
  'rollup.distrusted': ({ rollup, isWritten }) => [
    `rollups: ${rollup}: a call returned other values from it than from the rows; it is not used ${isWritten ? 'until it is filled again' : 'in this process: run millrace rollup drop, apply and backfill'}`,
  ],
  'rollup.verified': ({ endpoint, rollup, outcome }) => [
    `rollups: a call of ${endpoint} over ${rollup} and over the rows: ${outcome}`,
  ],
  'rollup.not_routed': ({ cause }) => [`rollups: a query reads rows: ${describeCause(cause)}`],
  'rollup.failed': ({ rollup, cause }) => [`rollups: ${rollup}: not kept: ${describeCause(cause)}`],
  'tokens.loaded': (observation) => [`keys: ${observation.tokens} loaded`],
  'tokens.rejected': (observation) => [
    'keys: the last good file stays in service; findings:',
    ...observation.diagnostics.map((each) => `  ${describeFinding(each)}`),
  ],
  'tokens.not_locked': (observation) => [
    'keys: findings:',
    ...observation.diagnostics.map((each) => `  ${describeFinding(each)}`),
  ],
  'tokens.jwks_failed': (observation) => [
    `keys: the issuer's keys cannot be fetched: ${describeCause(observation.cause)}`,
  ],
  'tokens.use_not_stored': (observation) => [
    `keys: usage counts could not be stored: ${describeCause(observation.cause)}`,
  ],
  'process.warning': ({ cause }) => [`warning: ${describeCause(cause)}`],
  'process.failed': ({ cause }) => [`failed: ${describeCause(cause)}`],
  'service.stopping': (observation) => [`stopping (${observation.reason})`],
  'engine.output': ({ bytes, text }) => [
    `engine: ${text ?? `its process wrote ${bytes} bytes to standard error`}`,
  ],
  'service.note': ({ text }) => [text],
  'engine.kill_failed': (observation) => [
    `engine: a query could not be cancelled: ${describeCause(observation.cause)}`,
  ],
  'engine.process_ended': (observation) => [`engine: replacing its process (${observation.reason})`],
  'engine.confined': ({ layers }) =>
    layers.flatMap(({ name, missing }) =>
      missing === undefined ? [] : [`engine: its process is not confined by ${name}: ${missing}`],
    ),
  'engine.process_restarted': (observation) => [
    `engine: the new process is ready after ${(observation.ms / 1000).toFixed(1)} s`,
  ],
  'engine.access_changed': (observation) => [
    `engine: consumer queries may read ${observation.tables} tables, ${observation.filtered} of them with a row filter; statements waited ${(observation.ms / 1000).toFixed(2)} s`,
  ],
  'engine.process_not_started': (observation) => [
    `engine: its process cannot be started: ${describeCause(observation.cause)}`,
  ],
  'engine.statement_fatal': (observation) => [
    `engine: a ${observation.origin} query could not be cancelled, or ended the engine process (${observation.fatality})`,
  ],
  'query.suspended': (observation) => [
    observation.scope === 'query'
      ? `a consumer query of "${observation.principal}" on ${observation.endpoint} is suspended`
      : `consumer queries of "${observation.principal}" are suspended`,
  ],
  'engine.host_lost': (observation) => [
    `engine: ${observation.host} is unavailable: ${describeCause(observation.cause)}`,
  ],
  'engine.host_restored': (observation) => [
    `engine: ${observation.host} is available again after ${(observation.ms / 1000).toFixed(1)} s`,
  ],
  'cache.remote_lost': (observation) => [
    `cache: Redis is unavailable, responses are cached in memory only: ${describeCause(observation.cause)}`,
  ],
  'cache.remote_restored': (observation) => [
    `cache: Redis is available again after ${(observation.ms / 1000).toFixed(1)} s`,
  ],
  'cache.corrupt_entry': (observation) => [
    `cache: deleted a corrupt entry from Redis: ${observation.reason}`,
  ],
  'data.folder_open': (observation) => [observation.reason],
  'data.parts_broken': ({ tables }) => [
    'data: parts are damaged, and their rows are missing:',
    ...tables.map(({ table, parts, names }) => `  ${table}: ${parts} (${names.join(', ')})`),
  ],
  'data.tables_missing': ({ tables }) => [`data: tables have data, but no definition: ${tables.join(', ')}`],
  'data.not_checked': ({ cause }) => [`data: it could not be checked for damage: ${describeCause(cause)}`],
  'cache.key_derived': (observation) => [`cache: ${observation.reason}`],
  'cache.write_rejected': (observation) => [
    `cache: Redis rejected a write: ${describeCause(observation.cause)}`,
  ],
  'cache.refresh_failed': (observation) => [
    `cache: a stale response could not be refreshed: ${describeCause(observation.cause)}`,
  ],
  'cache.check_failed': ({ endpoint, cause, fix }) => [
    `cache: changes of the tables of ${endpoint} could not be checked: ${fix === undefined ? describeCause(cause) : `run ${fix}`}`,
  ],
  'cache.unwatched': ({ endpoint, reasons }) => [
    `cache: changes of the data of ${endpoint} cannot be seen, so its responses are cached for cache.check only: ${reasons.join('; ')}`,
  ],
  'live.unwatched': ({ endpoint, reasons }) => [
    `live: changes of the data of ${endpoint} cannot be seen, so its query runs at every check: ${reasons.join('; ')}`,
  ],
  'live.failed': ({ endpoint, cause }) => [`live: ${endpoint} failed: ${describeCause(cause)}`],
  'watch.looked': NOTHING,
  'watch.changed': ({ watch, event }) => [`watches: ${watch}: ${event}`],
  'watch.notified': ({ watch, channel, event }) => [`watches: ${watch}: ${event} sent to ${channel}`],
  'watch.not_notified': ({ watch, channel, event, isDead, cause }) => [
    `watches: ${watch}: ${event} not sent to ${channel}${isDead ? ', given up' : ''}: ${describeCause(cause)}`,
  ],
  'watch.not_stored': ({ cause }) => [`watches: the state is not stored: ${describeCause(cause)}`],
  'live.ran': NOTHING,
  'live.ended': NOTHING,
  'warming.failed': (observation) => [
    `warming: ${observation.endpoint} could not be refreshed: ${describeCause(observation.cause)}`,
  ],
  'sandbox.switched_off': (observation) => [
    'consumer queries are disabled; the sandbox self-test found these vulnerabilities:',
    ...observation.open.map((each) => `  ${each}`),
  ],
  'sandbox.not_checked': ({ cause }) => [
    `consumer queries are disabled until the sandbox self-test can run: ${describeCause(cause)}`,
  ],
  'response.cut_off': (observation) => [
    `a client was cut off, too slow to read a response of ${observation.bytes} bytes`,
  ],
  'usage.not_written': (observation) => [
    `usage: rows cannot be written: ${describeCause(observation.cause)}`,
  ],
  'redaction.found_in_rows': ({ endpoint, detectors }) => [
    `redaction: rows of a consumer query on ${endpoint} had personal data that its tables should not have: ${Object.keys(detectors).join(', ')}; it was redacted`,
  ],
  'shadow.compared': ({ endpoint, version, outcome, differences }) => {
    if (outcome !== 'different' && outcome !== 'failed') return [];
    const columns = new Set(differences.map(({ column, difference }) => column ?? difference));
    const what = outcome === 'failed' ? 'fails' : `differs in ${[...columns].join(', ')}`;
    return [`shadow: version ${version} of ${endpoint} ${what}`];
  },
  'export.ended': ({ endpoint, state, code, cause }) =>
    state === 'failed' ? [`export: ${endpoint} failed (${code}): ${describeCause(cause)}`] : [],
  'export.not_kept': ({ cause }) => [`export: its state cannot be kept: ${describeCause(cause)}`],
  'budget.spent': NOTHING,
  'budget.exceeded': NOTHING,
  'usage.written': NOTHING,
  'sandbox.checked': NOTHING,
  'service.started': NOTHING,
  'service.stopped': NOTHING,
  'service.worker_lost': NOTHING,
  'engine.connection_dropped': NOTHING,
  'cache.entry_too_large': NOTHING,
  'warming.refreshed': NOTHING,
  'warming.adopted': NOTHING,
  'warming.unchanged': NOTHING,
  'cache.checked': NOTHING,
  'warming.saved': NOTHING,
  'warming.dropped': NOTHING,
};

function requestLine({ method, route, endpoint, status, code, rows, ms, cause }: Finished): string {
  const outcome = rows === undefined ? (code ?? '') : `${rows} rows`;
  const why = cause === undefined || status < 500 ? '' : `: ${describeCause(cause)}`;
  return `${status} ${method} ${endpoint ?? route} ${outcome} ${ms.toFixed(0)} ms${why}`;
}
