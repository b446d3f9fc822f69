// Exports to an object store: whole or not there, whatever fails on the way.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startS3Store, type S3Store } from '../../support/s3-store.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

let store: S3Store;
let service: TestService;
beforeAll(async () => {
  store = await startS3Store();
  service = await startService({
    settings: { exports: { places: 1, disk: 2 ** 30, time: 60, workload: undefined, s3: store.settings } },
  });
  await writeEndpoint(
    service,
    'numbers',
    `id: 00000000-0000-4000-8000-000000000071
name: numbers
query: SELECT number AS n, repeat('x', 100) AS s FROM numbers(@n)
parameters: { n: { type: UInt64, default: 10 } }
export: { max_rows: 1000000, to: [download, s3] }
`,
  );
  await service.service.reload();
});
afterAll(async () => {
  await service.stop();
  await store.close();
});
beforeEach(() => store.failWith(() => undefined));

type Json = Record<string, unknown>;

async function begin(query: string): Promise<Json> {
  const response = await service.call(
    `/api/endpoints/query/numbers/exports?export_to=s3&format=ndjson&${query}`,
    { method: 'POST' },
  );
  return (await response.json()) as Json;
}

async function ended(url: unknown): Promise<Json> {
  for (;;) {
    const found = (await (await service.call(String(url))).json()) as Json;
    if (found['state'] !== 'waiting' && found['state'] !== 'running') return found;
    await new Promise<void>((resolve) => setTimeout(resolve, 10));
  }
}

const made = async (query: string): Promise<Json> => ended((await begin(query))['url']);

/** Two parts of an upload. */
const LARGE = 'n=80000';

async function expectNothing(): Promise<void> {
  await expect.poll(store.uploads, { timeout: 30_000 }).toBe(0); // a part may still arrive
  expect(await store.objects()).toEqual([]);
  const files = await readdir(join(service.settings.data, 'exports'));
  expect(files.filter((name) => !name.endsWith('.json'))).toEqual([]);
}

test('is an object of its name, read through the service, and removed with it', async () => {
  for (const query of ['n=3', LARGE]) {
    const found = await made(query);
    expect(found).toMatchObject({ state: 'finished', to: 's3', error: null });
    const date = String(found['created']).slice(0, 10);
    expect(await store.objects()).toEqual([`numbers/${date}/${String(found['id'])}.ndjson`]);
    const whole = await service.call(`/api/endpoints/query/numbers?format=ndjson&n=3`);
    const part = await service.call(String(found['result']), { headers: { Range: 'bytes=0-20' } });
    expect([part.status, await part.text()]).toEqual([206, (await whole.text()).slice(0, 21)]);
    const text = await (await service.call(String(found['result']))).text();
    expect(text.length).toBe(found['bytes']);
    expect((await service.call(String(found['url']), { method: 'DELETE' })).status).toBe(204);
    await expectNothing();
  }
});

test('goes on after a request that failed once', async () => {
  let failures = 0;
  store.failWith(({ url = '' }) => (url.includes('partNumber=2') && failures++ === 0 ? 503 : undefined));
  const found = await made(LARGE);
  expect([found['state'], failures]).toEqual(['finished', 2]);
  const gone = await service.call(String(found['url']), { method: 'DELETE' });
  expect([gone.status, service.observed.filter(({ kind }) => kind === 'export.not_kept')]).toEqual([204, []]);
  await expectNothing();
});

test.each<[string, (method: string, url: string) => 'reset' | number | undefined]>([
  ['a part is rejected', (_, url) => (url.includes('partNumber=2') ? 403 : undefined)],
  ['connections are reset in a part', (_, url) => (url.includes('partNumber=2') ? 'reset' : undefined)],
  [
    'the parts cannot be joined',
    (method, url) => (method === 'POST' && url.includes('uploadId') ? 500 : undefined),
  ],
  ['no upload can begin', (method, url) => (method === 'POST' && url.includes('uploads') ? 403 : undefined)],
])('fails and leaves nothing if %s', { timeout: 60_000 }, async (_why, fail) => {
  store.failWith(({ method = '', url = '' }) => fail(method, url));
  const found = await made(LARGE);
  expect(found).toMatchObject({
    state: 'failed',
    result: null,
    error: { code: 'export.not_stored', status: 502 },
  });
  await expectNothing();
});

test('is cancelled while it is uploaded', async () => {
  let isReached = false;
  let url: unknown;
  store.failWith((request) => {
    if (request.url?.includes('partNumber=2') !== true) return undefined;
    isReached = true;
    return 503; // tried again, until it is cancelled
  });
  ({ url } = await begin(LARGE));
  await expect.poll(() => isReached).toBe(true);
  await service.call(String(url), { method: 'DELETE' });
  expect(await ended(url)).toMatchObject({ state: 'canceled', bytes: 0 });
  await expectNothing();
});
