// Non-interference in the complete response: status, header fields and body are the same whatever rows other tenants have.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileOf, fill, TABLE_KINDS } from '../../guard/sandbox/tenants.ts';
import { startService, type TestService } from '../../support/service.ts';

/** Of one length, so that bodies that name them are as well. */
const DATABASES = ['aaaaaaa', 'hostile'] as const;
const KINDS = TABLE_KINDS.filter(({ name }) => ['compact', 'by_path', 'joined', 'indexed'].includes(name));
/** Without a cache, so that each call runs. */
const UNCACHED = {
  ...KINDS[0],
  name: 'uncached',
  engine: 'MergeTree ORDER BY (project, ts)',
  body: 'SELECT * FROM {db}.compact WHERE project = @project ORDER BY ts DESC',
};
let service: TestService;
let endpoints: string;

beforeAll(async () => {
  endpoints = await mkdtemp(join(tmpdir(), 'millrace-endpoints-'));
  for (const database of DATABASES) {
    for (const kind of KINDS) {
      const file = `${fileOf(kind, database)}cache: { ttl: 600 }\nmax_rows: 3\n`;
      await writeFile(join(endpoints, `${kind.name}.${database}.yaml`), file);
    }
    await writeFile(join(endpoints, `uncached.${database}.yaml`), fileOf(UNCACHED, database));
  }
  service = await startService({
    endpoints,
    fill: async (engine) => {
      for (const database of DATABASES) await fill(engine, database, KINDS);
    },
  });
});
afterAll(async () => {
  await service.stop();
  await rm(endpoints, { recursive: true, force: true });
});

/** What differs from call to call, or names the endpoint. */
const OWN: ReadonlySet<string> = new Set([
  'x-request-id',
  'server-timing',
  'date',
  'millrace-endpoint',
  'age',
]);

async function seen(
  kind: string,
  database: string,
  { project = 'mine', ...fields }: Record<string, string>,
): Promise<unknown> {
  const response = await service.call(`/api/endpoints/query/${kind}.${database}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ project, ...fields }),
  });
  // Of a cached response the seconds that are left may differ by those between two calls.
  const headers = [...response.headers]
    .filter(([name]) => !OWN.has(name))
    .map(([name, value]) => [name, value.replace(/\b(max-age|ttl)=\d+/g, '$1')]);
  const requestId = response.headers.get('x-request-id') ?? '';
  const body = (await response.text()).replaceAll(requestId, '').replaceAll(database, '');
  return { status: response.status, headers, body };
}

const QUERIES: readonly { readonly status: number; readonly fields: Record<string, string> }[] = [
  { status: 200, fields: { sql: 'SELECT id FROM t ORDER BY id' } },
  { status: 200, fields: { sql: "SELECT count() AS n FROM t WHERE intDiv(1, NOT (secret LIKE 'CANARY%'))" } },
  { status: 200, fields: { sql: 'SELECT toInt64(doc.x) AS v FROM t ORDER BY v LIMIT 1' } },
  { status: 200, fields: { sql: 'SELECT count() AS n FROM t WHERE toUInt64(text) > 5' } },
  { status: 200, fields: { sql: 'SELECT id FROM t WHERE num > 90 AND ratio < 23 ORDER BY id' } },
  { status: 200, fields: { sql: 'select cast(text as int64) as v from t order by v', dialect: 'bigquery' } },
  { status: 200, fields: { sql: 'SELECT text FROM t ORDER BY text', format: 'csv' } },
  { status: 200, fields: { lql: 'text:>5 doc.x:5' } },
  { status: 200, fields: { lql: 'text:(5|CANARY|6..9) -doc.x:(7|NULL) num:(1..9|12|"13")' } },
  { status: 422, fields: { sql: 'SELECT count() AS n FROM t WHERE intDiv(10, num) > 5' } },
  { status: 422, fields: { sql: 'SELECT unknown FROM t' } },
];

/** All kinds of tables with `npm run fuzz`, and otherwise every other one of them in turn. */
const kindsOf = (query: number) =>
  KINDS.filter((_, index) => process.env['FUZZ_CASES'] !== undefined || (index + query) % 2 === 0);

test.each(QUERIES.map((query, index) => ({ ...query, kinds: kindsOf(index) })))(
  '$status for $fields.sql',
  async ({ status, fields, kinds }) => {
    for (const { name } of kinds) {
      // The second time what can be cached is.
      for (let time = 0; time < 2; time++) {
        const [calm, hostile] = await Promise.all(DATABASES.map((database) => seen(name, database, fields)));
        expect(hostile).toEqual(calm);
        expect(calm).toMatchObject({ status });
      }
    }
  },
);

test.each([
  {
    status: 200,
    sql: "SELECT match(concat(left(text, 0), 'a=1&', unhex('ff')), 'a=1[^y]+$') AS m FROM t LIMIT 1",
  },
  {
    status: 200,
    sql: 'SELECT low, avgWeighted(nan * toUInt32(num), toUInt32(num)) AS a FROM t GROUP BY low',
  },
  {
    status: 422,
    sql: "SELECT if(num >= -1, materialize(toDateTime64('2299-12-31 00:00:00', 3)), toDateTime64('2024-01-01', 9)) AS v FROM t",
  },
])('each run of $sql has the same response, whatever another tenant runs', async ({ status, sql }) => {
  const first = new Map<string, unknown>();
  for (const project of ['mine', 'other', 'mine', 'other', 'mine']) {
    for (let run = 0; run < 4; run++) {
      const response = await seen('uncached', 'hostile', { project, sql });
      if (!first.has(project)) first.set(project, response);
      expect(response).toEqual(first.get(project));
      expect(response).toMatchObject({ status });
    }
  }
});
