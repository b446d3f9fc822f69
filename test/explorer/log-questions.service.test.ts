// The calls of a log view, sent to a service over the real engine: rows, histogram and facets are about the same rows.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../src/service/auth/keyring.ts';
import { facetCalls, loadFacets, searchFacet, type Facet } from '../../explorer/src/logs/facets.ts';
import {
  histogramByLql,
  histogramOf,
  readHistogram,
  type HistogramBucket,
} from '../../explorer/src/logs/histogram.ts';
import { add, exclude, include, isFilterable } from '../../explorer/src/logs/lql-edit.ts';
import {
  basisOf,
  canSendSql,
  hasPages,
  rowsNeedSql,
  rowsOf,
  type Bounds,
  type LogQuestion,
  type RowsPage,
} from '../../explorer/src/logs/questions.ts';
import { differenceQuestion, differencesAsk, readDifferences } from '../../explorer/src/logs/differences.ts';
import { patternQuestion, patternsAsk, readPatterns, withPattern } from '../../explorer/src/logs/patterns.ts';
import { olderRows, type OlderRows } from '../../explorer/src/logs/older-rows.ts';
import { SEVERITIES, severityOf } from '../../explorer/src/logs/severity.ts';
import { logViewsOf, type LogView } from '../../explorer/src/logs/view.ts';
import type { Answer } from '../../explorer/src/service/answer.ts';
import { createClient, type Client } from '../../explorer/src/service/client.ts';
import type { Json, Row } from '../../explorer/src/service/json.ts';
import type { Endpoint } from '../../explorer/src/service/listing.ts';
import { eventually } from '../support/eventually.ts';
import { some } from '../support/runs.ts';
import { KEY, SHIPPED, startService, writeEndpoint, type TestService } from '../support/service.ts';
import { sampleTables } from '../support/service.ts';

const FROM = Date.UTC(2024, 4, 1, 12);
const MINUTE = 60_000;
const LQL_KEY = 'only-lql';
const run = { signal: new AbortController().signal, isFresh: true };

// Odd names, kinds of time and level, and maps, arrays and tuples. `n` is the position of a row.
const TABLES = `
CREATE DATABASE odd;
CREATE TABLE odd.records (
  n UInt64, Timestamp DateTime64(9), SeverityText LowCardinality(String), SeverityNumber UInt8, Body String,
  LogAttributes Map(LowCardinality(String), String), tags Array(String), pair Tuple(a String, b UInt8), flag Bool,
  state Enum8('up' = 1, 'it''s down' = 2), maybe LowCardinality(Nullable(String))
) ENGINE = MergeTree ORDER BY n;
INSERT INTO odd.records SELECT number, toDateTime64('2024-05-01 12:00:00', 9, 'UTC') + toIntervalNanosecond(number * 7000000001),
  ['INFO', 'WARN', 'ERROR', 'TRACE2', 'weird'][number % 5 + 1], [9, 13, 17, 1, 0][number % 5 + 1], concat('line ', toString(number)),
  if(number % 3 = 0, map('http.method', 'GET', 'k8s.pod', toString(number % 4)), map()),
  arrayMap(i -> ['a', 'b "c"', 'd'][i % 3 + 1], range(number % 4)), (['x', 'y\\\\z'][number % 2 + 1], number % 3), number % 2 = 0,
  ['up', 'it''s down'][number % 2 + 1], [NULL, 'set', 'NULL'][number % 3 + 1] FROM numbers(400);
CREATE TABLE odd.names (\`the time\` DateTime('Europe/Berlin'), \`the-level\` Enum8('error' = 1, 'info' = 2), \`a b.c\` LowCardinality(String), \`x0\` LowCardinality(String), \`it's "odd"\` String)
  ENGINE = MergeTree ORDER BY \`the time\`;
INSERT INTO odd.names SELECT toDateTime('2024-05-01 12:00:00', 'UTC') + intDiv(number, 40), if(number % 4 = 0, 'error', 'info'), ['p\\'q', '', 'r'][number % 3 + 1], toString(number % 2), 'unread' FROM numbers(300);
CREATE TABLE odd.bursts (n UInt64, timestamp DateTime, event_message String) ENGINE = MergeTree ORDER BY n;
INSERT INTO odd.bursts SELECT number, toDateTime('2024-05-01 12:00:00', 'UTC') + intDiv(number, 60), concat('m', toString(number % 7)) FROM numbers(500);`;

const file = (id: number, name: string, rest: string): string =>
  `id: 00000000-0000-4000-8000-00000000000${id}\nname: ${name}\ntenancy: { none: test }\nsandbox: { enabled: true }\n${rest}`;
const ODD = file(
  1,
  'odd.all',
  `max_rows: 100
query: |
  WITH records AS (SELECT * FROM odd.records), names AS (SELECT * FROM odd.names), bursts AS (SELECT * FROM odd.bursts)
  SELECT n FROM bursts
view:
  logs:
    - { table: records, time: Timestamp, message: Body, level: SeverityText, facets: [SeverityText, SeverityNumber, LogAttributes.http.method, tags, pair.a, flag, state, maybe] }
    - { table: names, time: the time, level: the-level, columns: ["it's \\"odd\\"", a b.c], facets: [the-level, a b.c, x0, "it's \\"odd\\""] }
    - { table: bursts, time: timestamp, message: event_message, facets: [event_message] }
`,
);
const PAGED = file(
  2,
  'odd.paged',
  `max_rows: 1000
page: { by: [timestamp DESC, n DESC], size: 40 }
query: |
  WITH bursts AS (SELECT * FROM odd.bursts)
  SELECT timestamp, n, event_message FROM bursts
`,
);

const ROLLUP = `rollups:
  - name: edge_by_minute
    from: logs.edge_logs
    time: { column: timestamp, every: [1m] }
    dimensions: [project, metadata.response.status_code]
    measures: [count()]
`;

let service: TestService;
let client: Client;
let endpoints: readonly Endpoint[];

beforeAll(async () => {
  service = await startService({
    isDevelopment: true, // it fills rollups by itself
    endpoints: SHIPPED,
    sql: [await sampleTables(), ...TABLES.split(/;\n/).filter((each) => each.trim() !== ''), EDGE, ALL],
    tokens: [{ name: 'lql', sha256: hashKey(LQL_KEY), endpoints: ['*'], allow: ['lql'] }],
  });
  await writeEndpoint(service, 'odd.all', ODD);
  await writeEndpoint(service, 'odd.paged', PAGED);
  client = createClient({ base: `${service.service.address}/`, fetch, now: () => 0 });
  await service.service.reload();
  ({ endpoints } = await client.list(KEY));
});
afterAll(() => service.stop());

const EDGE = `INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata)
SELECT 'p', toDateTime64('2024-05-01 12:00:00', 6, 'UTC') + toIntervalMillisecond(number * 4001), toString(number), concat('GET ', toString(number)),
  concat('{"request":{"method":"', ['GET', 'POST'][number % 2 + 1], '","cf":{"country":"', ['DE', 'FR', 'O''X'][number % 3 + 1],
  '"}},"response":{"status_code":', toString([200, 404, 503][number % 3 + 1]), '}}') FROM numbers(700)`;

const ALL = `INSERT INTO logs.all_logs (project, source, timestamp, id, event_message, severity_text, log_attributes)
SELECT 'p', ['edge_logs', 'auth_logs'][number % 2 + 1], toDateTime64('2024-05-01 12:00:00', 6, 'UTC') + toIntervalSecond(number * 777), toString(number), 'm',
  ['INFO', 'WARN', 'ERROR'][number % 3 + 1], map('response.status_code', toString(200 + number % 4)) FROM numbers(500)`;

function questionOf(name: string, table: string, more: Partial<LogQuestion> = {}): LogQuestion {
  const endpoint = endpoints.find((each) => each.name === name);
  const view = endpoint && logViewsOf(endpoint).find((each) => each.table === table);
  if (endpoint === undefined || view === undefined) throw new Error(`${name} has no log view of ${table}`);
  const parameters = name === 'logs.all' ? { project: 'p' } : {};
  return { endpoint, view, parameters, lql: '', bounds: { from: FROM - 1, to: FROM + 60 * MINUTE }, ...more };
}

const sqlOf = async (question: LogQuestion): Promise<string> =>
  (await client.explain(KEY, basisOf(question).ask, run.signal)).sql;

async function rowsOn(question: LogQuestion, page: RowsPage): Promise<Answer> {
  const sql = rowsNeedSql(question) ? await sqlOf(question) : undefined;
  return client.run(KEY, rowsOf(question, page, sql), run);
}

async function histogram(question: LogQuestion): Promise<readonly HistogramBucket[]> {
  const asked = histogramOf(question, basisOf(question), await sqlOf(question));
  return readHistogram(asked, (await client.run(KEY, asked.ask, run)).rows);
}

const facets = (question: LogQuestion): Promise<readonly Facet[]> =>
  loadFacets(question, sqlOf(question), facetCalls(client, KEY, run.signal));

/** All rows, page by page, as the page reads them. */
async function scrolled(
  question: LogQuestion,
  between: (page: number) => Promise<void> = async () => {},
): Promise<{ readonly all: readonly Row[]; readonly isIncomplete: boolean }> {
  const all: Row[] = [];
  let isIncomplete = false;
  let next: RowsPage | undefined = {};
  for (let page = 0; next !== undefined; page++) {
    const added: OlderRows = olderRows(question, all, await rowsOn(question, next));
    all.push(...added.rows);
    next = added.next;
    isIncomplete ||= added.isIncomplete;
    await between(page);
  }
  return { all, isIncomplete };
}

const SHAPES: readonly (readonly [string, string, number])[] = [
  ['logs.all', 'edge_logs', 700],
  ['odd.all', 'records', 400],
  ['odd.all', 'names', 300],
  ['odd.all', 'bursts', 500],
];

test.each(SHAPES)('%s: the histogram of %s counts its rows by severity', async (name, table, count) => {
  const question = questionOf(name, table);
  const buckets = await histogram(question);
  const { all } = await scrolled(question);
  expect(all.length).toBe(count);
  expect(buckets.length).toBeLessThanOrEqual(60);
  for (const severity of SEVERITIES) {
    const wanted = all.filter((row) => severityOf(levelOf(row, question.view)) === severity).length;
    expect([severity, sum(buckets.map(({ counts }) => counts[severity]))]).toEqual([severity, wanted]);
  }
  const inBuckets = buckets.map(({ start, rows: inBucket }) => [start, inBucket]);
  const width = (buckets[1]?.start ?? 0) - (buckets[0]?.start ?? 0);
  const byHand = buckets.map(({ start }) => [start, all.filter((row) => isIn(row, start, width)).length]);
  expect(inBuckets).toEqual(byHand);

  function isIn(row: Row, start: number, span: number): boolean {
    const at = Date.parse(textOf(row[question.view.time]).replace(/(\.\d{3})\d+/, '$1'));
    return at >= start && at < start + span;
  }
});

test.each([
  ['logs.all', 'edge_logs', 60, 'edge_by_minute'],
  ['logs.all.otel', 'logs', 5 * 24 * 60, 'all_logs_by_hour'],
])(
  '%s: the histogram of %s over %d minutes is read from the rollup',
  async (name, table, minutes, rollup) => {
    const bounds = { from: FROM - 1, to: FROM + minutes * MINUTE };
    const question = questionOf(name, table, { bounds, parameters: { project: 'p' } });
    const direct = histogramOf(question, basisOf(question), await sqlOf(question));
    const overRows = createClient({
      base: `${service.service.address}/`,
      now: () => 0,
      fetch: (url, { headers, ...rest } = {}) =>
        fetch(url, { ...rest, headers: { ...(headers as object), 'SVC-Endpoint-Rollups': 'off' } }),
    });
    const rows = readHistogram(direct, (await overRows.run(KEY, direct.ask, run)).rows);
    expect(rows.some((each) => each.rows > 0)).toBe(true);
    await writeFile(join(service.endpoints, 'edge.rollup.yaml'), ROLLUP);
    await service.service.reload();
    let used: string | undefined;
    const observed = createClient({
      base: `${service.service.address}/`,
      now: () => 0,
      fetch: async (...call) => {
        const response = await fetch(...call);
        used = /rollup;desc=(\w+)/.exec(response.headers.get('Server-Timing') ?? '')?.[1];
        return response;
      },
    });
    const asked = histogramOf(question, basisOf(question), await sqlOf(question));
    const answer = await eventually(async () => {
      const found = await observed.run(KEY, asked.ask, run);
      if (used === undefined) throw new Error('no rollup is in use');
      return found;
    });
    expect(used).toBe(rollup);
    expect(readHistogram(asked, answer.rows)).toEqual(rows);
  },
);

test.each(SHAPES)('%s: the facets of %s count rows as a filter by the value does', async (name, table) => {
  const question = questionOf(name, table);
  const count = async (lql: string): Promise<number> =>
    sum((await histogram({ ...question, lql })).map((each) => each.rows));
  const [found, all] = await Promise.all([facets(question), count('')]);
  expect(found.map(({ target }) => target.path)).toEqual(question.view.facets);
  const filterable = found.flatMap(({ target, values }) =>
    some(
      values.slice(0, 2).filter(({ value }) => isFilterable(target, value)),
      2,
    ).map((each) => ({ target, ...each })),
  );
  const counted = filterable.map(async ({ target, value }) => ({
    included: await count(include('', target, value)),
    excluded: await count(exclude('', target, value)),
  }));
  expect(filterable.length).toBeGreaterThan(0);
  expect(await Promise.all(counted)).toEqual(
    filterable.map(({ rows: included }) => ({ included, excluded: all - included })),
  );
});

test('a facet whose values the filter chooses counts rows without the choice, the others with it', async () => {
  const question = questionOf('odd.all', 'records');
  const valuesOf = (found: readonly Facet[], path: string) =>
    found.find(({ target }) => target.path === path)?.values;
  const plain = await facets(question);
  const lql = add(add(include('', 'SeverityText', 'INFO'), 'SeverityText', 'weird'), 'pair.a', 'x');
  const chosen = await facets({ ...question, lql });
  expect(chosen.map(({ target }) => target)).toEqual(plain.map(({ target }) => target));
  const only = await facets({ ...question, lql: 'pair.a:x' });
  expect(valuesOf(chosen, 'SeverityText')).toEqual(valuesOf(only, 'SeverityText'));
  const both = await facets({ ...question, lql: 'SeverityText:~"^(INFO|weird)$" pair.a:~^x$' });
  expect(valuesOf(chosen, 'flag')).toEqual(valuesOf(both, 'flag'));
  expect(valuesOf(chosen, 'flag')).not.toEqual(valuesOf(plain, 'flag'));
  const tags = { path: 'tags', isElement: true };
  const tagged = await facets({ ...question, lql: add(include('', tags, 'a'), tags, 'd') });
  expect(valuesOf(tagged, 'tags')).toEqual(valuesOf(plain, 'tags'));
});

test('the values of a facet that contain a text, in any case', async () => {
  const question = questionOf('odd.all', 'bursts', { lql: 'event_message:m3' });
  const values = async (search: string) =>
    (
      await searchFacet(question, { path: 'event_message', search }, facetCalls(client, KEY, run.signal))
    )?.values.map(({ value }) => value);
  expect(await values('M')).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6']);
  expect(await values('5')).toEqual(['m5']);
  expect(await values("'\\")).toEqual([]);
});

test.each(SHAPES.slice(0, 2))(
  '%s: the patterns of %s are of all rows, and filter them',
  async (name, table, count) => {
    const question = patternQuestion(questionOf(name, table));
    const ask = patternsAsk(question, await sqlOf(question), count);
    const found = readPatterns((await client.run(KEY, ask, run)).rows);
    expect(found.rows).toBe(count);
    expect(sum(found.patterns.map(({ rows }) => rows))).toBe(count);
    expect(found.patterns.length).toBeLessThan(4);
    for (const { template, rows, course, first, last } of found.patterns) {
      expect(sum(course)).toBe(rows);
      expect([first >= FROM, first <= last, last < FROM + 60 * MINUTE]).toEqual([true, true, true]);
      const filtered = await histogram({ ...question, lql: withPattern('', template) });
      expect(sum(filtered.map((each) => each.rows))).toBe(rows);
    }
  },
);

test('a sample of the rows is even, and has its size in it', async () => {
  const question = patternQuestion(questionOf('odd.all', 'records'));
  const ask = patternsAsk(question, await sqlOf(question), 350_000);
  const found = readPatterns((await client.run(KEY, ask, run)).rows);
  expect(found.rows).toBeGreaterThan(50);
  expect(found.rows).toBeLessThan(200);
});

test('the values that are more frequent in a part of the time range', async () => {
  const question = differenceQuestion(questionOf('odd.all', 'records'));
  expect(question.view.facets).toEqual(
    expect.arrayContaining(['SeverityText', 'pair.a', 'LogAttributes.http.method']),
  );
  const ofPart = async (part: Bounds) => {
    const ask = differencesAsk(question, part, { sql: await sqlOf(question), total: 400 });
    return readDifferences(question, (await client.run(KEY, ask, run)).rows);
  };
  const even = await ofPart({ from: FROM, to: FROM + 20 * MINUTE });
  expect([even.inside, even.outside, even.differences]).toEqual([172, 228, []]);
  await service.engine
    .execute(`INSERT INTO odd.records SELECT 10000 + number, toDateTime64('2024-05-01 12:50:00', 9, 'UTC'), 'ERROR', 17, 'line x',
    map('http.method', 'POST'), [], ('burst', 1), true, 'up', NULL FROM numbers(40)`);
  const burst = await ofPart({ from: FROM + 48 * MINUTE, to: FROM + 52 * MINUTE });
  const top = burst.differences.map(({ target, value }) => `${target.path} ${JSON.stringify(value)}`);
  expect(top.slice(0, 2).toSorted()).toEqual(['LogAttributes.http.method "POST"', 'pair.a "burst"']);
  expect(top).toContain('SeverityText "ERROR"');
  const { inside, outside } = burst.differences.find(({ value }) => value === 'burst') ?? {};
  expect([inside, outside, burst.inside]).toEqual([40, 0, 40]);
});

describe('older rows', () => {
  const insertNew = (time: string) => async (page: number) => {
    const insert = `INSERT INTO odd.bursts SELECT 10000 + ${page}, toDateTime('${time}', 'UTC'), 'new'`;
    await service.engine.execute(insert);
  };
  const numbersOf = (all: readonly Row[]): readonly number[] =>
    all.map(({ n }) => Number(n)).toSorted((a, b) => a - b);
  const first500 = Array.from({ length: 500 }, (_, n) => n);

  test('are read once each while rows are inserted, if many have the same time', async () => {
    const question = questionOf('odd.all', 'bursts', { bounds: { from: FROM - 1, to: FROM + 9000 } });
    const { all, isIncomplete } = await scrolled(question, insertNew('2024-05-01 12:00:20'));
    expect([numbersOf(all), isIncomplete]).toEqual([first500, false]);
  });

  test('come in the pages of the endpoint, if it has some', async () => {
    const question = questionOf('odd.paged', 'bursts', { bounds: { from: FROM - 1, to: FROM + 15_000 } });
    expect(hasPages(question)).toBe(true);
    const pages: number[] = [];
    const { all } = await scrolled(question, async (page) => {
      pages.push(page);
      await insertNew('2024-05-01 12:00:14')(page);
    });
    expect(numbersOf(all)).toEqual(first500);
  });

  test('go on before a time that more rows have than a response', async () => {
    const question = questionOf('odd.all', 'bursts', {
      bounds: { from: FROM + 60 * MINUTE, to: FROM + 70 * MINUTE },
    });
    await service.engine.execute(`INSERT INTO odd.bursts SELECT 20000 + number,
      toDateTime('2024-05-01 13:05:00', 'UTC') - if(number < 150, 0, 1), 'same' FROM numbers(160)`);
    const { all, isIncomplete } = await scrolled(question);
    expect(isIncomplete).toBe(true);
    expect(new Set(all.map(({ n }) => n)).size).toBe(all.length);
    expect(all.filter(({ n }) => Number(n) >= 20_150)).toHaveLength(10);
    expect(all.length).toBeGreaterThanOrEqual(110);
  });
});

test('a key that may send LQL only sees a histogram of LQL, and tables whose time is called timestamp', async () => {
  const own = (await client.list(LQL_KEY)).endpoints.find(({ name }) => name === 'odd.all');
  if (own === undefined) throw new Error('the key may call odd.all');
  expect(logViewsOf(own).map(({ table }) => table)).toEqual(['bursts']);
  const question = { ...questionOf('odd.all', 'bursts'), endpoint: own };
  const bounds = { from: FROM - 1, to: FROM + 8 * MINUTE };
  expect([canSendSql(question), canSendSql(questionOf('odd.all', 'bursts'))]).toEqual([false, true]);
  const asked = histogramByLql({ ...question, bounds });
  const buckets = readHistogram(asked, (await client.run(LQL_KEY, asked.ask, run)).rows);
  expect(buckets.length).toBeLessThanOrEqual(60);
  expect(sum(buckets.map(({ rows }) => rows))).toBeGreaterThanOrEqual(500);
});

function levelOf(row: Row, { level }: LogView): Json | undefined {
  if (level === undefined) return undefined;
  return level in row ? row[level] : level.split('.').reduce<Json | undefined>(fieldOf, row);
}

function fieldOf(value: Json | undefined, key: string): Json | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, Json>>)[key]
    : undefined; // JSON
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
