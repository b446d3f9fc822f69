// Metrics of one process: their series are bounded, whatever is served and called, and nothing that happens is left uncounted.
import { describe, expect, test } from 'vitest';
import type { Finished, Observation } from '../../../src/sql/base/observation.ts';
import { createMetrics, type Metrics } from '../../../src/service/observe/metrics.ts';

const BUILD = { version: '1.2.3', engine: 'embedded', node: '20.19.2' };
const CALL: Finished = {
  kind: 'request.finished',
  requestId: 'one',
  method: 'GET',
  route: '/api/endpoints/query/:endpoint',
  endpoint: 'logs',
  revision: '0f9a1c22d3b4',
  principal: 'everything',
  status: 200,
  bytes: 100,
  ms: 3,
};

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

/** The samples of a scrape, without those of Node.js. */
async function samplesOf(metrics: Metrics): Promise<readonly Sample[]> {
  const { text } = await metrics.text();
  return [...text.matchAll(/^(millrace_\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({ name, labels, value: Number(value) }),
  );
}

const sumOf = (samples: readonly Sample[], name: string, label = ''): number =>
  samples
    .filter((each) => each.name === name && each.labels.includes(label))
    .reduce((sum, { value }) => sum + value, 0);

describe('1,500 endpoints', () => {
  const ENDPOINTS = Array.from({ length: 1500 }, (_, n) => `team.endpoint-${n}`);
  const OUTCOMES = [
    { status: 200, cache: 'hit' },
    { status: 200, cache: 'stored' },
    { status: 503, code: 'engine.busy' },
  ] as const;
  const EVENTS = (endpoint: string): readonly Observation[] => [
    { kind: 'warming.saved', endpoint },
    { kind: 'live.ran', endpoint, outcome: 'changed', ms: 1 },
    { kind: 'budget.exceeded', endpoint, policy: 'key-read' },
  ];
  const metrics = createMetrics(BUILD);
  for (const endpoint of ENDPOINTS) {
    for (const outcome of OUTCOMES) metrics.observe({ ...CALL, endpoint, ...outcome });
    for (const event of EVENTS(endpoint)) metrics.observe(event);
  }

  test.each([
    { name: 'millrace_requests_total', series: 3 * 1001, total: 4500 },
    { name: 'millrace_request_seconds_count', series: 3 * 101, total: 4500 },
    { name: 'millrace_response_bytes_total', series: 1001, total: 450_000 },
    { name: 'millrace_warming_total', series: 1001, total: 1500 },
    { name: 'millrace_live_runs_total', series: 1001, total: 1500 },
    { name: 'millrace_budget_exceeded_total', series: 1001, total: 1500 },
  ])('$name has $series series, and counts all', async ({ name, series, total }) => {
    const samples = (await samplesOf(metrics)).filter((each) => each.name === name);
    expect([samples.length, sumOf(samples, name)]).toEqual([series, total]);
  });

  test('share one bound: an endpoint with series of its own has them in all metrics', async () => {
    const other = (await samplesOf(metrics)).filter(({ labels }) => labels.includes('endpoint="other"'));
    expect(sumOf(other, 'millrace_requests_total')).toBe(3 * 500);
    expect(sumOf(other, 'millrace_warming_total')).toBe(500);
    expect(sumOf(other, 'millrace_request_seconds_count')).toBe(3 * 1400);
  });

  test('gauges add up what is beyond the bound', async () => {
    const watched = createMetrics(BUILD);
    const name = 'millrace_endpoint_running';
    watched.watch([
      { name, help: 'h', label: 'endpoint', read: () => ENDPOINTS.map((each) => [each, 2] as const) },
    ]);
    const samples = (await samplesOf(watched)).filter((each) => each.name === name);
    expect([samples.length, sumOf(samples, name), sumOf(samples, name, '"other"')]).toEqual([
      1001, 3000, 1000,
    ]);
  });
});

describe('labels of callers', () => {
  test('are bounded for each label, and in all', async () => {
    const metrics = createMetrics(BUILD);
    for (let endpoint = 0; endpoint < 40; endpoint++)
      for (let value = 0; value < 150; value++)
        metrics.observe({ ...CALL, endpoint: `e${endpoint}`, labels: { team: `t${value}` } });
    const samples = await samplesOf(metrics);
    const name = 'millrace_labelled_requests_total';
    const own = samples.filter((each) => each.name === name && !each.labels.includes('value="other"'));
    expect([own.length, sumOf(samples, name)]).toEqual([2000, 6000]);
    expect(own.filter(({ labels }) => labels.startsWith('endpoint="e0"'))).toHaveLength(100);
  });
});

describe('rejected keys', () => {
  test.each(['missing', 'invalid', 'forbidden', 'conflict', 'unavailable'] as const)(
    'are counted from 0 on: %s',
    async (reason) => {
      const metrics = createMetrics(BUILD);
      const count = async (): Promise<number> =>
        sumOf(await samplesOf(metrics), 'millrace_keys_rejected_total', `reason="${reason}"`);
      expect((await samplesOf(metrics)).map(({ labels }) => labels)).toContain(`reason="${reason}"`);
      expect(await count()).toBe(0);
      metrics.observe({ ...CALL, endpoint: undefined, status: 401, code: `auth.${reason}` as const });
      expect(await count()).toBe(1);
    },
  );

  test('a version of the tokens file that is rejected', async () => {
    const metrics = createMetrics(BUILD);
    const values: number[] = [];
    for (const each of [
      { kind: 'tokens.rejected', diagnostics: [] },
      { kind: 'tokens.not_locked', diagnostics: [] },
      { kind: 'tokens.loaded', tokens: 1 },
    ] as const) {
      metrics.observe(each);
      values.push(sumOf(await samplesOf(metrics), 'millrace_tokens_rejected'));
    }
    expect(values).toEqual([1, 1, 0]);
  });
});

test('the build is one series', async () => {
  const info = (await samplesOf(createMetrics(BUILD))).find(({ name }) => name === 'millrace_build_info');
  expect(info).toEqual({
    name: 'millrace_build_info',
    labels: 'version="1.2.3",engine="embedded",node="20.19.2"',
    value: 1,
  });
});
