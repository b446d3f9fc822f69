// Files change while requests run: responses change, and no request fails.
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';

let service: TestService;
const file = (value: number): string =>
  `id: 00000000-0000-4000-8000-00000000000a\nname: changing\nquery: SELECT ${value} AS value\n`;

beforeAll(async () => {
  service = await startService();
  await writeEndpoint(service, 'changing', file(0));
  await service.service.reload();
});
afterAll(() => service.stop());

test('edits, errors and fixes under load: every response is correct and in order', async () => {
  const statuses = new Set<number>();
  const values: number[] = [];
  let done = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!done) {
      const response = await service.call('/api/endpoints/query/changing');
      statuses.add(response.status);
      const body = (await response.json()) as { result: [{ value: number }] };
      values.push(body.result[0].value);
      await setTimeout(10); // the files are read by this same process
    }
  });
  for (let value = 1; value <= 10; value++) {
    await writeEndpoint(service, 'changing', file(value));
    await eventually(() => expect(values.at(-1)).toBe(value));
    await writeEndpoint(service, 'changing', value % 2 === 0 ? 'name: [' : file(value).slice(0, 40));
    await eventually(() => expect(service.service.catalog.diagnostics()).not.toEqual([]));
    expect(values.at(-1)).toBe(value);
  }
  done = true;
  await Promise.all(load);
  expect([...statuses]).toEqual([200]);
  expect(new Set(values)).toEqual(new Set(Array.from({ length: 11 }, (_, i) => i)));
});

test('an added endpoint is served, a removed one is not', async () => {
  const path = join(service.endpoints, 'new.yaml');
  await writeFile(path, 'id: 00000000-0000-4000-8000-00000000000b\nname: new\nquery: SELECT 1 AS one\n');
  await eventually(async () => expect((await service.call('/api/endpoints/query/new')).status).toBe(200));
  await unlink(path);
  await eventually(async () => expect((await service.call('/api/endpoints/query/new')).status).toBe(404));
});
