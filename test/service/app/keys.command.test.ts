// Keys in a running service: rotated without rejections, revoked immediately, counted, and an issuer's tokens.
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readUses } from '../../../src/service/app/keys.ts';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { run } from '../../support/command.ts';
import { openLive } from '../../support/live-client.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let service: TestService;
let issuer: Server;
let tokens: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-keys-'));
  tokens = join(folder, 'tokens.yaml');
  await writeFile(
    tokens,
    `tokens:\n  - name: dash\n    sha256: ${hashKey('first')}\n    endpoints: [kept]\n`,
  );
  issuer = createServer((_request, response) => {
    response.end(
      JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] }),
    );
  });
  await new Promise<void>((ready) => issuer.listen(0, '127.0.0.1', ready));
  const address = issuer.address();
  const jwksUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  const jwt = {
    issuer: 'https://id.example.com',
    audience: 'millrace',
    jwksUrl,
    algorithms: ['RS256'],
    claim: 'millrace',
    skewSeconds: 30,
  };
  service = await startService({ settings: { tokens, jwt } });
  await writeEndpoint(
    service,
    'kept',
    'id: 00000000-0000-4000-8000-000000000071\nname: kept\nquery: SELECT @project AS project\nparameters: { project: { type: String, default: none } }\ncache: { ttl: 60 }\n',
  );
  await writeEndpoint(
    service,
    'live',
    'id: 00000000-0000-4000-8000-000000000072\nname: live\nquery: SELECT 1 AS one\nlive: { every: 1 }\n',
  );
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  issuer.close();
});

const ask = (key: string, query = ''): Promise<Response> =>
  service.call(`/api/endpoints/query/kept${query}`, { headers: { Authorization: `Bearer ${key}` } });

test('a key is rotated under load without rejections', async () => {
  const statuses: number[] = [];
  let stopped = false;
  const callers = ['first', 'first'].map(async (key) => {
    while (!stopped) statuses.push((await ask(key)).status);
  });
  const { out } = await run(['token', 'rotate', 'dash', '--tokens', tokens, '--keep', '1h']);
  await expect.poll(async () => (await ask(out.trim())).status).toBe(200);
  const after = statuses.length;
  await expect.poll(() => statuses.length).toBeGreaterThan(after + 50);
  stopped = true;
  await Promise.all(callers);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('a revoked key is rejected, also for responses that it just received', async () => {
  const { out } = await run(['token', 'create', 'brief', '--tokens', tokens]);
  const key = out.trim();
  await expect.poll(async () => (await ask(key)).status).toBe(200);
  expect((await ask(key)).status).toBe(200);
  await run(['token', 'revoke', 'brief', '--tokens', tokens]);
  await expect.poll(async () => (await ask(key)).status).toBe(401);
});

/** A token of the issuer. It expires in `seconds`, plus the 30 that clocks may differ. */
function token(millrace: object, { sub = 'customer', seconds = 600 } = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'https://id.example.com',
    aud: 'millrace',
    sub,
    iat: now - 60,
    exp: now + seconds,
    millrace,
  };
  const text = [{ alg: 'RS256', kid: 'k' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

test('a token of the issuer is a key: its locks and limits apply', async () => {
  const locked = token({ endpoints: ['*'], parameters: { project: 'abc' }, rate: '2/min' });
  expect(await (await ask(locked)).json()).toEqual({ result: [{ project: 'abc' }] });
  expect((await ask(locked, '?project=other')).status).toBe(403);
  expect((await ask(locked)).status).toBe(429);
  expect((await ask(token({ endpoints: ['other'] }, { sub: 'b' }))).status).toBe(403);
  const unfit = await ask(token({ endpoints: 'all' }, { sub: 'c' }));
  expect([unfit.status, await unfit.json()]).toMatchObject([
    401,
    { code: 'auth.invalid', detail: 'The claim millrace.endpoints: expected a list, found "all"' },
  ]);
});

test('tokens of one subject with rates of different windows do not end each other’s windows', async () => {
  const grant = { endpoints: ['*'] };
  const [hourly, brief] = ['3/h', '100/s'].map((rate) => token({ ...grant, rate }, { sub: 'rates' }));
  expect((await ask(brief ?? '')).headers.get('ratelimit')).toBe('"key";r=99;t=1');
  expect((await ask(hourly ?? '')).headers.get('ratelimit')).toBe('"key";r=2;t=3600');
});

test('a stream ends when the token of the issuer expires', async () => {
  const url = `${service.service.address}/api/endpoints/query/live`;
  const brief = token({ endpoints: ['*'] }, { sub: 'brief', seconds: -26 });
  const client = await openLive(url, { headers: { Authorization: `Bearer ${brief}` } });
  await expect.poll(() => client.isEnded()).toBe(true);
  expect(client.events.map(({ event }) => event)).toEqual(['result', 'end']);
  expect(client.events.at(-1)).toMatchObject({ data: { reason: 'key' } });
});

test('uses are counted, and shown once the service has stored them', async () => {
  for (const path of ['/api/endpoints', '/openapi.json', '/api/endpoints/explain/logs.all?sql=SELECT%201'])
    await service.call(path);
  await service.service.close('test');
  const uses = await readUses(service.settings);
  expect(uses.get('key:dash')?.uses).toBeGreaterThan(50);
  expect([...uses.keys()].filter((id) => !id.startsWith('key:'))).toEqual([]); // subjects of an issuer are not bounded
  expect(uses.get('key:everything')?.uses).toBe(3);
  const { out } = await run([
    'token',
    'list',
    '--format',
    'json',
    '--tokens',
    tokens,
    '--data',
    service.settings.data,
  ]);
  const listed = JSON.parse(out) as { tokens: { name: string; uses: number; last_use: string }[] };
  expect(listed.tokens).toMatchObject([
    { name: 'dash', uses: uses.get('key:dash')?.uses, last_use: expect.stringMatching(/^2.*Z$/) as string },
  ]);
  await writeFile(join(service.settings.data, 'token-use.json'), 'invalid');
  expect(await readUses(service.settings)).toEqual(new Map());
  expect(await readFile(tokens, 'utf8')).not.toContain('uses');
});
