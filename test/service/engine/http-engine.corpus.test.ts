// The HTTP engine, against ClickHouse's HTTP interface over the real engine.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import type { Engine, Statement } from '../../../src/service/engine/engine.ts';
import { createHttpEngine } from '../../../src/service/engine/http/http-engine.ts';
import type { HttpOptions } from '../../../src/service/engine/http/runner.ts';
import type { ClickHouseFront, LateError } from '../../support/clickhouse-front/front.ts';
import { openClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { ROOMY, collect, failureOf, rows, statement } from '../../support/engine-statements.ts';
import { patientAfter } from '../../support/patient-timer.ts';
import type { EngineSize } from './conformance.ts';
import { describeEngine } from './conformance.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { sizeOf } from '../../support/runs.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-front-'));
const observed: Observation[] = [];
let front: ClickHouseFront;

const MILLRACE = { user: 'millrace', password: 'pass:word' };
const CONSUMER = { user: 'consumer', password: 'other' };

const open = (options: EngineSize & Partial<HttpOptions>): Engine =>
  createHttpEngine({
    ...REAL_TIME,
    pingTimeoutMs: 1500,
    urls: [front.url],
    ...MILLRACE,
    observe: (o) => void observed.push(o),
    ...options,
  });

beforeAll(async () => {
  front = await openClickHouseFront({
    path: join(folder, 'data'),
    users: {
      millrace: { password: MILLRACE.password, profile: [] },
      reader: { password: '', profile: ['--readonly=2'] },
      consumer: {
        password: CONSUMER.password,
        profile: ['--max_rows_to_read=1000', '--date_time_output_format=iso', '--readonly=1'],
      },
    },
  });
  const engine = open({ connections: 1, queue: 1 });
  await engine.execute('CREATE DATABASE IF NOT EXISTS kept');
  await engine.close(0);
});
afterAll(async () => {
  await front.close();
  await rm(folder, { recursive: true, force: true });
});

describeEngine('http', { open: async (size) => open({ ...size, after: patientAfter }) });

describe('an engine over HTTP', () => {
  let engine: Engine;
  beforeEach(() => {
    observed.length = 0;
    engine = open({ connections: 2, queue: 10 });
  });
  afterEach(() => engine.close(0));

  describe.each<LateError>(['tagged', 'plain', 'cut'])('an error after the first bytes, %s', (lateError) => {
    beforeEach(() => void (front.lateError = lateError));
    afterEach(() => void (front.lateError = 'tagged'));

    test.each(['JSONEachRow', 'JSONCompactEachRow', 'CSVWithNames', 'Parquet', 'Arrow'] as const)(
      'is an error in %s, not a row',
      async (format) => {
        const result = { rows: '' };
        const error = await failureOf(readInto(result, engine, failsLate(), format));
        const expected = lateError === 'cut' ? ['unavailable', undefined] : ['rejected', 395];
        expect([error.failure, error.engineCode]).toEqual(expected);
        expect(result.rows).not.toMatch(/DB::Exception|__exception__/);
      },
    );

    test('is an error in an engine format, and a value that looks like one is a value', async () => {
      const format = { engine: 'TSV', settings: {} };
      expect(await failureOf(collect(engine, failsLate(), { format }))).toMatchObject({ engineCode: 395 });
      const message = 'Code: 1. DB::Exception: x (version 26.7.2.1 (official build))';
      expect((await collect(engine, statement(`SELECT '${message}' AS x`), { format })).toString()).toBe(
        `${message}\n`,
      );
    });
  });

  test('a reader that stops frees the slot and cancels the statement', async () => {
    const what = statement(LARGE);
    for (let round = 0; round < sizeOf(4, 6); round++) {
      const { chunks } = await engine.run(what, { format: 'JSONEachRow' });
      const reader = chunks[Symbol.asyncIterator]();
      if (round % 2 === 0) await reader.next();
      await reader.return?.();
    }
    expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  });

  test('an abort while rows are read is an error, not an end', async () => {
    const control = new AbortController();
    const what = statement(LARGE);
    const { chunks } = await engine.run(what, { format: 'JSONEachRow', signal: control.signal });
    const reading = failureOf(
      (async () => {
        for await (const _ of chunks) control.abort();
      })(),
    );
    expect((await reading).failure).toBe('aborted');
  });

  test('the server’s read statistics come with the response', async () => {
    const { read, chunks } = await engine.run(statement('SELECT number FROM numbers(7)'), {
      format: 'JSONEachRow',
    });
    for await (const _ of chunks);
    expect(read).toEqual({ rows: 7, bytes: 56 });
  });

  test('a user that may not change an output setting gets an error, not another output', async () => {
    const fixed = open({ connections: 1, queue: 1, ...CONSUMER });
    const format = { engine: 'TSV', settings: { bool_true_representation: 'ja' } };
    const what = statement('SELECT true', { origin: 'consumer' });
    expect(await failureOf(collect(fixed, what, { format }))).toMatchObject({ engineCode: 164 });
    expect((await collect(fixed, what, { format: { ...format, settings: {} } })).toString()).toBe('true\n');
    await fixed.close(0);
  });

  test('what is sent with a statement', async () => {
    const { chunks } = await engine.run(statement('SELECT 1'), {
      format: 'CSVWithNames',
      comment: 'c'.repeat(3000),
    });
    for await (const _ of chunks);
    expect(front.lastSettings()).toMatchObject({
      readonly: '2',
      max_execution_time: String(ROOMY.time),
      max_result_bytes: '50000000',
      result_overflow_mode: 'throw',
      session_timezone: 'UTC',
      cancel_http_readonly_queries_on_client_close: '1',
      log_comment: 'c'.repeat(2000),
    });
    await collect(engine, statement('SELECT 1', { workload: 'reports' }));
    expect(front.lastSettings()).toMatchObject({ workload: 'reports' });
    await collect(engine, statement('SELECT 1', { origin: 'consumer' }));
    expect(front.lastSettings()).not.toHaveProperty('workload');
    expect(Object.values(front.lastSettings()).join()).not.toContain("'=");
    const rowPolicy = { endpoint: 'logs.all', values: { project: "it's é", account: null } };
    await collect(engine, statement('SELECT 1', { origin: 'consumer', rowPolicy }));
    expect(Object.values(front.lastSettings())).toEqual(
      expect.arrayContaining(["'=6C6F67732E616C6C'", "'=6974277320C3A9'", "''"]),
    );
    expect(front.lastSettings()).toMatchObject({ readonly: '1', max_execution_time: String(ROOMY.time) });
    await collect(engine, statement('SELECT 1', { rowPolicy }));
    expect(Object.values(front.lastSettings()).join()).not.toContain("'=");
  });

  test('a user that can change settings but not write suffices for saved queries', async () => {
    const reader = open({ connections: 1, queue: 1, user: 'reader', password: '' });
    const limits = { readRows: 5 };
    expect(await rows(reader, statement('SELECT 1 AS n', { limits }))).toEqual([{ n: 1 }]);
    const over = statement('SELECT sum(number) FROM numbers(1000)', { limits });
    expect((await failureOf(collect(reader, over))).failure).toBe('limit');
    await reader.close(0);
  });

  test('a read-only consumer user is sent no settings, and its profile applies', async () => {
    const separate = open({ connections: 1, queue: 1, consumer: CONSUMER });
    const parts = { origin: 'consumer', parameters: { n: '7' } } as const;
    expect(await rows(separate, statement('SELECT {n:UInt8} AS n', parts))).toEqual([{ n: 7 }]);
    expect(front.lastSettings()).toEqual({});
    const over = statement('SELECT sum(number) FROM numbers(2000)', parts);
    expect((await failureOf(collect(separate, over))).failure).toBe('limit');
    await separate.close(0);
  });

  test('a wrong password is unavailable, with the server’s code', async () => {
    const stranger = open({ connections: 1, queue: 1, password: 'wrong' });
    const error = await failureOf(collect(stranger, statement('SELECT 1')));
    expect([error.failure, error.engineCode]).toEqual(['unavailable', 516]);
    expect((await failureOf(stranger.ping())).failure).toBe('unavailable');
    await stranger.close(0);
  });

  test('a missing server is unavailable, and observed', async () => {
    const unreachable = open({ connections: 1, queue: 1, urls: ['http://127.0.0.1:9'] });
    expect((await failureOf(collect(unreachable, statement('SELECT 1')))).failure).toBe('unavailable');
    expect((await failureOf(unreachable.ping())).failure).toBe('unavailable');
    expect(observed).toContainEqual({ kind: 'engine.connection_dropped', reason: 'unavailable' });
    await unreachable.close(0);
  });

  test('what a failed statement has read is reported', async () => {
    const summary = '{"read_rows":"70","read_bytes":"560"}';
    const error =
      'Code: 241. DB::Exception: too much. (MEMORY_LIMIT_EXCEEDED) (version 25.1.1.1 (official build))\n';
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (data) => {
          const id = /query_id=([\w-]+)/.exec(data.toString())?.[1] ?? '';
          const fields = `X-ClickHouse-Query-Id: ${id}\r\nX-ClickHouse-Summary: ${summary}\r\nX-ClickHouse-Exception-Code: 241\r\n`;
          const isQuery = data.includes('SELECT+1+AS+n') || data.includes('SELECT 1 AS n');
          socket.write(
            isQuery
              ? `HTTP/1.1 500 Internal Server Error\r\n${fields}content-length: ${error.length}\r\n\r\n${error}`
              : 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nOk.\n',
          );
        });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port, so its address is one
    const odd = open({ connections: 1, queue: 1, urls: [`http://127.0.0.1:${port}`] });
    const reads: unknown[] = [];
    const run = odd.run(statement('SELECT 1 AS n'), {
      format: 'JSONEachRow',
      onRead: (each) => void reads.push(each),
    });
    expect((await failureOf(run)).failure).toBe('memory');
    expect(reads).toEqual([{ rows: 70, bytes: 560 }]);
    await odd.close(0);
    server.close();
  });

  test.each([
    { reply: undefined, failure: 'timeout', why: 'that never answers a query' },
    {
      reply: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"n":',
      failure: 'timeout',
      why: 'that stops in the middle',
    },
    {
      reply: 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 4\r\n\r\nOops',
      failure: 'invalid_response',
      why: 'that does not exist',
    },
    { reply: 'SSH-2.0-OpenSSH_9.9\r\n', failure: 'unavailable', why: 'that speaks another protocol' },
    { reply: undefined, ping: undefined, failure: 'unavailable', why: 'that sends no response' },
  ])('a server $why is $failure', async ({ reply, failure, ...rest }) => {
    const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nOk.\n';
    const ping = 'ping' in rest ? rest.ping : ok;
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (data) => {
          const answer = data.includes('/ping') ? ping : data.includes('system.settings') ? ok : reply;
          if (answer !== undefined) socket.write(answer);
        });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // It listens on a port, so its address is one.
    const { port } = server.address() as AddressInfo;
    const odd = open({ connections: 1, queue: 1, urls: [`http://127.0.0.1:${port}`] });
    const time = failure === 'timeout' ? 0.1 : 20;
    const what = statement('SELECT 1 AS n', { limits: { time } });
    expect((await failureOf(collect(odd, what))).failure).toBe(failure);
    await odd.close(0);
    server.close();
  });
});

/** 30 MB of rows, more than all buffers between the server and a reader hold. */
const LARGE = "SELECT repeat('x', 1000) AS n FROM numbers(30000)";

/** Rows of several blocks, then an error. */
function failsLate(): Statement {
  return statement(`SELECT number AS n, throwIf(number = 90000, 'late') AS bad FROM (
    SELECT number FROM numbers(100000) SETTINGS max_block_size = 5000)`);
}

async function readInto(
  result: { rows: string },
  engine: Engine,
  what: Statement,
  format: 'JSONEachRow' | 'JSONCompactEachRow' | 'CSVWithNames' | 'Parquet' | 'Arrow',
): Promise<void> {
  const { chunks } = await engine.run(what, { format });
  for await (const chunk of chunks) result.rows += Buffer.from(chunk).toString('latin1');
}
