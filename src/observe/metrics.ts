// Observations as Prometheus metrics, with bounded labels: endpoints in service, statuses, outcomes; never values.
import { collectDefaultMetrics, Counter, Gauge as PromGauge, Histogram, Registry } from 'prom-client';
import type { Finished, Observation, Observe } from '../core/observation.ts';

export interface Metrics {
  readonly observe: Observe;
  /** Adds what is read whenever somebody asks for the metrics. */
  readonly watch: (gauges: readonly Gauge[]) => void;
  /** In the text format of Prometheus. */
  readonly text: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Something that has a value at any time: one number, or one for each value of a label. */
export type Gauge = { readonly name: string; readonly help: string } & (
  | { readonly label?: undefined; readonly read: () => number }
  | { readonly label: string; readonly read: () => readonly (readonly [string, number])[] }
);

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const requests = createRequestMetrics(registry);
  const events = createEventMetrics(registry);
  const engineEvents = createEngineMetrics(registry);
  collectDefaultMetrics({ register: registry });
  return {
    observe: (observation) => {
      if (observation.kind === 'request.finished') requests(observation);
      else {
        events(observation);
        engineEvents(observation);
      }
    },
    watch: (gauges) => {
      for (const gauge of gauges) addGauge(registry, gauge);
    },
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

function createRequestMetrics(registry: Registry): (request: Finished) => void {
  const registers = [registry];
  const requests = new Histogram({
    name: 'millrace_request_seconds',
    help: 'Time of requests, by endpoint, status and cache outcome.',
    labelNames: ['endpoint', 'status', 'cache'],
    buckets: SECONDS,
    registers,
  });
  const stages = new Histogram({
    name: 'millrace_stage_seconds',
    help: 'Time of the stages of requests that were run: auth, plan, queue, engine, redact, encode.',
    labelNames: ['stage'],
    buckets: SECONDS,
    registers,
  });
  const bytes = new Counter({
    name: 'millrace_response_bytes_total',
    help: 'Bytes of answers, by endpoint.',
    labelNames: ['endpoint'],
    registers,
  });
  const problems = new Counter({
    name: 'millrace_problems_total',
    help: 'Refusals and failures, by their code.',
    labelNames: ['code'],
    registers,
  });
  const labelled = new Counter({
    name: 'millrace_labelled_requests_total',
    help: 'Requests by the labels that endpoint files allow; of each label the first values that came, the rest as other.',
    labelNames: ['endpoint', 'label', 'value'],
    registers,
  });
  const boundValue = createValueBound();
  return (request) => {
    const { endpoint = '', status, cache = '', ms, code, timing, labels } = request;
    requests.observe({ endpoint, status: String(status), cache }, ms / 1000);
    bytes.inc({ endpoint }, request.bytes);
    if (code !== undefined) problems.inc({ code });
    if (timing !== undefined)
      for (const [stage, took] of Object.entries(timing)) stages.observe({ stage }, took / 1000);
    if (labels !== undefined)
      for (const [label, value] of Object.entries(labels))
        labelled.inc({ endpoint, label, value: boundValue(`${endpoint} ${label}`, value) });
  };
}

type Event = Exclude<Observation, Finished>;

function createEventMetrics(registry: Registry): (event: Event) => void {
  const registers = [registry];
  const warming = new Counter({
    name: 'millrace_warming_total',
    help: 'What warming did: refreshed, adopted (another replica had), saved (a run that a caller would have waited for), failed, dropped.',
    labelNames: ['endpoint', 'outcome'],
    registers,
  });
  const cache = new Counter({
    name: 'millrace_cache_events_total',
    help: 'What happened to the cache: remote_lost, remote_restored, rubbish_found, key_derived, write_refused, entry_too_large, refresh_failed.',
    labelNames: ['event'],
    registers,
  });
  const cutOff = new Counter({
    name: 'millrace_replies_cut_off_total',
    help: 'Callers cut off: slow (over send_timeout), or full (over send_memory).',
    labelNames: ['reason'],
    registers,
  });
  const usage = new Counter({
    name: 'millrace_usage_rows_total',
    help: 'Rows of millrace.calls: written, or dropped because too many waited.',
    labelNames: ['outcome'],
    registers,
  });
  const endpoints = new PromGauge({ name: 'millrace_endpoints', help: 'Endpoints in service.', registers });
  const findings = new PromGauge({
    name: 'millrace_catalog_findings',
    help: 'Findings in the newest endpoint files.',
    registers,
  });
  const loads = new Counter({
    name: 'millrace_catalog_loads_total',
    help: 'Readings of the folder of endpoint files that changed something (loaded), or found nothing good (rejected, failed).',
    labelNames: ['outcome'],
    registers,
  });
  return (observation) => {
    const [family, event = ''] = observation.kind.split('.');
    if (family === 'warming' && 'endpoint' in observation)
      warming.inc({ endpoint: observation.endpoint, outcome: event });
    if (family === 'cache') cache.inc({ event });
    if (family === 'catalog') loads.inc({ outcome: event });
    if (observation.kind === 'reply.cut_off') cutOff.inc({ reason: observation.reason });
    if (observation.kind === 'usage.written') usage.inc({ outcome: 'written' }, observation.rows);
    if (family === 'usage' && 'dropped' in observation)
      usage.inc({ outcome: 'dropped' }, observation.dropped);
    if (observation.kind !== 'catalog.loaded') return;
    endpoints.set(observation.endpoints);
    findings.set(observation.findings);
  };
}

function createEngineMetrics(registry: Registry): (event: Event) => void {
  const registers = [registry];
  const dropped = new Counter({
    name: 'millrace_engine_connections_dropped_total',
    help: 'Connections of the engine thrown away, by what happened on them.',
    labelNames: ['reason'],
    registers,
  });
  const processEnds = new Counter({
    name: 'millrace_engine_process_ends_total',
    help: 'Ends of the embedded engine’s process: overdue (a statement could not be ended), unresponsive, exited (by itself).',
    labelNames: ['reason'],
    registers,
  });
  const fatal = new Counter({
    name: 'millrace_engine_fatal_statements_total',
    help: 'Statements that ended the embedded engine’s process, or may have, by origin: saved or consumer.',
    labelNames: ['origin', 'fatality'],
    registers,
  });
  const suspended = new Counter({
    name: 'millrace_suspended_total',
    help: 'Suspensions after fatal statements: of one query, or of all consumer queries of a key.',
    labelNames: ['scope'],
    registers,
  });
  return (event) => {
    if (event.kind === 'engine.connection_dropped') dropped.inc({ reason: event.reason });
    if (event.kind === 'engine.process_ended') processEnds.inc({ reason: event.reason });
    if (event.kind === 'engine.statement_fatal')
      fatal.inc({ origin: event.origin, fatality: event.fatality });
    if (event.kind === 'query.suspended') suspended.inc({ scope: event.scope });
  };
}

function addGauge(registry: Registry, gauge: Gauge): void {
  const { name, help, label } = gauge;
  const prom: PromGauge = new PromGauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect: (): void => {
      if (gauge.label === undefined) return prom.set(gauge.read());
      prom.reset();
      for (const [value, number] of gauge.read()) prom.set({ [gauge.label]: value }, number);
    },
  });
}

/** Every distinct value is a series that Prometheus keeps: each label gets so many. */
const MAX_VALUES = 100;

function createValueBound(): (label: string, value: string) => string {
  const known = new Map<string, Set<string>>();
  return (label, value) => {
    const values = known.get(label) ?? new Set();
    known.set(label, values);
    if (!values.has(value) && values.size >= MAX_VALUES) return 'other';
    values.add(value);
    return value;
  };
}
