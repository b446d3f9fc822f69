// Keys of pages: every type with its extreme values, in every shape of rows, and cursors over reloads.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some, someOfEach } from '../../support/runs.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const PATH = '/api/endpoints/query/';
const ID = (last: number): string => `00000000-0000-4000-8000-0000000000${last}`;
const text = (value: string): string => `'${value.replace(/['\\]/g, String.raw`\$&`)}'`;

/** Columns with values in ascending order, as the engine reads them. */
const KEYS: Readonly<Record<string, readonly [type: string, values: readonly string[]]>> = {
  i8: ['Int8', ['-128', '0', '127']],
  u64: ['UInt64', ['0', '9007199254740993', '18446744073709551615']],
  i256: ['Int256', [`-${2n ** 255n}`, '0', `${2n ** 255n - 1n}`].map((value) => `toInt256('${value}')`)],
  dec: ['Decimal(38, 10)', ['-9999999999999999999999999999.9999999999', '0', '0.0000000001'].map(text)],
  dec256: [
    'Decimal256(20)',
    [`-${'9'.repeat(56)}.${'9'.repeat(20)}`, '-0.00000000000000000001', '12.5'].map(text),
  ],
  uuid: ['UUID', ['00000000-0000-0000-0000-000000000000', '80000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff'].map(text)], // prettier-ignore
  ip6: ['IPv6', ['::', '::ffff:1.2.3.4', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'].map(text)],
  ip4: ['IPv4', ['0.0.0.0', '9.255.255.255', '255.255.255.255'].map(text)],
  ns: ["DateTime64(9, 'Europe/Berlin')", ['1900-01-01 00:53:28.000000000', '2024-10-27 02:30:00.123456789', '2262-04-11 23:00:00.999999999'].map(text)], // prettier-ignore
  old: ["DateTime64(3, 'UTC')", ['1900-01-01 00:00:00.000', '1969-12-31 23:59:59.999', '2299-12-31 23:59:59.999'].map(text)], // prettier-ignore
  sec: ["DateTime('America/New_York')", ['0', '1730611800', '4294967295']],
  day: ['Date32', ['1900-01-01', '1970-01-01', '2299-12-31'].map(text)],
  date: ['Date', ['1970-01-01', '2024-02-29', '2149-06-06'].map(text)],
  flag: ['Bool', ['false', 'true']],
  str: ['String', ['', '\t\\N\n"\'\\\u0000', 'ü€😀'].map(text)],
  low: ['LowCardinality(String)', ['', '\\t', '~'].map(text)],
};

/** Of the endpoints in descending order, which consumer queries page through. */
const SANDBOX = 'sandbox: { enabled: true, dialects: [clickhouse, bigquery] }\n';

let service: TestService;
beforeAll(async () => {
  const tables = Object.entries(KEYS).flatMap(([name, [type, values]]) => [
    `CREATE TABLE app.${name} (k ${type}, id UInt64, n UInt8) ENGINE = MergeTree ORDER BY k SETTINGS allow_suspicious_low_cardinality_types = 1`,
    `INSERT INTO app.${name} SELECT k, id, n FROM VALUES('k ${type.replaceAll("'", String.raw`\'`)}, n UInt8', ${values.map((value, n) => `(${value}, ${n})`).join(', ')}) ARRAY JOIN [1, 18446744073709551615] AS id`,
  ]);
  service = await startService({ sql: ['CREATE DATABASE app', ...tables] });
  let last = 10;
  for (const name of Object.keys(KEYS))
    for (const [way, by] of [
      ['up', '[k, id]'],
      ['down', '[k DESC, id ASC]'],
    ])
      await writeEndpoint(
        service,
        `${name}-${way}`,
        `id: ${ID(last++)}\nname: ${name}.${way}\npage: { by: ${by}, size: 1 }\n${last % 3 === 0 ? 'int64: string\n' : ''}${way === 'down' ? SANDBOX : ''}query: WITH t AS (SELECT k, id, n FROM app.${name}) SELECT k, id, n FROM t\n`,
      );
  await service.service.reload();
});
afterAll(() => service.stop());

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const response = await service.call(`${PATH}${path}`, {
    method,
    headers: { 'X-API-KEY': KEY, ...headers },
  });
  const body = await response.text();
  const parsed = (body === '' ? {} : JSON.parse(body)) as {
    code?: string;
    next?: string;
    result?: { n: unknown; id: unknown }[];
  };
  return { ...parsed, status: response.status, headers: response.headers, body };
}

/** The rows of all pages, as `n` and whether `id` is the larger one. */
async function walk(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const rows: string[] = [];
  let next: string | undefined = '';
  for (let page = 0; next !== undefined && page < 20; page++) {
    const reply: Awaited<ReturnType<typeof ask>> = await ask(`${path}&cursor=${next}`, headers);
    expect(reply).toMatchObject({ status: 200 });
    rows.push(...(reply.result ?? []).map(({ n, id }) => `${Number(n)}${Number(id) > 1 ? 'b' : 'a'}`));
    next = reply.next;
  }
  return rows;
}

function expected(name: string, way: string): readonly string[] {
  const order = (KEYS[name]?.[1] ?? []).map((_, n) => n);
  return (way === 'up' ? order : order.toReversed()).flatMap((n) => [`${n}a`, `${n}b`]);
}

const LANGUAGES = {
  sql: { sql: 'SELECT id, k, n FROM t' },
  bigquery: { sql: 'SELECT `id`, `k`, n FROM `t`', dialect: 'bigquery' },
  lql: { lql: 's:id s:k s:n' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Walk {
  readonly query: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const BIGQUERY_SHAPE = { query: '', headers: { Prefer: 'result-shape=bigquery' } };

/** In every shape; in descending order, which has a sandbox, also in every language. */
function walksOf(name: string, way: string): readonly Walk[] {
  const shapes: readonly Walk[] = [{ query: '' }, BIGQUERY_SHAPE];
  if (way === 'up') return shapes;
  const languages = Object.entries(LANGUAGES)
    // In BigQuery SQL, a Bool may be NULL.
    .filter(([language]) => name !== 'flag' || language !== 'bigquery')
    .map(([, fields]) => ({ query: `&${new URLSearchParams(fields).toString()}` }));
  return [...shapes, ...languages];
}

/** Every second type ascending, the others descending; each in both orders with `npm run test:all`. */
const CASES = Object.keys(KEYS).flatMap((name, index) =>
  someOfEach(['up', 'down'], () => '', { each: 2, from: index }).map((way) => [name, way] as const),
);

describe.each(CASES)('%s %s', (name, way) => {
  test('every row once, in every shape and language', async () => {
    const walks = walksOf(name, way);
    const first = Object.keys(KEYS).indexOf(name) % walks.length;
    // From another one for each type: `npm test` has one for each type.
    for (const { query, headers } of some([...walks.slice(first), ...walks.slice(0, first)], walks.length))
      expect(await walk(`${name}.${way}?page_size=1${query}`, headers)).toEqual(expected(name, way));
  });
});

test('a HEAD request has the Link of the page', async () => {
  const [get, head] = [await ask('u64.up?page_size=2'), await ask('u64.up?page_size=2', {}, 'HEAD')];
  expect([head.status, head.body]).toEqual([200, '']);
  expect(head.headers.get('Link')).toBe(get.headers.get('Link'));
  expect(get.headers.get('Link')).toBe(`<?page_size=2&cursor=${get.next}>; rel="next"`);
});

test('rows with equal keys end a page before the maximum of rows', async () => {
  // Keys: one row, then four rows with equal ones, then one; at most five rows.
  const query = 'SELECT arrayJoin([1, 2, 2, 2, 2, 3])::UInt8 AS k';
  const file = (maxRows: number): string =>
    `id: ${ID(90)}\nname: equal\nmax_rows: ${maxRows}\npage: { by: [k], size: 2 }\nquery: ${query}\n`;
  const sizes = async (maxRows: number): Promise<readonly number[]> => {
    await writeEndpoint(service, 'equal', file(maxRows));
    await service.service.catalog.reload();
    const found: number[] = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const reply: Awaited<ReturnType<typeof ask>> = await ask(`equal?cursor=${next}`);
      expect(reply.headers.has('Millrace-Truncated')).toBe(false);
      if (reply.status !== 200) return [...found, reply.status];
      found.push(reply.result?.length ?? NaN);
      next = reply.next;
    }
    return found;
  };
  expect(await sizes(5)).toEqual([5, 1]);
  expect(await sizes(4)).toEqual([1, 4, 1]);
  // The four rows do not fit on any page.
  expect(await sizes(3)).toEqual([1, 422]);
});

test('a change of the file ends its cursors, one of its description does not', async () => {
  const file = (more: string): string =>
    `id: ${ID(91)}\nname: changed\npage: { by: [k], size: 1 }\nquery: SELECT number AS k FROM numbers(3)\n${more}`;
  const reload = async (more: string): Promise<void> => {
    await writeEndpoint(service, 'changed', file(more));
    await service.service.catalog.reload();
  };
  await reload('');
  const { next } = await ask('changed');
  await reload('description: Numbers.\n');
  expect(await ask(`changed?cursor=${next}`)).toMatchObject({ status: 200 });
  await reload('max_rows: 500\n');
  expect(await ask(`changed?cursor=${next}`)).toMatchObject({ status: 400, code: 'request.cursor_invalid' });
  await reload('');
  expect(await ask(`changed?cursor=${next}`)).toMatchObject({ status: 200 });
});
