// What development mode shows to callers, and production does not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const BROKEN =
  'id: 00000000-0000-4000-8000-000000000095\nname: broken\nquery: SELECT throwIf(@n = 1, $$a message of the engine$$) AS x\nparameters: { n: { type: UInt8, required: true } }\n';
let development: TestService;
let production: TestService;

beforeAll(async () => {
  development = await startService({ isDevelopment: true });
  production = await startService();
  for (const service of [development, production]) {
    await writeEndpoint(service, 'broken', BROKEN);
    await service.service.reload();
  }
});
afterAll(() => Promise.all([development.stop(), production.stop()]));

test('callers get the engine’s message of a failed saved query in development only', async () => {
  const problem = async ({ call }: TestService) => {
    const response = await call('/api/endpoints/query/broken?n=1');
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    return [response.status, code, detail];
  };
  expect(await problem(development)).toEqual([
    500,
    'endpoint.failed',
    expect.stringMatching(/^The saved query of this endpoint failed: .*a message of the engine/s),
  ]);
  expect(await problem(production)).toEqual([
    500,
    'endpoint.failed',
    'The saved query of this endpoint failed',
  ]);
});

test('the OpenAPI document needs no key in development; endpoints do', async () => {
  const ask = async ({ service }: TestService, path: string): Promise<number> =>
    (await fetch(`${service.address}${path}`)).status;
  const document = await fetch(`${development.service.address}/openapi.json`);
  const { paths } = (await document.json()) as { paths: object };
  expect(Object.keys(paths)).toContain('/api/endpoints/query/broken');
  expect(await ask(development, '/api/endpoints')).toBe(401);
  expect(await ask(development, '/api/endpoints/query/broken?n=0')).toBe(401);
  expect(await ask(production, '/openapi.json')).toBe(401);
  const wrong = await development.call('/openapi.json', { headers: { 'X-API-KEY': 'wrong' } });
  expect(wrong.status).toBe(401);
});
