// The admin listener and browsers: pages of other sites can neither read nor change anything through it.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ settings: { adminNames: ['127.0.0.1', 'Metrics.example.svc'] } });
  await writeEndpoint(
    service,
    'kept',
    'id: 00000000-0000-4000-8000-000000000091\nname: kept\nquery: SELECT generateUUIDv4() AS run\ncache: { ttl: 600 }\n',
  );
  await service.service.reload();
});
afterAll(() => service.stop());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly fields: readonly string[];
  readonly version?: string;
}

/** Status and body; header fields are sent as they are, Host among them. */
function send({ method = 'GET', path = '/metrics', fields, version = '1.1' }: Sent): Promise<string> {
  const { hostname, port } = new URL(service.service.admin);
  return new Promise((resolve, reject) => {
    const lines = [`${method} ${path} HTTP/${version}`, ...fields, 'Connection: close', 'Content-Length: 0'];
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

describe('Host', () => {
  test.each([
    { host: '127.0.0.1:4001', why: 'an address with a port' },
    { host: '10.42.7.19:4001', why: 'the address of a pod, as Prometheus sends it' },
    { host: '[::1]:4001', why: 'an IPv6 address' },
    { host: 'LOCALHOST:4001', why: 'localhost' },
    { host: 'localhost.', why: 'localhost under the root' },
    { host: 'metrics.example.svc:4001', why: 'a name of the settings' },
  ])('$host is answered: $why', async ({ host }) => {
    expect(statusOf(await send({ fields: [`Host: ${host}`] }))).toBe(200);
  });

  test.each([
    { host: 'evil.example', why: 'a foreign name' },
    { host: 'localhost.evil.example:4001', why: 'one that begins like ours' },
    { host: 'evil-localhost', why: 'one that ends like ours' },
    { host: '127.0.0.1.evil.example', why: 'one that begins like an address' },
    { host: 'localhost@evil.example', why: 'a name after a user part' },
    { host: 'localhost/x', why: 'more than a host' },
    { host: '', why: 'nothing' },
    { host: 'localhost '.repeat(20_000), why: 'something long' },
  ])('a host is rejected that is $why', async ({ host }) => {
    for (const path of ['/metrics', '/config', '/cache/purge', '/nothing'])
      for (const method of ['GET', 'POST']) {
        const answer = await send({ method, path, fields: [`Host: ${host}`] });
        expect(answer).not.toContain('millrace_');
        if (host.length < 1000) {
          expect(statusOf(answer)).toBe(403);
          expect(answer).toContain('"code":"route.host_unknown"');
        }
      }
  });

  test('is required', async () => {
    expect(statusOf(await send({ fields: [], version: '1.0' }))).toBe(403);
  });
});

describe('purging', () => {
  const HOST = 'Host: 127.0.0.1:4001';
  const run = async (): Promise<string> => (await service.call('/api/endpoints/query/kept')).text();
  const purge = (fields: readonly string[]): Promise<string> =>
    send({ method: 'POST', path: '/cache/purge?endpoint=kept', fields: [HOST, ...fields] });

  test.each([
    { why: 'a page of another site', fields: ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site'] },
    { why: 'one in an old browser', fields: ['Origin: https://evil.example'] },
    { why: 'one with an opaque origin', fields: ['Origin: null'] },
    { why: 'one on another port', fields: ['Origin: http://127.0.0.1:3000', 'Sec-Fetch-Site: same-site'] },
    { why: 'a browser that hides its origin', fields: ['Sec-Fetch-Site: cross-site'] },
    { why: 'an invalid origin', fields: ['Origin: 127.0.0.1:4001'] },
  ])('is denied to $why', async ({ fields }) => {
    const before = await run();
    const answer = await purge(fields);
    expect([statusOf(answer), answer]).toEqual([403, expect.stringContaining('"code":"route.cross_site"')]);
    expect(await run()).toBe(before);
  });

  test.each([
    { why: 'a program', fields: [] },
    { why: 'its own origin', fields: ['Origin: http://127.0.0.1:4001', 'Sec-Fetch-Site: same-origin'] },
    { why: 'a person', fields: ['Sec-Fetch-Site: none'] },
  ])('is allowed for $why', async ({ fields }) => {
    const before = await run();
    expect(statusOf(await purge(fields))).toBe(200);
    expect(await run()).not.toBe(before);
  });
});

test('its responses forbid content sniffing and embedding', async () => {
  const response = await fetch(`${service.service.admin}/config`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
});
