// MCP over HTTP as a client sees it: the methods of the protocol in both of its forms, who may call, and what is refused.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../../src/service/auth/keyring.ts';
import type { Finished } from '../../../../src/sql/base/observation.ts';
import { eventually } from '../../../support/eventually.ts';
import { startService, writeEndpoint, type TestService } from '../../../support/service.ts';
import { createSender, modern, MODERN, type Sender } from './http-client.ts';

const LIMITED = 'a-key-with-a-rate-limit';
const ISSUER = 'https://login.example.com';

let folder: string;
let service: TestService;
let send: Sender;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-mcp-'));
  await writeFile(join(folder, 'tokens.yaml'), 'tokens: []\n');
  service = await startService({
    tokens: [{ name: 'limited', sha256: hashKey(LIMITED), endpoints: ['*'], rate: '2/min' }],
    settings: {
      corsOrigins: ['https://pages.example.com'],
      tokens: join(folder, 'tokens.yaml'),
      jwt: {
        issuer: ISSUER,
        audience: 'millrace',
        jwksUrl: 'http://127.0.0.1:1/keys',
        algorithms: ['RS256'],
        claim: 'millrace',
        skewSeconds: 60,
      },
    },
  });
  const saved = (id: number, name: string, query: string, more = ''): Promise<void> =>
    writeEndpoint(
      service,
      name,
      `id: 00000000-0000-4000-8000-0000000000${id}\nname: ${name}\ndescription: Test rows.\nquery: "${query}"\n${more}`,
    );
  await saved(41, 'kept', 'SELECT number AS n FROM numbers(3)', 'cache: { ttl: 3600 }\n');
  await saved(42, 'slow', 'SELECT sleepEachRow(0.5) AS s FROM numbers(5) SETTINGS max_block_size = 1');
  const events =
    'WITH events AS (SELECT now() - number AS timestamp FROM numbers(9)) SELECT timestamp FROM events';
  await saved(43, 'open', events, 'sandbox: { enabled: true }\n');
  await service.service.reload();
  send = createSender(service.service.address);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const call = (name: string, args: object = {}, meta?: object): object => ({
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

function finished(route = '/mcp'): Finished[] {
  return service.observed.filter(
    (each): each is Finished => each.kind === 'request.finished' && each.route === route,
  );
}

describe('methods', () => {
  test('initialize names the server; a notification is accepted', async () => {
    const initialize = await send({
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'Visual Studio Code', version: '1' },
      },
    });
    expect(initialize).toMatchObject({
      status: 200,
      body: { result: { protocolVersion: '2025-11-25', serverInfo: { name: 'millrace' } } },
    });
    expect(initialize.headers.get('mcp-session-id')).toBeNull();
    expect(finished().at(-1)).toMatchObject({ clientName: 'vscode', principal: 'everything' });
    const initialized = await send({ method: 'notifications/initialized', id: undefined });
    expect([initialized.status, initialized.text]).toEqual([202, '']);
  });

  test('lists tools and calls one', async () => {
    const { body } = await send({ method: 'tools/list' });
    expect(JSON.stringify(body)).toContain('"name":"kept"');
    const answer = await send(call('kept'));
    expect(answer.body).toMatchObject({
      id: 1,
      result: { structuredContent: { rows: [{ n: 0 }, { n: 1 }, { n: 2 }] } },
    });
    await eventually(() => expect(finished().at(-1)).toMatchObject({ endpoint: 'kept', rows: 3 }));
  });

  test('lists and reads resources and prompts, and completes arguments', async () => {
    const ask = async (method: string, params: object = {}): Promise<unknown> =>
      (await send({ method, params })).body?.['result'];
    expect(await ask('resources/templates/list')).toMatchObject({
      resourceTemplates: [{ name: 'endpoint' }, {}],
    });
    const { resources } = (await ask('resources/list')) as { resources: { uri: string }[] }; // of the protocol
    const uri = 'millrace://endpoints/kept';
    expect(resources.map((each) => each.uri)).toContain(uri);
    expect(await ask('resources/read', { uri })).toMatchObject({
      contents: [{ uri, text: expect.stringContaining('kept') }],
    });
    expect((await send({ method: 'resources/read', params: { uri: `${uri}s` } })).body).toMatchObject({
      error: {},
    });
    expect(await ask('prompts/list')).toMatchObject({ prompts: [{ name: 'investigate_errors' }, {}] });
    expect(await ask('prompts/get', { name: 'investigate_errors' })).toMatchObject({
      messages: [{ role: 'user' }],
    });
    expect((await send({ method: 'prompts/get', params: { name: 'nothing' } })).body).toMatchObject({
      error: { code: -32602 },
    });
    const ref = { type: 'ref/resource', uri: 'millrace://endpoints/{endpoint}' };
    const completed = await ask('completion/complete', { ref, argument: { name: 'endpoint', value: 'kep' } });
    expect(completed).toMatchObject({ completion: { values: ['kept'] } });
  });

  test('the revision 2026-07-28 needs no initialization', async () => {
    const discovered = await send(...modern('server/discover', {}));
    expect(discovered.body).toMatchObject({ result: { supportedVersions: [MODERN] } });
    const answer = await send(...modern('tools/call', { name: 'kept', arguments: {} }));
    expect(answer.body).toMatchObject({
      result: { resultType: 'complete', structuredContent: { row_count: 3 } },
    });
    expect(finished().at(-1)).toMatchObject({ clientName: 'inspector' });
  });

  test('an unknown tool is an error of the protocol, a failing call a result', async () => {
    expect((await send(call('nothing'))).body).toMatchObject({ error: { code: -32602 } });
    const failed = await send(call('kept', { unknown: 1 }));
    expect(failed.body).toMatchObject({ result: { isError: true } });
    expect(failed.text).toContain('request.parameters_invalid');
    expect(finished().at(-1)).toMatchObject({ status: 200, code: 'request.parameters_invalid' });
  });

  test('a repeated call is repeated with its own id, until the endpoint changes', async () => {
    const [first, second] = [await send(call('kept')), await send({ ...call('kept'), id: 'two' })];
    expect(second.body).toEqual({ ...first.body, id: 'two' });
    expect(finished().at(-1)).toMatchObject({ endpoint: 'kept', cache: 'hit', rows: 3 });
    await writeEndpoint(
      service,
      'kept',
      'id: 00000000-0000-4000-8000-000000000041\nname: kept\nquery: SELECT 7 AS n\ncache: { ttl: 3600 }\n',
    );
    await service.service.reload();
    expect((await send(call('kept'))).body).toMatchObject({
      result: { structuredContent: { rows: [{ n: 7 }] } },
    });
  });
});

describe('keys', () => {
  test.each([
    [
      'no key',
      { Authorization: '' },
      'auth.missing',
      /^Bearer realm="millrace", resource_metadata="([^"]+)"$/,
    ],
    [
      'a wrong key',
      { Authorization: 'Bearer no' },
      'auth.invalid',
      /error="invalid_token".* resource_metadata="([^"]+)"$/,
    ],
    ['a cookie', { Authorization: '', Cookie: 'key=a-key-for-everything' }, 'auth.missing', /"([^"]+)"$/],
  ])('%s: 401 and where to get one', async (_, headers, code, challenge) => {
    const answer = await send({ method: 'tools/list' }, headers);
    expect(answer).toMatchObject({ status: 401, body: { id: null, error: { data: { code } } } });
    const [, metadata = ''] = challenge.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
    const document = await fetch(metadata);
    expect(await document.json()).toMatchObject({
      resource: `${service.service.address}/mcp`,
      authorization_servers: [ISSUER],
    });
  });

  test('the metadata has the address that a proxy reports', async () => {
    const url = `${service.service.address}/.well-known/oauth-protected-resource`;
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'api.example.com' };
    expect(await (await fetch(url, { headers })).json()).toMatchObject({
      resource: 'https://api.example.com',
    });
    expect((await fetch(url, { headers: { 'X-Forwarded-Host': 'a b' } })).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  test('X-API-KEY counts too', async () => {
    const answer = await send({ method: 'ping' }, { Authorization: '', 'X-API-KEY': 'a-key-for-everything' });
    expect(answer.body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('a key that is revoked between two requests is refused at the second', async () => {
    const key = 'a-key-that-is-revoked';
    const tokens = (text: string): Promise<void> => writeFile(join(folder, 'tokens.yaml'), text);
    await tokens(`tokens:\n  - { name: gone, sha256: ${hashKey(key)}, endpoints: ['*'] }\n`);
    await service.service.reload();
    const headers = { Authorization: `Bearer ${key}` };
    expect((await send(call('kept'), headers)).status).toBe(200);
    expect((await send(call('kept'), headers)).status).toBe(200);
    await tokens('tokens: []\n');
    await service.service.reload();
    expect((await send(call('kept'), headers)).status).toBe(401);
  });

  test('lists and calls count against the rate limit; a session does not', async () => {
    const headers = { Authorization: `Bearer ${LIMITED}` };
    expect((await send({ method: 'ping' }, headers)).status).toBe(200);
    const first = await send({ method: 'tools/list' }, headers);
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('r=1')]);
    expect((await send(call('kept'), headers)).body).toMatchObject({ result: { structuredContent: {} } });
    const failed = await send(call('kept'), headers);
    expect(failed.text).toContain('rate.exceeded');
    expect(failed.headers.get('ratelimit')).toContain('r=0');
    expect((await send({ method: 'tools/list' }, headers)).body).toMatchObject({
      error: { data: { code: 'rate.exceeded', retry_after: expect.any(Number) } },
    });
  });
});

describe('refused', () => {
  const list = { method: 'tools/list' };
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  test.each([
    [
      'an origin that is not allowed',
      list,
      { Origin: 'https://evil.example.com' },
      [403, 'route.origin_denied'],
    ],
    ['no origin at all', list, { Origin: 'null' }, [403, 'route.origin_denied']],
    ['another type', list, { 'Content-Type': 'text/plain' }, [415, 'request.body_type_unsupported']],
    ['Accept without JSON', list, { Accept: 'text/html' }, [406, 'format.not_acceptable']],
    ['no JSON', '{', {}, [400, 'request.body_invalid']],
    ['nothing', '', {}, [400, 'request.body_invalid']],
    ['deep JSON', deep, {}, [400, 'request.body_invalid']],
    ['a large body', `"${'x'.repeat(1_100_000)}"`, {}, [413, 'request.body_too_large']],
    [
      'an array since 2025-06-18',
      [list],
      { 'MCP-Protocol-Version': '2025-06-18' },
      [400, 'request.body_invalid'],
    ],
    ['a long array', Array.from({ length: 21 }, () => list), {}, [400, 'request.body_invalid']],
  ])('%s', async (_, body, headers, [status, code]) => {
    const answer = await send(body, headers);
    expect(answer).toMatchObject({ status, body: { jsonrpc: '2.0', id: null, error: { data: { code } } } });
  });

  test.each([
    ['an unknown revision', list, { 'MCP-Protocol-Version': '1999-01-01' }],
    ['no JSON-RPC', { method: undefined }, {}],
    ['an array of nothing', '[]', {}],
    [
      'a header that contradicts the body',
      modern('tools/call', { name: 'kept' })[0],
      { 'MCP-Protocol-Version': '2025-11-25' },
    ],
  ])('%s', async (_, body, headers) => {
    expect(await send(body, headers)).toMatchObject({ status: 400, body: { error: {} } });
  });

  test('streams without a request', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await service.call('/mcp', { method, headers: { Accept: 'text/event-stream' } });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    }
    const listen = await send(...modern('subscriptions/listen', { notifications: {} }));
    expect(listen).toMatchObject({ status: 404, body: { id: 1, error: { code: -32601 } } });
    const [message, fields] = modern('subscriptions/listen', { notifications: {} });
    const notified = await send(JSON.stringify({ jsonrpc: '2.0', ...message }), fields);
    expect(notified).toMatchObject({ status: 202, text: '' });
  });

  test('not: an allowed origin, the own origin, any host name, Accept: */*, an array of 2025-03-26', async () => {
    for (const headers of [
      { Origin: 'https://pages.example.com' },
      { Origin: service.service.address },
      { 'X-Forwarded-Host': 'other.example.com' },
      { Accept: '*/*' },
    ])
      expect((await send(list, headers)).status).toBe(200);
    const two = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    expect((await send(JSON.stringify(two))).body).toEqual(
      two.map(({ id }) => ({ jsonrpc: '2.0', id, result: {} })),
    );
  });
});

describe('calls that take long', () => {
  test('progress is notified to a client that asks for it', async () => {
    for (const sending of [
      send(call('slow', {}, { progressToken: 'p' })),
      send(...modern('tools/call', { name: 'slow', arguments: {} }, { progressToken: 'p' })),
    ]) {
      const answer = await sending;
      expect(answer.headers.get('content-type')).toBe('text/event-stream');
      const events = answer.text.split('\n').filter((line) => line.startsWith('data: '));
      const [first, ...others] = events.map((line) => JSON.parse(line.slice('data: '.length)) as object);
      expect(first).toMatchObject({
        method: 'notifications/progress',
        params: { progressToken: 'p', progress: 1 },
      });
      expect(others.at(-1)).toMatchObject({ result: { structuredContent: { row_count: 5 } } });
    }
  });

  test('a client that cannot read events gets JSON', async () => {
    const answer = await send(call('slow', {}, { progressToken: 'p' }), { Accept: 'application/json' });
    expect(answer.body).toMatchObject({ id: 1, result: {} });
  });

  test.each([
    ['before a stream', undefined],
    ['in a stream', { progressToken: 1 }],
  ])('a client that disconnects %s ends its query', async (_, meta) => {
    const before = finished().length;
    const { hostname, port } = new URL(service.service.address);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call('slow', {}, meta) });
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: x\r\nX-API-KEY: a-key-for-everything\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await eventually(() => expect(service.engine.load().running).toBe(1));
    socket.destroy();
    await eventually(() =>
      expect([service.engine.load().running, finished().length]).toEqual([0, before + 1]),
    );
    expect(finished().at(-1)).toMatchObject({ endpoint: 'slow' });
  });

  test('calls that are running when the service stops are answered', async () => {
    const calls = [send(call('slow')), send(call('slow', {}, { progressToken: 1 }))];
    await eventually(() => expect(service.engine.load().running).toBe(2));
    await service.service.close('test');
    for (const answer of await Promise.all(calls)) expect(answer.text).toContain('"row_count":5');
  });
});
