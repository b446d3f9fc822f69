// Pages of consumer queries by computed keys: the same rows whatever rows other tenants have, and all of the tenant's own.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { after } from '../../../src/sql/base/clock.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { createBulkhead } from '../../../src/service/request/limits/bulkhead.ts';
import { NO_LABELS } from '../../../src/service/request/labels.ts';
import { areColumns } from '../../../src/service/request/pages/page-keys.ts';
import { planPage } from '../../../src/service/request/pages/pages.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { fill, fileOf, TABLE_KINDS } from './tenants.ts';
import { runQuery } from '../../../src/service/request/run-statement.ts';
import { type PlanWith, planWith } from '../../support/plan-with.ts';

const DATABASES = ['calm', 'hostile'] as const;
const KINDS = TABLE_KINDS.filter(({ name }) => ['indexed', 'prewhere', 'projected'].includes(name));
/** Times of other tenants are at the ends of what the type holds, where these functions overflow. */
const KEYS = [
  'toDate(ts)',
  'toStartOfHour(ts)',
  'toStartOfInterval(ts, INTERVAL 15 MINUTE)',
  'assumeNotNull(maybe)',
];

let engine: Engine;
let plan: PlanWith;
const endpoints = new Map<string, Endpoint>();
beforeAll(async () => {
  engine = await openTestEngine(2);
  for (const database of DATABASES) await fill(engine, database, KINDS);
  const describe = createDescribe(engine);
  plan = planWith({ sandboxes: createSandboxes(engine, describe), describe });
  const compile = createCompile({ piiHashKey: undefined });
  for (const database of DATABASES) {
    for (const kind of KINDS) {
      const { candidate } = compile('endpoint.yaml', fileOf(kind, database));
      if (candidate !== undefined) endpoints.set(`${database} ${kind.name}`, candidate.endpoint);
    }
  }
});
afterAll(() => engine.close(0));

interface Row {
  readonly k: string;
  readonly id: string;
}

/** The rows of all pages, or of one large enough. */
async function pagesOf(
  endpoint: Endpoint,
  text: string,
  { descending = false, size = 30 } = {},
): Promise<readonly Row[]> {
  const bindings = endpoint.binder.bind(new Map([['project', ['mine']]]), 0);
  const planned = await plan(endpoint, bindings, { language: 'sql', dialect: 'clickhouse', text }, false);
  const keys = [
    { name: 'k', descending },
    { name: 'id', descending: false },
  ];
  const secret = createHash('sha256').digest();
  const scope = { endpoint, secret, source: '' };
  const page = { policy: { keys, size, max: 100, secret }, size, scope, at: undefined };
  const rows: Row[] = [];
  for (let last: Row | undefined; ; last = rows.at(-1)) {
    const opened = { page, after: last && [last.k, last.id], at: undefined };
    const paged = await planPage(
      { describe: { result: async () => undefined }, engine },
      {
        endpoint,
        opened,
        query: planned,
      },
    );
    const deps = { engine, bulkhead: createBulkhead(after), now: () => 0 };
    const { lines } = await runQuery(
      deps,
      { endpoint, query: paged },
      {
        requestId: 'test',
        key: undefined,
        trace: undefined,
        labels: NO_LABELS,
        workload: undefined,
        isPatient: false,
        signal: new AbortController().signal,
      },
    );
    const found = Buffer.from(lines)
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    rows.push(...found.slice(0, size).map((line): Row => JSON.parse(line))); // as the query selects
    if (found.length <= size) return rows;
  }
}

/** Each kind of table by each key in one direction, in both with `npm run test:all`. */
const ORDERS = KINDS.flatMap(({ name }, kind) =>
  KEYS.map((key, index) => {
    const isWhole = process.env['FUZZ_CASES'] !== undefined;
    return [name, key, isWhole ? [false, true] : [(kind + index) % 2 === 1]] as const;
  }),
);

test.each(ORDERS)('%s by %s', async (kind, key, directions) => {
  for (const descending of directions) {
    const text = `SELECT ${key} AS k, id FROM t`;
    const [calm, hostile] = DATABASES.map((database) => endpoints.get(`${database} ${kind}`));
    if (calm === undefined || hostile === undefined) throw new Error('the files are valid');
    const whole = await pagesOf(calm, text, { descending, size: 99 });
    expect(whole).toHaveLength(96);
    expect(await pagesOf(calm, text, { descending })).toEqual(whole);
    expect(await pagesOf(hostile, text, { descending })).toEqual(whole);
  }
});

test.each<[sql: string, areColumns: boolean]>([
  ['SELECT k, id FROM t', true],
  ["SELECT * FROM t WHERE k > 5 AND upper(id) = 'A' ORDER BY k", true],
  ['SELECT t.k, count() AS n FROM t GROUP BY t.k', true],
  ['SELECT k AS k, t.id AS id FROM t', true],
  ['SELECT "k" FROM (SELECT k, id FROM t) AS s', true],
  ['SELECT toDate(k) AS k FROM t', false],
  ['SELECT toDate(x) k FROM t', false],
  ['SELECT x AS `k` FROM t', false],
  ['SELECT x k FROM t', false],
  ['SELECT 1 k', false],
  ["SELECT 'x' k", false],
  ['SELECT [1] k', false],
  ['SELECT x + k AS k FROM t', false],
  ['SELECT -k AS k FROM t', false],
  ['SELECT * REPLACE (toDate(k) AS k) FROM t', false],
  ['SELECT k FROM t UNION ALL SELECT k FROM t', false],
  ['SELECT k FROM t JOIN u USING (k)', false],
  ['SELECT k::Date FROM t', false],
  ["SELECT COLUMNS('k') APPLY(toDate) FROM t", false],
  ['WITH toDate(x) AS k SELECT k FROM t', false],
  ["SELECT s.k FROM (SELECT CAST((1, 2), 'Tuple(k UInt8, l UInt8)') AS s)", false],
  ["SELECT s.k FROM (SELECT JSONExtract(x, 'Tuple(k UInt8, l UInt8)') AS s FROM t)", false],
  ["SELECT s.* FROM (SELECT JSONExtract(x, 'Tuple(k UInt8, l UInt8)') AS s FROM t)", false],
  ["WITH JSONExtract('[1,2]', 'Tuple(k UInt8, l UInt8)') AS s SELECT s.k FROM t", false],
  ['SELECT * EXCEPT (a) FROM t', true],
])('%s: %s', (sql, expected) => {
  expect(areColumns(sql, ['k', 'id'])).toBe(expected);
});
