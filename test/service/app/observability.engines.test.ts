// What operators can observe: log lines, metrics, traces, usage, configuration and readiness of a running service.
import { createServer, type Server } from 'node:http';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after } from '../../../src/sql/base/clock.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { createLog } from '../../../src/service/observe/log.ts';
import { startGate } from '../../support/gate.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { startService, writeEndpoint, type TestService, SHIPPED } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

let redis: RedisServer;
let collector: Server;
let service: TestService;
const received: { spans: Span[]; authorization: string | undefined; resources: object[] }[] = [];
const spans = (): Span[] => received.flatMap((each) => each.spans);

beforeAll(async () => {
  redis = await startRedis();
  collector = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as {
        resourceSpans: { resource: { attributes: object[] }; scopeSpans: { spans: Span[] }[] }[];
      }; // OTLP in JSON
      const found = body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
      const resources = body.resourceSpans.flatMap(({ resource }) => resource.attributes);
      received.push({ spans: found, authorization: request.headers.authorization, resources });
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((ready) => collector.listen(0, '127.0.0.1', ready));
  const { port } = collector.address() as AddressInfo; // it listens on a port
  service = await startService({
    settings: {
      redisUrl: redis.url,
      redisTimeout: 10_000,
      trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'],
      traces: {
        endpoint: `http://127.0.0.1:${port}`,
        headers: { authorization: 'Bearer c' },
        ratio: 0,
        resource: { 'service.name': 'reports', 'service.namespace': 'shop' },
      },
      usage: true,
    },
  });
  const id = (n: number): string => `id: 00000000-0000-4000-8000-0000000000${n}\n`;
  await writeEndpoint(
    service,
    'rows',
    `${id(71)}name: rows\nquery: SELECT @secret AS n FROM numbers(3)\nparameters: { secret: { type: String, default: a } }\nlimits: { concurrency: 2 }\n`,
  );
  const usage = await readFile(join(SHIPPED, 'millrace.usage.yaml'), 'utf8');
  await writeEndpoint(service, 'millrace.usage', usage);
  await writeEndpoint(service, 'kept', `${id(72)}name: kept\nquery: SELECT 1 AS n\ncache: { ttl: 60 }\n`);
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  collector.close();
  await redis.kill();
});

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.call(`/api/endpoints/query/${path}`, { headers });
const finished = (requestId: string) =>
  service.observed.find((each) => each.kind === 'request.finished' && each.requestId === requestId);
const admin = async (path: string): Promise<string> =>
  (await fetch(`${service.service.admin}${path}`)).text();

describe('a log line', () => {
  test('has the request and its outcome, without values and keys', async () => {
    const lines: string[] = [];
    const log = createLog({
      level: 'info',
      stream: { write: (line) => void lines.push(line) },
      epoch: Date.now,
      after,
      random: Math.random,
    });
    await ask('rows?secret=do-not-log', {
      'X-Request-Id': 'line',
      'X-Forwarded-For': '203.0.113.7, 10.1.2.3',
    });
    await eventually(() => expect(finished('line')).toBeDefined());
    log(finished('line') as Observation); // it was waited for
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(line).toMatchObject({
      event: 'request.finished',
      requestId: 'line',
      method: 'GET',
      route: '/api/endpoints/query/:endpoint',
      endpoint: 'rows',
      revision: expect.stringMatching(/^[0-9a-f]{12}$/),
      principal: 'everything',
      status: 200,
      rows: 3,
      bytes: expect.any(Number),
      ms: expect.any(Number),
      timing: { auth: expect.any(Number), queue: expect.any(Number), engine: expect.any(Number) },
      client: '203.0.113.7',
    });
    expect(lines.join('')).not.toMatch(/do-not-log|a-key-for-everything/);
  });

  test.each([
    { why: 'no proxy', forwarded: undefined, client: '127.0.0.1' },
    { why: 'one trusted proxy', forwarded: '198.51.100.1', client: '198.51.100.1' },
    {
      why: 'a forged entry from an untrusted sender',
      forwarded: '192.0.2.1, 198.51.100.1',
      client: '198.51.100.1',
    },
  ])('identifies the caller: $why', async ({ why, forwarded, client }) => {
    const requestId = why.replaceAll(' ', '-').slice(0, 40);
    for (const path of ['rows', 'kept', 'kept'])
      await ask(path, { 'X-Request-Id': requestId, ...(forwarded && { 'X-Forwarded-For': forwarded }) });
    const all = (): Observation[] =>
      service.observed.filter((each) => each.kind === 'request.finished' && each.requestId === requestId);
    await eventually(() => expect(all()).toHaveLength(3));
    expect(all()).toMatchObject([{ client }, { client }, { client }]);
  });

  test('a client that disconnects', async () => {
    const gate = await startGate();
    const id = 'id: 00000000-0000-4000-8000-000000000074';
    await writeEndpoint(service, 'left', `${id}\nname: left\nquery: SELECT passed FROM ${gate.table}\n`);
    await service.service.reload();
    const controller = new AbortController();
    const path = '/api/endpoints/query/left';
    const asked = service.call(path, { signal: controller.signal });
    await gate.reached(1);
    controller.abort();
    await expect(asked).rejects.toThrow('aborted');
    const left = (): Observation[] =>
      service.observed.filter((each) => each.kind === 'request.finished' && each.endpoint === 'left');
    await eventually(() => expect(left()).toMatchObject([{ status: 499, code: 'request.client_closed' }]));
    await gate.close();
  });
});

/** The trace of the requests of probes. */
const PROBED = 'd'.repeat(32);

describe('metrics', () => {
  test('cover requests, stages, problems and current activity', async () => {
    await ask('rows');
    await ask('rows?other=1');
    await eventually(async () => {
      const text = await admin('/metrics');
      for (const line of [
        /^millrace_requests_total\{endpoint="rows",status="200",cache="",route="\/api\/endpoints\/query\/:endpoint"\} [1-9]/m,
        /^millrace_request_seconds_count\{endpoint="rows",status="200",cache="",route="[^"]+"\} [1-9]/m,
        /^millrace_build_info\{version="\d+\.\d+\.\d+",engine="(embedded|http)",node="[^"]+"\} 1/m,
        /^millrace_engine_up 1/m,
        /^millrace_keys_rejected_total\{reason="invalid"\} 0/m,
        /^millrace_catalog_files_rejected 0/m,
        /^millrace_tokens_rejected 0/m,
        /^millrace_stage_seconds_count\{stage="queue"\} [1-9]/m,
        /^millrace_stage_seconds_count\{stage="engine"\} [1-9]/m,
        /^millrace_stage_seconds_count\{stage="encode"\} [1-9]/m,
        /^millrace_problems_total\{code="request.parameters_invalid"\} [1-9]/m,
        /^millrace_response_bytes_total\{endpoint="rows"\} [1-9]/m,
        /^millrace_engine_statements\{state="running"\} 0/m,
        /^millrace_endpoint_running\{endpoint="rows"\} 0/m,
        /^millrace_cache_entries \d/m,
        /^millrace_cache_in_flight 0/m,
        /^millrace_warming_entries 0/m,
        /^millrace_redis_up 1/m,
        /^millrace_sandbox_up 1/m,
        /^millrace_replies_waiting_bytes 0/m,
        /^millrace_catalog_loads_total\{outcome="loaded"\} [1-9]/m,
        /^millrace_usage_rows_total|^# HELP millrace_usage_rows_total/m,
        /^nodejs_eventloop_lag_seconds /m,
        /^process_resident_memory_bytes /m,
      ])
        expect(text).toMatch(line);
    });
  });

  test('have each host of a ClickHouse server', async () => {
    const hosts = /^millrace_engine_host_up\{host="([^"]+)"\} 1$/m.exec(await admin('/metrics'))?.[1];
    const [url] = service.settings.clickhouse?.urls ?? [];
    expect(hosts).toBe(url === undefined ? undefined : new URL(url).host);
  });

  test('and traces have no probes', async () => {
    const traceparent = `00-${PROBED}-${'e'.repeat(16)}-01`;
    const paths = ['/health/live', '/health/ready', '/clickhouse/ping', '/clickhouse/replicas_status'];
    for (const path of paths)
      expect((await service.call(path, { headers: { traceparent } })).status).toBe(200);
    await admin('/metrics');
    await ask('rows', { traceparent, 'X-Request-Id': 'after-probes' });
    await eventually(() => expect(finished('after-probes')).toBeDefined());
    const text = await admin('/metrics');
    const routes = [...text.matchAll(/^millrace_.*\broute="([^"]*)"/gm)].map(([, route]) => route);
    expect(routes).not.toEqual([]);
    expect(routes.filter((route) => /health|ping|replicas|metrics/.test(route ?? ''))).toEqual([]);
    const traced = (): Span[] => spans().filter(({ traceId }) => traceId === PROBED);
    await eventually(() => expect(traced()).not.toEqual([]));
    expect(traced().filter(({ name }) => /health|ping|replicas/.test(name))).toEqual([]);
  });

  test('gauges follow the current state', async () => {
    const gate = await startGate();
    await writeEndpoint(
      service,
      'gated',
      `id: 00000000-0000-4000-8000-000000000073\nname: gated\nquery: SELECT passed FROM ${gate.table}\nlimits: { concurrency: 1 }\n`,
    );
    await service.service.reload();
    const asked = [ask('gated'), ask('gated')];
    await eventually(async () => {
      const text = await admin('/metrics');
      expect(text).toContain('millrace_endpoint_running{endpoint="gated"} 1');
      expect(text).toContain('millrace_endpoint_waiting{endpoint="gated"} 1');
      expect(text).toContain('millrace_engine_statements{state="running"} 1');
    });
    await setTimeout(50);
    gate.open();
    await Promise.all(asked);
    await gate.close();
    const late = service.observed.filter((each) => each.kind === 'request.finished').slice(-2);
    const queued = late.map((each) => each.timing?.queue ?? 0);
    expect(Math.max(...queued)).toBeGreaterThan(49); // the second had to wait for the first
  });
});

describe('the dashboard', () => {
  test('uses existing metrics and labels', async () => {
    const text = await readFile(new URL('../../../deploy/grafana/dashboard.json', import.meta.url), 'utf8');
    const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] }; // our own file
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const metrics = await admin('/metrics');
    for (const expression of expressions) {
      const [name = ''] = /(?:millrace|process|nodejs)_\w+/.exec(expression) ?? [];
      expect(metrics).toContain(`# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `);
    }
    expect(expressions.length).toBeGreaterThan(15);
  });
});

describe('traces', () => {
  const TRACE = 'a'.repeat(32);
  const CALLER = 'b'.repeat(16);

  test('continue the caller’s trace, with a span for each stage', async () => {
    await ask('rows', { traceparent: `00-${TRACE}-${CALLER}-01`, 'X-Request-Id': 'traced' });
    await eventually(() => expect(spans().some(({ traceId }) => traceId === TRACE)).toBe(true));
    const root = spans().find(({ parentSpanId }) => parentSpanId === CALLER);
    expect(root).toMatchObject({ name: 'GET /api/endpoints/query/:endpoint', traceId: TRACE, kind: 2 });
    const attributes = Object.fromEntries((root?.attributes ?? []).map(({ key, value }) => [key, value]));
    expect(attributes).toMatchObject({
      'http.response.status_code': { intValue: 200 },
      'millrace.endpoint': { stringValue: 'rows' },
      'millrace.request_id': { stringValue: 'traced' },
    });
    const stages = spans().filter(({ parentSpanId }) => parentSpanId === root?.spanId);
    expect(stages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['auth', 'plan', 'engine', 'encode']),
    );
    expect(received.every(({ authorization }) => authorization === 'Bearer c')).toBe(true);
  });

  test('name the service and its process', () => {
    const [{ resources } = { resources: [] }] = received;
    const attribute = (key: string, stringValue: unknown): object => ({ key, value: { stringValue } });
    expect(resources).toEqual(
      expect.arrayContaining([
        attribute('service.name', 'reports'),
        attribute('service.namespace', 'shop'),
        attribute('service.version', expect.stringMatching(/^\d+\.\d+\.\d+/)),
        attribute(
          'service.instance.id',
          expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        ),
      ]),
    );
    expect(new Set(received.map((each) => JSON.stringify(each.resources))).size).toBe(1);
  });

  test('are not started if the ratio is 0, nor if the caller is not sampled', async () => {
    await ask('rows', { 'X-Request-Id': 'untraced' });
    await ask('rows', { traceparent: `00-${'c'.repeat(32)}-${CALLER}-00` });
    await setTimeout(100);
    expect(finished('untraced')).toMatchObject({ trace: undefined });
    expect(spans().filter(({ traceId }) => ![TRACE, PROBED].includes(traceId))).toEqual([]);
  });
});

describe('usage', () => {
  test('is one row per call, and an endpoint over them', async () => {
    await ask('rows', { 'X-Request-Id': 'counted' });
    const rows = async () =>
      service.rows("millrace.usage?sql=SELECT+*+FROM+calls+WHERE+request_id+=+'counted'");
    const seen = async () => ({
      rows: await rows(),
      failures: service.observed.filter(({ kind }) => kind === 'usage.not_written'),
    });
    await eventually(async () => expect(await seen()).toMatchObject({ rows: [expect.anything()] }));
    expect(await rows()).toMatchObject([
      { endpoint: 'rows', principal: 'everything', method: 'GET', status: 200, rows: 3, cache: '' },
    ]);
    const [bucket] = await service.rows('millrace.usage?endpoint=rows');
    expect(Number(bucket?.['calls'])).toBeGreaterThan(0);
    expect(await admin('/metrics')).toMatch(/^millrace_usage_rows_total\{outcome="written"\} [1-9]/m);
  });
});

describe('configuration', () => {
  test('has settings without secrets, and the version of every file', async () => {
    await writeFile(join(service.endpoints, 'kept.yaml'), 'id: none\n');
    await writeFile(join(service.endpoints, 'broken.yaml'), 'name: [\n');
    await service.service.reload();
    const config = JSON.parse(await admin('/config')) as Record<string, unknown>;
    expect(config).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      settings: {
        port: { value: 4000, source: 'default' },
        clickhouse_password: { source: 'default' },
      },
      endpoints: expect.arrayContaining([
        {
          name: 'kept',
          id: '00000000-0000-4000-8000-000000000072',
          file: expect.stringMatching(/kept\.yaml$/),
          revision: expect.stringMatching(/^[0-9a-f]{12}$/),
          cache: { ttl: 60, min_refresh: 10 },
          findings: expect.arrayContaining([
            expect.objectContaining({ severity: 'error', line: 1, column: 5 }),
          ]),
        },
      ]),
      not_served: [expect.objectContaining({ file: expect.stringMatching(/broken\.yaml$/) })],
    });
  });
});

/** Layers of the engine process, on the systems where these tests run. */
const CONFINED =
  process.platform === 'linux'
    ? { landlock: 'ok', seccomp: 'ok' }
    : { landlock: 'degraded', seccomp: 'degraded' };

describe('readiness', () => {
  const checks = async () => {
    const response = await service.call('/health/ready');
    return { status: response.status, ...((await response.json()) as { checks: object }).checks };
  };

  test('distinguishes the engine, the files, Redis and the preflight', async () => {
    expect(await checks()).toEqual({
      status: 200,
      engine: 'ok',
      catalog: 'degraded',
      redis: 'ok',
      preflight: 'ok',
      ...(service.engine.kind === 'embedded' ? { ...CONFINED, data: 'ok' } : {}),
    });
    await redis.kill();
    expect(await checks()).toMatchObject({ status: 200, redis: 'degraded' });
    await redis.start();
    await eventually(async () => expect(await checks()).toMatchObject({ redis: 'ok' }));
  });
});
