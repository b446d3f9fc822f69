// Exports on a whole service: asked for, made, downloaded, cancelled, and only for the key that asked.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { openExportStore } from '../../../src/service/exports/store.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const token = (name: string, more: Partial<Token> = {}): Token => ({
  name,
  sha256: hashKey(name),
  endpoints: ['*'],
  ...more,
});
const TOKENS: readonly Token[] = [
  token('mine', { endpoints: ['locked', 'locked2'], parameters: { project: 'mine' } }),
  token('theirs', { endpoints: ['locked'], parameters: { project: 'theirs' } }),
  token('other'),
];
const head = (n: number, name: string): string =>
  `id: 00000000-0000-4000-8000-0000000000${n}\nname: ${name}\n`;
const ENDPOINTS: Readonly<Record<string, string>> = {
  numbers: `query: SELECT number AS n, toString(number) AS s, toDateTime('2024-01-01 00:00:00') AS t, toUUID('00000000-0000-4000-8000-000000000000') AS u FROM numbers(@n)
parameters: { n: { type: UInt64, default: 10 } }
max_rows: 5
export: { max_rows: 3000000, per_key: 2 }`,
  personal: `query: SELECT number AS n, concat('ann', toString(number), '@example.com') AS mail FROM numbers(30000)
pii: { redact: true }
export: { max_rows: 100000 }`,
  locked: `query: SELECT @project AS project, number AS n FROM numbers(3)
parameters: { project: { type: String, required: true } }
tenancy: { parameter: project }
export: { max_rows: 10000, formats: [csv, ndjson] }`,
  plain: 'query: SELECT 1 AS n',
  failing: 'query: SELECT throwIf(number = 900000) AS n FROM numbers(1000000)\nexport: { max_rows: 1000000 }',
  locked2: `query: SELECT @project AS project
parameters: { project: { type: String, required: true } }
tenancy: { parameter: project }
export: { max_rows: 10000 }`,
  'few.rows': `query: SELECT number AS n FROM numbers(@n)
parameters: { n: { type: UInt64, default: 10 } }
max_rows: 2
export: { max_rows: 1000, formats: [ndjson, parquet] }`,
};
const waitingAt = (gate: Gate): string => `query: SELECT passed AS n FROM ${gate.table}
export: { max_rows: 100000, per_key: 1 }`;

let service: TestService;
let gate: Gate;
beforeAll(async () => {
  gate = await startGate();
  service = await startService({ tokens: TOKENS });
  for (const [index, [name, body]] of Object.entries(ENDPOINTS).entries())
    await writeEndpoint(service, name, `${head(61 + index, name)}${body}\n`);
  await writeEndpoint(service, 'gated', `${head(90, 'gated')}${waitingAt(gate)}\n`);
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await gate.close();
});

type Json = Record<string, unknown>;

async function send(path: string, init: RequestInit & { readonly key?: string } = {}): Promise<Response> {
  const { key, headers, ...rest } = init;
  return service.call(path, {
    ...rest,
    headers: { ...Object(headers), ...(key === undefined ? {} : { 'X-API-KEY': key }) },
  });
}

const ask = (name: string, query = '', init: Parameters<typeof send>[1] = {}): Promise<Response> =>
  send(`/api/endpoints/query/${name}/exports${query}`, { method: 'POST', ...init });

async function documentOf(response: Response): Promise<Json> {
  return (await response.json()) as Json;
}

/** The export once it has ended. */
async function ended(url: string, key?: string): Promise<Json> {
  for (;;) {
    const found = await documentOf(await send(url, key === undefined ? {} : { key }));
    if (found['state'] !== 'waiting' && found['state'] !== 'running') return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function made(name: string, query = '', init: Parameters<typeof send>[1] = {}): Promise<Json> {
  const response = await ask(name, query, init);
  expect([response.status, response.status === 202 ? '' : await response.text()]).toEqual([202, '']);
  return ended(response.headers.get('location') ?? '', init.key);
}

const resultOf = async (found: Json, init: Parameters<typeof send>[1] = {}): Promise<Response> =>
  send(String(found['result']), init);

describe('an export', () => {
  test('has all rows of a call, in each format', async () => {
    const rows = 2_000_000;
    const parquet = await made('numbers', `?n=${rows}`);
    expect(parquet).toMatchObject({
      state: 'finished',
      format: 'parquet',
      to: 'download',
      rows,
      error: null,
    });
    const file = await (await resultOf(parquet)).arrayBuffer();
    expect(file.byteLength).toBe(parquet['bytes']);
    const read = await parquetReadObjects({ file, compressors, rowStart: rows - 1, rowEnd: rows });
    expect(read).toEqual([
      {
        n: 1_999_999n,
        s: '1999999',
        t: new Date('2024-01-01T00:00:00Z'),
        u: '00000000-0000-4000-8000-000000000000',
      },
    ]);
    const ndjson = await made('numbers', '?n=3&format=ndjson');
    const call = await (await service.call('/api/endpoints/query/numbers?n=3&format=ndjson')).text();
    expect(await (await resultOf(ndjson)).text()).toBe(call);
    const csv = await made('numbers', '?n=3&format=csv');
    expect(await (await resultOf(csv)).text()).toBe(
      await (await service.call('/api/endpoints/query/numbers?n=3&format=csv')).text(),
    );
    const none = await made('numbers', '?n=0&format=csv');
    expect(await (await resultOf(none)).text()).toBe('n,s,t,u\r\n');
    expect(await made('numbers', '?n=100000&format=arrow')).toMatchObject({
      state: 'finished',
      rows: 100_000,
    });
  }, 60_000);

  test('is redacted as a call is', async () => {
    for (const format of ['csv', 'ndjson']) {
      const text = await (await resultOf(await made('personal', `?format=${format}`))).text();
      const call = await (await service.call(`/api/endpoints/query/personal?format=${format}`)).text();
      expect(text.startsWith(call)).toBe(true);
      expect(text.split('\n').length).toBeGreaterThan(30_000);
      expect(text).not.toContain('@example.com');
    }
  });

  test('fails if it has more rows than it may have, and leaves nothing', async () => {
    for (const format of ['ndjson', 'parquet']) {
      expect(await made('few.rows', `?n=1000&format=${format}`)).toMatchObject({
        state: 'finished',
        rows: 1000,
      });
      const found = await made('few.rows', `?n=1001&format=${format}`);
      expect(found).toMatchObject({
        state: 'failed',
        result: null,
        error: { code: 'export.too_many_rows', detail: 'The result has more than 1000 rows' },
      });
      expect((await files()).filter((name) => name.startsWith(String(found['id'])))).toEqual([
        `${String(found['id'])}.json`,
      ]);
      expect((await send(`${String(found['url'])}/result`)).status).toBe(422);
    }
  });

  test('fails if its query fails', async () => {
    const failing = await made('failing');
    expect(failing).toMatchObject({ state: 'failed', rows: 0, error: { code: 'endpoint.failed' } });
    expect(JSON.stringify(failing)).not.toContain('throwIf');
    expect(
      (await files()).filter((name) => !name.endsWith('.json') && name.startsWith(String(failing['id']))),
    ).toEqual([]);
  });
});

describe('requests', () => {
  test.each([
    ['plain', '', 400, 'export.unavailable'],
    ['locked', '?project=x', 406, 'format.not_acceptable'],
    ['numbers', '?n=x', 400, 'request.parameters_invalid'],
    ['numbers', '?export_to=s3', 400, 'request.parameters_invalid'],
    ['numbers', '?format=json', 406, 'format.not_acceptable'],
    ['numbers', '?format=xml', 400, 'request.parameters_invalid'],
    ['numbers', '?sql=SELECT+1', 400, 'sandbox.disabled'],
    ['personal', '', 406, 'format.not_acceptable'],
    ['nothing', '', 404, 'route.endpoint_unknown'],
  ])('%s%s gets %i %s', async (name, query, status, code) => {
    const response = await ask(name, query);
    expect([response.status, (await documentOf(response))['code']]).toEqual([status, code]);
  });

  test('without a key, or with an unknown one, get 401', async () => {
    expect((await ask('numbers', '', { key: 'unknown' })).status).toBe(401);
  });

  test('with the same Idempotency-Key are one export', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const [first, second] = await Promise.all([
      ask('numbers', '?n=7', { headers }),
      ask('numbers', '?n=7', { headers }),
    ]);
    const [one, two] = [await documentOf(first), await documentOf(second)];
    expect(two['id']).toBe(one['id']);
    expect((await made('numbers', '?n=7', { headers }))['id']).toBe(one['id']);
    expect(await documentOf(await ask('numbers', '?n=8', { headers }))).toMatchObject({
      status: 422,
      code: 'export.key_reused',
    });
    expect((await made('numbers', '?n=7', { headers, key: 'other' }))['id']).not.toBe(one['id']);
  });
});

describe('the result', () => {
  test('is sent in whole or in part', async () => {
    const found = await made('numbers', '?n=100&format=ndjson');
    const whole = await resultOf(found);
    const text = await whole.text();
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      etag: `"${String(found['id'])}"`,
      'accept-ranges': 'bytes',
      'content-length': String(text.length),
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="numbers-\d{4}-\d\d-\d\d\.ndjson"$/,
      ),
    });
    const etag = `"${String(found['id'])}"`;
    const rows: readonly (readonly [
      headers: Record<string, string>,
      status: number,
      body: string,
      range?: string,
    ])[] = [
      [{ Range: 'bytes=0-9' }, 206, text.slice(0, 10), `bytes 0-9/${text.length}`],
      [{ Range: 'bytes=10-' }, 206, text.slice(10), `bytes 10-${text.length - 1}/${text.length}`],
      [
        { Range: 'bytes=-5' },
        206,
        text.slice(-5),
        `bytes ${text.length - 5}-${text.length - 1}/${text.length}`,
      ],
      [{ Range: 'bytes=0-9', 'If-Range': etag }, 206, text.slice(0, 10), `bytes 0-9/${text.length}`],
      [{ Range: 'bytes=0-9', 'If-Range': '"another"' }, 200, text],
      [{ Range: 'bytes=0-1,3-4' }, 200, text],
      [{ 'If-None-Match': etag }, 304, ''],
    ];
    for (const [headers, status, body, range] of rows) {
      const response = await resultOf(found, { headers });
      expect([
        headers,
        response.status,
        await response.text(),
        response.headers.get('content-range'),
      ]).toEqual([headers, status, body, range ?? null]);
    }
    const outside = await resultOf(found, { headers: { Range: `bytes=${text.length}-` } });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${text.length}`]);
    const only = await resultOf(found, { method: 'HEAD' });
    expect([only.status, only.headers.get('content-length'), await only.text()]).toEqual([
      200,
      String(text.length),
      '',
    ]);
  });

  test('and the export are those of the key with its locked values alone', async () => {
    const mine = await made('locked', '?format=csv', { key: 'mine' });
    expect(await (await resultOf(mine, { key: 'mine' })).text()).toContain('mine,0');
    const list = await documentOf(await send('/api/endpoints/query/locked/exports', { key: 'mine' }));
    expect(list).toEqual({ result: [expect.objectContaining({ id: mine['id'] })] });
    for (const key of ['theirs', 'other', undefined]) {
      const as = key === undefined ? {} : { key };
      for (const path of [mine['url'], mine['result']])
        expect((await send(String(path), as)).status).toBe(404);
      expect((await send(String(mine['url']), { ...as, method: 'DELETE' })).status).toBe(404);
      expect(await documentOf(await send('/api/endpoints/query/locked/exports', as))).toEqual({ result: [] });
    }
    expect((await send(String(mine['url']).replace('/locked/', '/locked2/'), { key: 'mine' })).status).toBe(
      404,
    );
    expect((await send(String(mine['url']), { key: 'mine', method: 'DELETE' })).status).toBe(204);
    expect((await send(String(mine['url']), { key: 'mine' })).status).toBe(404);
    expect((await files()).filter((name) => name.startsWith(String(mine['id'])))).toEqual([]);
  });
});

describe('an export that waits or runs', () => {
  test('takes no connection of calls, is one of few, and can be cancelled', async () => {
    gate.shut();
    const before = gate.arrived();
    const running = await documentOf(await ask('gated', '?format=csv'));
    await gate.reached(before + 1);
    expect(await documentOf(await ask('gated'))).toMatchObject({ status: 429, code: 'export.too_many' });
    const waiting = await documentOf(await ask('gated', '', { key: 'other' }));
    expect(await documentOf(await send(String(waiting['url']), { key: 'other' }))).toMatchObject({
      state: 'waiting',
      started: null,
    });
    expect((await send(`${String(running['url'])}/result`)).status).toBe(409);
    expect(service.engine.load().running).toBe(0);
    expect(await (await fetch(`${service.service.admin}/metrics`)).text()).toMatch(
      /millrace_exports\{state="waiting"\} 1\n[^]*millrace_exports\{state="running"\} 1\n|millrace_exports\{state="running"\} 1\n[^]*millrace_exports\{state="waiting"\} 1\n/,
    );
    expect((await send(String(running['url']), { method: 'DELETE' })).status).toBe(204);
    expect(await ended(String(running['url']))).toMatchObject({
      state: 'canceled',
      error: { code: 'export.canceled' },
    });
    gate.open();
    expect(await ended(String(waiting['url']), 'other')).toMatchObject({ state: 'finished', rows: 1 });
  });

  test('starts again when the rules of its data change, and fails if it is no longer allowed', async () => {
    gate.shut();
    const before = gate.arrived();
    const running = await documentOf(await ask('gated', '?format=csv'));
    await gate.reached(before + 1);
    await writeEndpoint(
      service,
      'open',
      `${head(91, 'open')}query: WITH t AS (SELECT name FROM system.one_more) SELECT 1 AS n\nsandbox: { enabled: true }\n`,
    );
    const reloaded = service.service.reload();
    gate.open();
    await reloaded;
    expect(await ended(String(running['url']))).toMatchObject({ state: 'finished', rows: 1 });
  });
});

test('a restart of the service keeps what is whole, and fails what was not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-exports-'));
  try {
    const base = {
      owner: 'o',
      principal: 'p',
      endpoint: 'e',
      revision: 'r',
      isRedacted: false,
      format: 'csv',
      place: 'download',
      request: 'q',
      created: 1,
      keep: 60,
      rows: 1,
      bytes: 3,
    } as const;
    const write = (id: string, more: object): Promise<void> =>
      writeFile(join(folder, `${id}.json`), JSON.stringify({ ...base, id, ...more }));
    await write('whole', { state: 'finished', finished: 5 });
    await write('cut', { state: 'finished', finished: 5 });
    await write('ran', { state: 'running' });
    await writeFile(join(folder, 'broken.json'), '{');
    for (const [name, text] of Object.entries({
      'whole.csv': 'abc',
      'cut.csv': 'ab',
      'ran.part': 'ab',
      'ran.csv': 'abc',
      'other.csv': '',
    }))
      await writeFile(join(folder, name), text);
    const { found } = await openExportStore(folder, () => 9);
    expect(found.map(({ id, state, failure }) => `${id} ${state} ${failure?.code ?? ''}`).toSorted()).toEqual(
      ['cut failed export.interrupted', 'ran failed export.interrupted', 'whole finished '],
    );
    expect((await readdir(folder)).toSorted()).toEqual(['cut.json', 'ran.json', 'whole.csv', 'whole.json']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('exports end when the service closes: what ran has failed', async () => {
  const own = await startService({
    settings: { exports: { places: 1, disk: 3000, time: 60, workload: undefined, s3: undefined } },
  });
  const wait = await startGate();
  try {
    await writeEndpoint(own, 'gated', `${head(92, 'gated')}${waitingAt(wait)}\n`);
    await writeEndpoint(own, 'numbers', `${head(93, 'numbers')}${ENDPOINTS['numbers'] ?? ''}\n`);
    await own.service.reload();
    const post = async (path: string): Promise<Json> =>
      documentOf(await own.call(`/api/endpoints/query/${path}`, { method: 'POST' }));
    const large = await post('numbers/exports?n=2000000&format=ndjson');
    for (;;) {
      const found = await documentOf(await own.call(String(large['url'])));
      if (found['state'] === 'failed') {
        expect(found).toMatchObject({ bytes: 0, error: { code: 'export.disk_full' } });
        break;
      }
    }
    const running = await post('gated/exports');
    await wait.reached(1);
    await own.service.close('test');
    const state = JSON.parse(
      await readFile(join(own.settings.data, 'exports', `${String(running['id'])}.json`), 'utf8'),
    ) as Json;
    expect(state).toMatchObject({ state: 'failed', failure: { code: 'export.interrupted' } });
  } finally {
    await own.stop();
    await wait.close();
  }
});

const files = (): Promise<string[]> => readdir(join(service.settings.data, 'exports'));
