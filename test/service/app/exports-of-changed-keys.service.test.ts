// Exports of keys that change: what waits runs as what the key is then, or not at all, and what is kept is bounded.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import type { Token } from '../../../src/service/config/generated/tokens.ts';
import { ownerOf } from '../../../src/service/exports/record.ts';
import { eventually } from '../../support/eventually.ts';
import { startGate, type Gate } from '../../support/gate.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const token = (name: string, more: Partial<Token> = {}): Token => ({
  name,
  sha256: hashKey(name),
  endpoints: ['*'],
  ...more,
});
const MOST_KEPT = 1000;

let folder: string;
let service: TestService;
let gate: Gate;
beforeAll(async () => {
  gate = await startGate();
  folder = await mkdtemp(join(tmpdir(), 'millrace-exports-'));
  await mkdir(join(folder, 'data', 'exports'), { recursive: true });
  const owner = ownerOf({ usageId: JSON.stringify(['key:many', []]) });
  const record = {
    owner,
    principal: 'many',
    endpoint: 'numbers',
    revision: 'r',
    isRedacted: false,
    format: 'csv',
    place: 'download',
    request: 'q',
    created: Date.now(),
    finished: Date.now(),
    keep: 86_400,
    rows: 0,
    bytes: 0,
    state: 'canceled',
  };
  for (let n = 1; n < MOST_KEPT; n++)
    await writeFile(
      join(folder, 'data', 'exports', `${n}.json`),
      JSON.stringify({ ...record, id: String(n) }),
    );
  await setTokens([]);
  service = await startService({
    settings: { data: join(folder, 'data'), tokens: join(folder, 'tokens.yaml') },
  });
  const endpoints = {
    gated: `query: SELECT passed AS n FROM ${gate.table}\nexport: { max_rows: 10 }`,
    locked: `query: SELECT @project AS project\nparameters: { project: { type: String, required: true } }
tenancy: { parameter: project }\nexport: { max_rows: 10, formats: [csv] }`,
    mails: `query: SELECT 'ann@example.com' AS mail\nexport: { max_rows: 10, formats: [csv] }`,
    numbers: 'query: SELECT 1 AS n\nexport: { max_rows: 10, formats: [csv], per_key: 100 }',
  };
  for (const [index, [name, text]] of Object.entries(endpoints).entries())
    await writeEndpoint(
      service,
      name,
      `id: 00000000-0000-4000-8000-0000000000${40 + index}\nname: ${name}\n${text}\n`,
    );
  await service.service.reload();
}, 60_000);
afterAll(async () => {
  await service.stop();
  await gate.close();
  await rm(folder, { recursive: true });
});

async function setTokens(tokens: readonly Token[]): Promise<void> {
  await writeFile(join(folder, 'tokens.yaml'), JSON.stringify({ tokens: [token('many'), ...tokens] }));
}
async function become(tokens: readonly Token[]): Promise<void> {
  await setTokens(tokens);
  await service.service.reload();
}

type Json = Record<string, unknown>;

const ask = async (
  name: string,
  key?: string,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<Json> => {
  const own = key === undefined ? {} : { 'X-API-KEY': key };
  const headers = { ...own, 'Idempotency-Key': idempotencyKey };
  const response = await service.call(`/api/endpoints/query/${name}/exports?format=csv`, {
    method: 'POST',
    headers,
  });
  return (await response.json()) as Json;
};
const get = (path: unknown, key: string): Promise<Response> =>
  service.call(String(path), { headers: { 'X-API-KEY': key } });
const ends = (found: Json, state: string): Promise<void> =>
  eventually(() =>
    expect(service.observed).toContainEqual(
      expect.objectContaining({ kind: 'export.ended', id: found['id'], state }),
    ),
  );

test('a key that is locked to other values, or redacted, while its export waits', async () => {
  const before = [token('moving', { parameters: { project: 'a' } }), token('shy', { pii: 'redact' })];
  await become(before);
  const first = await ask('gated');
  await gate.reached(1);
  const [moving, shy] = [await ask('locked', 'moving'), await ask('mails', 'shy')];
  expect([moving['state'], shy['state']]).toEqual(['waiting', 'waiting']);
  await become([token('moving', { parameters: { project: 'b' } }), token('shy')]);
  gate.open();
  await ends(first, 'finished');
  await ends(moving, 'failed');
  await ends(shy, 'finished');
  expect(await (await get(`${String(shy['url'])}/result`, 'shy')).text()).toContain('ann@example.com');
  await become(before);
  expect(await (await get(moving['url'], 'moving')).json()).toMatchObject({
    error: { code: 'export.interrupted' },
  });
  expect((await get(`${String(shy['url'])}/result`, 'shy')).status).toBe(404);
});

test('a key that is to be redacted since gets another export for the same Idempotency-Key', async () => {
  gate.open();
  await become([token('shy')]);
  const plain = await ask('mails', 'shy', 'same');
  expect((await ask('mails', 'shy', 'same'))['id']).toBe(plain['id']);
  await ends(plain, 'finished');
  await become([token('shy', { pii: 'redact' })]);
  const redacted = await ask('mails', 'shy', 'same');
  expect(redacted['id']).not.toBe(plain['id']);
  await ends(redacted, 'finished');
  const response = await get(`${String(redacted['url'])}/result`, 'shy');
  expect([response.status, (await response.text()).includes('ann@')]).toEqual([200, false]);
});

test('a key has a bounded number of exports, whatever became of them', async () => {
  const last = await ask('numbers', 'many');
  expect(last).toMatchObject({ endpoint: 'numbers' });
  expect(await ask('numbers', 'many')).toMatchObject({ status: 429, code: 'export.too_many' });
  const deleted = await service.call('/api/endpoints/query/numbers/exports/7', {
    method: 'DELETE',
    headers: { 'X-API-KEY': 'many' },
  });
  expect(deleted.status).toBe(204);
  expect(await ask('numbers', 'many')).toMatchObject({ endpoint: 'numbers' });
});
