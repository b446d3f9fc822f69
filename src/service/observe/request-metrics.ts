// Metrics of finished requests. Probes are in none of them: they would hide the errors and the latency of calls.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Finished } from '../../sql/base/observation.ts';
import { PROBLEMS } from '../../sql/base/problems.ts';
import { isProbe } from './probes.ts';
import { createBound, createValueBound, MAX_HISTOGRAMS } from './series-bound.ts';

/** Few, since each endpoint, status and cache outcome has all of them. */
const REQUEST_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STAGE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Names of endpoints are bounded already. */
export function createRequestMetrics(registry: Registry): (request: Finished) => void {
  const registers = [registry];
  const countOutcome = createOutcomeMetrics(registers);
  const stages = new Histogram({
    name: 'millrace_stage_seconds',
    help: 'Duration of the stages of requests that executed a query, in seconds: auth, plan, queue, engine, redact, encode.',
    labelNames: ['stage'],
    buckets: STAGE_SECONDS,
    registers,
  });
  const bytes = new Counter({
    name: 'millrace_response_bytes_total',
    help: 'Bytes of response bodies, by endpoint.',
    labelNames: ['endpoint'],
    registers,
  });
  const labelled = new Counter({
    name: 'millrace_labelled_requests_total',
    help: 'Requests by the labels that endpoint files allow; beyond 100 values of a label, or 2,000 in all, further ones count as other.',
    labelNames: ['endpoint', 'label', 'value'],
    registers,
  });
  const deprecated = new Counter({
    name: 'millrace_deprecated_requests_total',
    help: 'Requests for deprecated endpoints and versions; version is empty for endpoints without versions.',
    labelNames: ['endpoint', 'version'],
    registers,
  });
  const countProblem = createProblemMetrics(registers);
  const countData = createDataMetric(registers);
  const countClient = createClientMetrics(registers);
  const noteAge = createAgeMetrics(registers);
  const boundValue = createValueBound();
  return (request) => {
    if (isProbe(request.route)) return;
    const { endpoint = '', timing, labels } = request;
    countOutcome(request);
    bytes.inc({ endpoint }, request.bytes);
    countProblem(request);
    countData(request);
    noteAge(request);
    if (request.deprecated === true) deprecated.inc({ endpoint, version: String(request.version ?? '') });
    countClient(request);
    if (timing !== undefined)
      for (const [stage, took] of Object.entries(timing)) stages.observe({ stage }, took / 1000);
    if (labels !== undefined)
      for (const [label, value] of Object.entries(labels))
        labelled.inc({ endpoint, label, value: boundValue(`${endpoint} ${label}`, value) });
  };
}

/** Cached responses whose data is watched. */
function createDataMetric(registers: readonly Registry[]): (request: Finished) => void {
  const counter = new Counter({
    name: 'millrace_cache_data_total',
    help: 'Requests of endpoints with until: data for which there was a cached response, by what was known about its data: unchanged (valid), changed (recomputed, or served stale), unchecked (the check failed) or unwatched (its changes cannot be seen).',
    labelNames: ['endpoint', 'data'],
    registers: [...registers],
  });
  return ({ endpoint = '', data }) => {
    if (data !== undefined) counter.inc({ endpoint, data });
  };
}

/** How old the data of endpoints is. A gauge has the newest time of all calls, since each call may filter rows in another way. */
function createAgeMetrics(registers: readonly Registry[]): (request: Finished) => void {
  const newest = new Gauge({
    name: 'millrace_data_newest_timestamp_seconds',
    help: 'With fresh in an endpoint file: the newest time in the responses of the endpoint, in seconds since 1970. The age is time() minus it.',
    labelNames: ['endpoint'],
    registers: [...registers],
  });
  const stale = new Counter({
    name: 'millrace_data_stale_total',
    help: 'With fresh in an endpoint file: requests whose data was stale, served or not.',
    labelNames: ['endpoint'],
    registers: [...registers],
  });
  const known = new Map<string, number>();
  return ({ endpoint = '', dataAge, code }) => {
    if (dataAge?.isStale === true || code === 'data.stale') stale.inc({ endpoint });
    if (dataAge?.newest === undefined || dataAge.newest <= (known.get(endpoint) ?? -Infinity)) return;
    known.set(endpoint, dataAge.newest);
    newest.set({ endpoint }, dataAge.newest / 1000);
  };
}

/** Requests to entry points for programs of others, by program. */
function createClientMetrics(registers: readonly Registry[]): (request: Finished) => void {
  const counter = (name: string, help: string): Counter =>
    new Counter({ name, help, labelNames: ['client_name', 'status'], registers: [...registers] });
  const clickhouse = counter(
    'millrace_clickhouse_requests_total',
    'Requests to the ClickHouse interface, by client program (from User-Agent, a closed list) and status.',
  );
  const mcp = counter(
    'millrace_mcp_requests_total',
    'Requests to the MCP route, by client program (a closed list) and status.',
  );
  return ({ route, clientName, status }) => {
    if (clientName === undefined) return;
    const requests = route === '/mcp' ? mcp : clickhouse;
    requests.inc({ client_name: clientName, status: String(status) });
  };
}

/** How many requests there were, how they ended, and how long they took. */
function createOutcomeMetrics(registers: Registry[]): (request: Finished) => void {
  const labelNames = ['endpoint', 'status', 'cache', 'route'];
  const requests = new Counter({
    name: 'millrace_requests_total',
    help: 'Requests by endpoint, status, cache outcome and route; beyond 1,000 endpoints, further ones count as other.',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'millrace_request_seconds',
    help: 'Duration of requests in seconds, by endpoint, status, cache outcome and route; beyond 100 endpoints, further ones count as other.',
    labelNames,
    buckets: REQUEST_SECONDS,
    registers,
  });
  const boundEndpoint = createBound(MAX_HISTOGRAMS);
  return ({ endpoint = '', status, cache = '', route, ms }) => {
    const labels = { endpoint, status: String(status), cache, route };
    requests.inc(labels);
    durations.observe({ ...labels, endpoint: boundEndpoint(endpoint) }, ms / 1000);
  };
}

const AUTH = 'auth.';

/** Every code is there from the start: the first increase of a series that appears is invisible to `increase` and `rate`. */
function createProblemMetrics(registers: Registry[]): (request: Finished) => void {
  const problems = new Counter({
    name: 'millrace_problems_total',
    help: 'Rejected and failed requests, by problem code.',
    labelNames: ['code'],
    registers,
  });
  const keys = new Counter({
    name: 'millrace_keys_rejected_total',
    help: 'Requests whose key was rejected, by reason: missing, invalid (unknown, expired or revoked), forbidden, conflict, unavailable (it could not be verified).',
    labelNames: ['reason'],
    registers,
  });
  const count = (code: string, requests: number): void => {
    problems.inc({ code }, requests);
    if (code.startsWith(AUTH)) keys.inc({ reason: code.slice(AUTH.length) }, requests);
  };
  for (const code of Object.keys(PROBLEMS)) count(code, 0);
  return ({ code }) => {
    if (code !== undefined) count(code, 1);
  };
}
