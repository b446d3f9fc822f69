// Prometheus metrics from observations. Labels are bounded: the first endpoints, statuses and outcomes, but no parameter
// values.
import { collectDefaultMetrics, Counter, Gauge as PromGauge, Histogram, Registry } from 'prom-client';
import type { Finished, Observation, Observe, ShadowCompared } from '../../sql/base/observation.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { boundedEntries, createBound, createValueBound, MAX_ENDPOINTS } from './series-bound.ts';

/** The metrics of one process. */
export interface Metrics {
  readonly observe: Observe;
  /** Adds gauges that are read at each scrape. */
  readonly watch: (gauges: readonly Gauge[]) => void;
  /** The Prometheus text format. */
  readonly text: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

/** A current value: one number, or one per value of a label. */
export type Gauge = {
  readonly name: string;
  readonly help: string;
  /** The value only grows. */
  readonly isCounter?: boolean;
} & (
  | { readonly label?: undefined; readonly read: () => number }
  | { readonly label: string; readonly read: () => readonly (readonly [string, number])[] }
);

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What runs, as labels. */
export type BuildInfo = Readonly<Record<'version' | 'engine' | 'node', string>>;

/** An empty registry with every metric declared, so that each is present at the first scrape. */
export function createMetrics(build: BuildInfo): Metrics {
  const registry = new Registry();
  const requests = createRequestMetrics(registry);
  const events = createEventMetrics(registry);
  const engineEvents = createEngineMetrics(registry);
  const tokensEvents = createTokensMetrics(registry);
  collectDefaultMetrics({ register: registry });
  addBuildInfo(registry, build);
  const boundEndpoint = createBound(MAX_ENDPOINTS);
  return {
    observe: (observed) => {
      const observation = withBounded(observed, boundEndpoint);
      if (observation.kind === 'request.finished') requests(observation);
      else {
        events(observation);
        engineEvents(observation);
        tokensEvents(observation);
      }
    },
    watch: (gauges) => {
      for (const gauge of gauges) addGauge(registry, gauge);
    },
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** An observation whose endpoint has series of its own, or counts as `other`. */
function withBounded(observation: Observation, bound: (name: string) => string): Observation {
  if (!('endpoint' in observation) || observation.endpoint === undefined) return observation;
  const endpoint = bound(observation.endpoint);
  return endpoint === observation.endpoint ? observation : { ...observation, endpoint };
}

function addBuildInfo(registry: Registry, build: BuildInfo): void {
  const info = new PromGauge({
    name: 'millrace_build_info',
    help: 'Always 1; its labels are the version of the service, the kind of its engine (embedded or http) and the version of Node.js.',
    labelNames: Object.keys(build),
    registers: [registry],
  });
  info.set(build, 1);
}

type Event = Exclude<Observation, Finished>;

function createEventMetrics(registry: Registry): (event: Event) => void {
  const registers = [registry];
  const warming = new Counter({
    name: 'millrace_warming_total',
    help: 'Cache warming outcomes: refreshed, adopted (refreshed by another replica), unchanged (its data is the same), saved (a request did not have to wait), failed, dropped.',
    labelNames: ['endpoint', 'outcome'],
    registers,
  });
  const cache = new Counter({
    name: 'millrace_cache_events_total',
    help: 'Cache events: remote_lost, remote_restored, corrupt_entry, key_derived, write_rejected, entry_too_large, refresh_failed, checked and check_failed (whether the data of responses has changed), unwatched (it cannot be seen).',
    labelNames: ['event'],
    registers,
  });
  const checks = new Histogram({
    name: 'millrace_cache_check_seconds',
    help: 'Duration of the checks whether the data of responses has changed, in seconds; failed ones are in millrace_cache_events_total.',
    buckets: SECONDS,
    registers,
  });
  const cutOff = new Counter({
    name: 'millrace_responses_cut_off_total',
    help: 'Responses cut off because the client read too slowly: slow (over send_timeout) or full (over send_memory).',
    labelNames: ['reason'],
    registers,
  });
  const usage = new Counter({
    name: 'millrace_usage_rows_total',
    help: 'Rows of millrace.calls: written, or dropped because the buffer was full.',
    labelNames: ['outcome'],
    registers,
  });
  const endpoints = new PromGauge({ name: 'millrace_endpoints', help: 'Endpoints being served.', registers });
  const findings = new PromGauge({
    name: 'millrace_catalog_findings',
    help: 'Findings in the current endpoint files.',
    registers,
  });
  const loads = new Counter({
    name: 'millrace_catalog_loads_total',
    help: 'Reloads of the endpoints folder, by outcome: loaded, rejected (some files have findings), failed (it could not be read).',
    labelNames: ['outcome'],
    registers,
  });
  return (observation) => {
    const [family, event = ''] = observation.kind.split('.');
    if (family === 'warming' && 'endpoint' in observation)
      warming.inc({ endpoint: observation.endpoint, outcome: event });
    if (family === 'cache') cache.inc({ event });
    if (observation.kind === 'cache.checked') checks.observe(observation.ms / 1000);
    if (family === 'catalog') loads.inc({ outcome: event });
    if (observation.kind === 'response.cut_off') cutOff.inc({ reason: observation.reason });
    if (observation.kind === 'usage.written') usage.inc({ outcome: 'written' }, observation.rows);
    if (family === 'usage' && 'dropped' in observation)
      usage.inc({ outcome: 'dropped' }, observation.dropped);
    if (observation.kind !== 'catalog.loaded') return;
    endpoints.set(observation.endpoints);
    findings.set(observation.findings);
  };
}

/** The tokens file, and what else keys depend on. */
function createTokensMetrics(registry: Registry): (event: Event) => void {
  const registers = [registry];
  const events = new Counter({
    name: 'millrace_tokens_events_total',
    help: 'Events of keys: loaded and rejected (versions of the tokens file), not_locked, jwks_failed (the issuer’s keys could not be fetched), use_not_stored.',
    labelNames: ['event'],
    registers,
  });
  const rejected = new PromGauge({
    name: 'millrace_tokens_rejected',
    help: 'Whether the newest version of the tokens file is invalid, so that an older one is in force: 1 or 0.',
    registers,
  });
  for (const event of ['loaded', 'rejected', 'jwks_failed']) events.inc({ event }, 0);
  return ({ kind }) => {
    const [family, event = ''] = kind.split('.');
    if (family !== 'tokens') return;
    events.inc({ event });
    if (event === 'loaded' || event === 'rejected') rejected.set(Number(event === 'rejected'));
  };
}

/** Live calls. */
function createLiveMetrics(registers: readonly Registry[]): (event: Event) => void {
  const counter = (name: string, help: string, label: string): Counter =>
    new Counter({ name, help, labelNames: ['endpoint', label], registers: [...registers] });
  const ended = counter(
    'millrace_live_ended_total',
    'Live streams that have ended, by reason: client (it closed the connection), key (it ended, or may not call the endpoint any more), endpoint (removed), error, slow (over send_timeout), full (over send_memory), shutdown.',
    'reason',
  );
  const runs = counter(
    'millrace_live_runs_total',
    'Queries and cached responses that live calls looked at, by outcome: changed, unchanged, failed.',
    'outcome',
  );
  const events = counter(
    'millrace_live_events_total',
    'Events of live streams that have ended: sent, or coalesced (left out because a newer one came before they could be sent).',
    'outcome',
  );
  const bareCounter = (name: string, help: string, label: string): Counter =>
    new Counter({ name, help, labelNames: [label], registers: [...registers] });
  const looks = bareCounter(
    'millrace_watch_looks_total',
    'Looks at watches, by outcome: ran, unchanged (the data was, so that no query ran), failed.',
    'outcome',
  );
  const messages = bareCounter(
    'millrace_watch_messages_total',
    'Messages of watches, by outcome: sent, failed (tried again later), dead (given up).',
    'outcome',
  );
  return (event) => {
    if (event.kind === 'watch.looked') looks.inc({ outcome: event.outcome });
    if (event.kind === 'watch.notified') messages.inc({ outcome: 'sent' });
    if (event.kind === 'watch.not_notified') messages.inc({ outcome: event.isDead ? 'dead' : 'failed' });
    if (event.kind === 'live.ran') runs.inc({ endpoint: event.endpoint, outcome: event.outcome });
    if (event.kind === 'live.failed') runs.inc({ endpoint: event.endpoint, outcome: 'failed' });
    if (event.kind !== 'live.ended') return;
    const { endpoint, reason } = event;
    ended.inc({ endpoint, reason });
    events.inc({ endpoint, outcome: 'sent' }, event.events);
    events.inc({ endpoint, outcome: 'coalesced' }, event.coalesced);
  };
}

function createEngineMetrics(registry: Registry): (event: Event) => void {
  const registers = [registry];
  const dropped = new Counter({
    name: 'millrace_engine_connections_dropped_total',
    help: 'Engine connections dropped, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const processEnds = new Counter({
    name: 'millrace_engine_process_ends_total',
    help: 'Exits of the embedded engine’s process: overdue (killed: a statement could not be cancelled), unresponsive (killed), rules (killed: new access rules), exited.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of ['overdue', 'unresponsive', 'exited']) processEnds.inc({ reason }, 0);
  const fatal = new Counter({
    name: 'millrace_engine_fatal_statements_total',
    help: 'Statements that ended the embedded engine’s process, or may have, by origin (saved or consumer).',
    labelNames: ['origin', 'fatality'],
    registers,
  });
  const suspended = new Counter({
    name: 'millrace_suspended_total',
    help: 'Suspensions after fatal statements: of one query, or of all consumer queries of a key.',
    labelNames: ['scope'],
    registers,
  });
  const foundInRows = new Counter({
    name: 'millrace_redaction_found_in_rows_total',
    help: 'Matches that the second layer of redaction found in rows of consumer queries over redacted tables, by detector; expected to be 0.',
    labelNames: ['endpoint', 'detector'],
    registers,
  });
  const countShadow = createShadowMetrics(registers);
  const verified = new Counter({
    name: 'millrace_rollup_verified_total',
    help: 'Calls over a rollup that were repeated over the rows, by outcome: equal, different, unstable (rows arrived meanwhile, or a LIMIT may return any of several), failed, dropped.',
    labelNames: ['rollup', 'outcome'],
    registers: [...registers],
  });
  const countBudgets = createBudgetMetrics(registers);
  const countLive = createLiveMetrics(registers);
  const countExports = createExportMetrics(registers);
  return (event) => {
    countLive(event);
    countExports(event);
    if (event.kind === 'shadow.compared') countShadow(event);
    if (event.kind === 'rollup.verified') verified.inc({ rollup: event.rollup, outcome: event.outcome });
    countBudgets(event);
    if (event.kind === 'redaction.found_in_rows')
      for (const [detector, matches] of Object.entries(event.detectors))
        foundInRows.inc({ endpoint: event.endpoint, detector }, matches);
    if (event.kind === 'engine.connection_dropped') dropped.inc({ reason: event.reason });
    if (event.kind === 'engine.process_ended') processEnds.inc({ reason: event.reason });
    if (event.kind === 'engine.statement_fatal')
      fatal.inc({ origin: event.origin, fatality: event.fatality });
    if (event.kind === 'query.suspended') suspended.inc({ scope: event.scope });
  };
}

function createExportMetrics(registers: readonly Registry[]): (event: Event) => void {
  const ended = new Counter({
    name: 'millrace_exports_total',
    help: 'Exports that ended, by state: finished, failed, canceled.',
    labelNames: ['endpoint', 'state'],
    registers: [...registers],
  });
  return (event) => {
    if (event.kind === 'export.ended') ended.inc({ endpoint: event.endpoint, state: event.state });
  };
}

/** Budgets of keys, and of keys on an endpoint, by the name of the budget (`policy`). */
function createBudgetMetrics(registers: readonly Registry[]): (event: Event) => void {
  const counter = (name: string, help: string): Counter =>
    new Counter({ name, help, labelNames: ['endpoint', 'policy'], registers: [...registers] });
  const bytes = counter(
    'millrace_budget_spent_bytes_total',
    'Bytes that queries read from tables, counted against budgets for reading.',
  );
  const seconds = counter(
    'millrace_budget_spent_seconds_total',
    'Time of the engine in seconds, counted against budgets for time.',
  );
  const exceeded = counter(
    'millrace_budget_exceeded_total',
    'Runs that were not started because a budget was used up.',
  );
  return (event) => {
    if (event.kind === 'budget.exceeded') exceeded.inc({ endpoint: event.endpoint, policy: event.policy });
    if (event.kind !== 'budget.spent') return;
    for (const policy of event.policies)
      if (policy.endsWith('-read')) bytes.inc({ endpoint: event.endpoint, policy }, event.read);
      else seconds.inc({ endpoint: event.endpoint, policy }, event.time / 1000);
  };
}

/** Comparisons of versions. Columns are those of saved queries; beyond 100 of a version, further ones count as other. */
function createShadowMetrics(registers: readonly Registry[]): (event: ShadowCompared) => void {
  const runs = new Counter({
    name: 'millrace_shadow_runs_total',
    help: 'Calls after which the next version ran as well, by outcome: equal, different, unstable (the version before differs from itself), failed, dropped.',
    labelNames: ['endpoint', 'version', 'outcome'],
    registers: [...registers],
  });
  const rows = new Counter({
    name: 'millrace_shadow_differences_total',
    help: 'Rows that differ between a version and the one before it, by column (empty: the result as a whole) and difference.',
    labelNames: ['endpoint', 'version', 'column', 'difference'],
    registers: [...registers],
  });
  const boundValue = createValueBound();
  return ({ endpoint, version: number, outcome, differences }) => {
    const version = String(number);
    runs.inc({ endpoint, version, outcome });
    for (const { column = '', difference, rows: count } of differences)
      rows.inc(
        { endpoint, version, column: boundValue(`${endpoint} ${version}`, column), difference },
        count,
      );
  };
}

function addGauge(registry: Registry, gauge: Gauge): void {
  const { name, help, label } = gauge;
  if (gauge.isCounter === true && gauge.label === undefined) return addCounter(registry, gauge, gauge.read);
  const prom: PromGauge = new PromGauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect: (): void => {
      if (gauge.label === undefined) return prom.set(gauge.read());
      prom.reset();
      for (const [value, number] of boundedEntries(gauge.read())) prom.set({ [gauge.label]: value }, number);
    },
  });
}

function addCounter(
  registry: Registry,
  { name, help }: Pick<Gauge, 'name' | 'help'>,
  read: () => number,
): void {
  const prom: Counter = new Counter({
    name,
    help,
    registers: [registry],
    collect: (): void => {
      prom.reset();
      prom.inc(read());
    },
  });
}
