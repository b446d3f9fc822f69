// A project of Tinybird, imported, answers the calls of a client of Tinybird's API after a change of the host alone.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tinybird } from '@chronark/zod-bird';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { run, scratch } from '../../../support/command.ts';
import { KEY, startService } from '../../../support/service.ts';

const PROJECT = join(import.meta.dirname, '../../../golden/commands/import/tinybird/files');

test('an imported project answers a client', async () => {
  const cwd = scratch();
  cpSync(PROJECT, cwd, { recursive: true });
  const imported = await run(['import', 'shop/tinybird'], { cwd });
  expect([imported.code, imported.err]).toEqual([0, '']);
  const tables = ['visits', 'days', 'per_day'].map((name) =>
    readFileSync(join(cwd, `schema/shop/${name}.sql`), 'utf8'),
  );
  const rows = readFileSync(join(cwd, 'endpoints/fixtures/shop.visits.ndjson'), 'utf8');
  const service = await startService({
    endpoints: join(cwd, 'endpoints'),
    sql: [
      'CREATE DATABASE shop',
      ...tables,
      `INSERT INTO shop.visits SELECT * FROM format(JSONEachRow, 'at DateTime, page String', '${rows}')`,
    ],
    settings: { tinybird: { isServed: false, port: 0, tokens: undefined } },
  });
  const client = new Tinybird({ baseUrl: service.service.tinybird ?? '', token: KEY });
  const counted = { data: z.object({ page: z.string(), n: z.number() }) };
  const pages = client.buildPipe({
    pipe: 'pages',
    parameters: z.object({ page: z.string().optional() }),
    ...counted,
  });
  const found = await pages({ page: '/a' });
  expect(found.data).toEqual([{ page: '/a', n: 1 }]);
  expect(found).toMatchObject({
    rows: 1,
    rows_before_limit_at_least: 1,
    statistics: { rows_read: 1, bytes_read: 0 },
  });
  const totals = client.buildPipe({ pipe: 'totals', data: z.object({ day: z.string(), n: z.number() }) });
  expect((await totals({})).data).toEqual([
    { day: '2024-01-01', n: 1 },
    { day: '2024-01-02', n: 1 },
  ]);
  await expect(pages({})).rejects.toThrow(/^page is required\. /);
  const stranger = new Tinybird({ baseUrl: service.service.tinybird ?? '', token: 'unknown' });
  await expect(stranger.buildPipe({ pipe: 'pages', ...counted })({})).rejects.toThrow('Unauthorized');
  const ingest = client.buildIngestEndpoint({
    datasource: 'visits',
    event: z.object({ at: z.string(), page: z.string() }),
  });
  await expect(ingest({ at: '2024-01-01 00:00:00', page: '/x' })).rejects.toThrow(
    /Events API of Tinybird is not served/,
  );
  await service.stop();
}, 120_000);
