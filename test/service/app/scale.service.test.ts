// Many files: hundreds loaded and one changed; a checkout of hundreds while requests are served.
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCompile, type CompileFile } from '../../../src/service/endpoints/compile.ts';
import { openLiveCatalog, type LiveCatalog } from '../../../src/service/endpoints/live.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';
import { sizeOf } from '../../support/runs.ts';
import { after, clock } from '../../../src/service/app/clock.ts';

const file = (n: number, value: number): string =>
  `id: 00000000-0000-4000-8000-${String(n).padStart(12, '0')}\nname: e${n}\nquery: SELECT ${value} AS value, @p AS p\nparameters: { p: { type: String, default: x } }\n`;

async function writeFiles(folder: string, count: number, value: number): Promise<void> {
  for (let n = 0; n < count; n += 100) {
    const slice = Array.from({ length: Math.min(100, count - n) }, (_, i) => n + i);
    await Promise.all(slice.map((each) => writeFile(join(folder, `e${each}.yaml`), file(each, value))));
  }
}

/** A thousand with `npm run test:all`. */
const COUNT = sizeOf(200, 1000);

test('of hundreds of files only the changed one is recompiled', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-scale-'));
  await writeFiles(folder, COUNT, 1);
  const compile = vi.fn<CompileFile>(createCompile({ piiHashKey: undefined }));
  let catalog: LiveCatalog | undefined;
  try {
    catalog = await openLiveCatalog({
      folder,
      compile,
      observe: () => undefined,
      clock,
      after,
    });
    expect([catalog.current().endpoints.length, compile.mock.calls.length]).toEqual([COUNT, COUNT]);
    const before = catalog.current();
    await writeFile(join(folder, 'e7.yaml'), file(7, 2));
    await catalog.reload();
    expect(compile.mock.calls.length).toBe(COUNT + 1);
    expect(catalog.current().find('e7')?.revision).not.toBe(before.find('e7')?.revision);
    expect(catalog.current().find('e8')).toBe(before.find('e8'));
  } finally {
    await catalog?.close();
    await rm(folder, { recursive: true, force: true });
  }
});

const CHECKED_OUT = 200;

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await writeFiles(service.endpoints, CHECKED_OUT, 1);
  await writeEndpoint(service, 'steady', file(5000, 0).replace('e5000', 'steady'));
  await service.service.reload();
});
afterAll(() => service.stop());

test('a checkout of hundreds of files, some half-written, under load: old responses until the new ones, none missing', async () => {
  const statuses: number[] = [];
  let stopped = false;
  const call = async (name: string): Promise<unknown> => {
    const response = await service.call(`/api/endpoints/query/${name}`);
    statuses.push(response.status);
    return response.json();
  };
  const callers = Array.from({ length: 4 }, async () => {
    while (!stopped) {
      expect(await call('steady')).toEqual({ result: [{ value: 0, p: 'x' }] });
      const { result } = (await call(`e${Math.floor(Math.random() * CHECKED_OUT)}`)) as {
        result: [{ value: number }];
      };
      expect([1, 2]).toContain(result[0].value);
      await setTimeout(50); // the files are written by this same process
    }
  });
  for (let n = 0; n < CHECKED_OUT; n++) {
    const path = join(service.endpoints, `e${n}.yaml`);
    const text = file(n, 2);
    if (n % 3 === 0) await writeFile(path, text.slice(0, 90)); // half of it, for now
    else if (n % 3 === 1) {
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path); // as git and editors do
    } else await writeFile(path, text);
  }
  for (let n = 0; n < CHECKED_OUT; n += 3) await writeFile(join(service.endpoints, `e${n}.yaml`), file(n, 2));
  const catalog = service.service.catalog;
  await eventually(() => {
    const old = catalog.current().endpoints.filter(({ query }) => query.startsWith('SELECT 1 AS'));
    expect(old.map(({ name }) => name)).toEqual([]);
  });
  stopped = true;
  await Promise.all(callers);
  expect([new Set(statuses), catalog.current().endpoints.length]).toEqual([new Set([200]), CHECKED_OUT + 1]);
});
