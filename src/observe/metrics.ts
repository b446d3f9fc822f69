// Observations as Prometheus metrics, with bounded labels: endpoints in service, statuses, outcomes; never values.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observe } from '../core/observation.ts';

export interface Metrics {
  readonly observe: Observe;
  /** In the text format of Prometheus. */
  readonly text: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'millrace_request_seconds',
    help: 'Time of requests, by endpoint, status and cache outcome.',
    labelNames: ['endpoint', 'status', 'cache'],
    buckets: SECONDS,
    registers,
  });
  const warming = new Counter({
    name: 'millrace_warming_total',
    help: 'What warming did: refreshed, adopted (another replica had), saved (a run that a caller would have waited for), failed, dropped.',
    labelNames: ['endpoint', 'outcome'],
    registers,
  });
  const cache = new Counter({
    name: 'millrace_cache_events_total',
    help: 'What happened to the cache: remote_lost, remote_restored, rubbish_found, write_refused, entry_too_large, refresh_failed.',
    labelNames: ['event'],
    registers,
  });
  const labelled = new Counter({
    name: 'millrace_labelled_requests_total',
    help: 'Requests by the labels that endpoint files allow; of each label the first values that came, the rest as other.',
    labelNames: ['endpoint', 'label', 'value'],
    registers,
  });
  const boundValue = createValueBound();
  const endpoints = new Gauge({ name: 'millrace_endpoints', help: 'Endpoints in service.', registers });
  const rejected = new Gauge({
    name: 'millrace_catalog_findings',
    help: 'Findings in the newest endpoint files.',
    registers,
  });
  const observe: Observe = (observation) => {
    const { kind } = observation;
    if (kind === 'request.finished') {
      const { endpoint = '', status, cache: outcome = '', ms } = observation;
      for (const [label, value] of Object.entries(observation.labels ?? {}))
        labelled.inc({ endpoint, label, value: boundValue(`${endpoint} ${label}`, value) });
      return requests.observe({ endpoint, status: String(status), cache: outcome }, ms / 1000);
    }
    if (kind === 'catalog.loaded') {
      endpoints.set(observation.endpoints);
      return rejected.set(observation.findings);
    }
    const [family, event = ''] = kind.split('.');
    if (family === 'warming' && 'endpoint' in observation)
      warming.inc({ endpoint: observation.endpoint, outcome: event });
    if (family === 'cache') cache.inc({ event });
  };
  return {
    observe,
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
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
