// LQL and the equivalent hand-written SQL, over the corpus fixture on the real engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../../support/runs.ts';
import { column, type Lab, openLab } from './corpus.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

/** The fixture's `toDateTime64` of a time on its first or second day. */
const at = (time: string) => `toDateTime64('2024-01-${time}', 3, 'UTC')`;

const FILTERS = [
  { lql: 'hello', where: "event_message LIKE '%hello%'", all: true },
  { lql: '"hello 3"', where: "event_message LIKE 'hello 3%'" },
  { lql: '~"[37]$"', where: "event_message LIKE '%3' OR event_message LIKE '%7'" },
  { lql: '~(?i)HELLO', where: '1', all: true },
  { lql: 'hello "1" -"11"', where: "event_message LIKE '%1%' AND event_message NOT LIKE '%11%'" },
  { lql: 'method:PUT', where: "method = 'PUT'" },
  { lql: 'path:/api/v1/x', where: "path = '/api/v1/x'" },
  { lql: 'path:~"\\?q="', where: "path LIKE '%?q=%'" },
  { lql: 'ip:10.0.0.1', where: "ip = '10.0.0.1'" },
  { lql: 'status:500', where: 'status = 500' },
  { lql: 'status:(404|500)', where: 'status IN (404, 500)' },
  { lql: 'status:(404|500..503|"200")', where: 'status IN (200, 404, 500, 503)', all: true },
  { lql: 'ms:(10.5|42|-1)', where: 'ms IN (10.5, 42)' },
  { lql: 'method:(PUT|"no such"|GET)', where: "method IN ('PUT', 'GET')" },
  { lql: 'tags:@>(b|zz)', where: "has(tags, 'b')" },
  { lql: 'attrs.k:(7|9..10|NULL)', where: "attrs['k'] IN ('7', '9', '10')" },
  { lql: 'attrs.zone:(x|NULL)', where: '1', all: true },
  {
    lql: 'm.response.status_code:(500|abc|2024-01-01)',
    where: "metadata.response.status_code::String = '500'",
  },
  { lql: 'm.nothing.here:(5|abc)', where: '0', none: true },
  { lql: 'm.request.path:(/p10|/p11|99)', where: "metadata.request.path.:String IN ('/p10', '/p11')" },
  { lql: 'status:>=500', where: 'status >= 500' },
  { lql: 'status:>500', where: 'status > 500' },
  { lql: 'status:<404', where: 'status < 404' },
  { lql: 'status:<=404', where: 'status <= 404' },
  { lql: 'status:200..404', where: 'status IN (200, 404)' },
  { lql: 'status:"404"', where: 'status = 404' },
  { lql: 'status:~^50', where: 'status IN (500, 503)' },
  { lql: 'ms:10.5', where: 'ms = 10.5' },
  { lql: 'ms:10.5..42', where: 'ms >= 10.5 AND ms <= 42' },
  { lql: 'ms:>-1', where: '1', all: true },
  { lql: 'attrs.region:eu', where: "attrs['region'] = 'eu'", all: true },
  { lql: 'attrs.k:7', where: "attrs['k'] = '7'" },
  { lql: 'attrs.k:>=7', where: "toInt32(attrs['k']) >= 7" },
  { lql: 'attrs.k:"7"', where: "attrs['k'] = '7'" },
  { lql: 'attrs.k:5..20', where: "toInt32(attrs['k']) BETWEEN 5 AND 20" },
  { lql: 'attrs.zone:NULL', where: "NOT has(mapKeys(attrs), 'zone')", all: true },
  { lql: 'attrs.zone:x', where: '0', none: true },
  { lql: 'tags:@>b', where: "arrayStringConcat(tags) = 'ab'" },
  { lql: 'tags:@>~^[b-z]', where: "has(tags, 'b')" },
  { lql: 'm.response.status_code:500', where: "metadata.response.status_code::String = '500'" },
  { lql: 'm.response.status_code:>=500', where: 'metadata.response.status_code.:Int64 >= 500' },
  { lql: 'm.response.status_code:"500"', where: 'metadata.response.status_code.:Int64 = 500' },
  { lql: 'm.response.status_code:100..300', where: 'metadata.response.status_code.:Int64 < 300' },
  { lql: 'metadata.request.path:/p10', where: "metadata.request.path = '/p10'" },
  { lql: 'm.request.path:~^/p1', where: "startsWith(metadata.request.path.:String, '/p1')" },
  { lql: 'm.request.path:(/p10)', where: "metadata.request.path = '/p10'" },
  { lql: 'm.request.path:>/p3', where: "metadata.request.path.:String > '/p3'" },
  { lql: 'm.request.method:5', where: '0', none: true },
  { lql: 'm.response.arr:@>2', where: '1', all: true },
  { lql: 'm.response.arr:@>3', where: '0', none: true },
  { lql: 'm.nothing.here:NULL', where: 'metadata.nothing.here IS NULL', all: true },
  { lql: 'm.request.headers.cf:NULL', where: '0', none: true },
  { lql: 'm.request:NULL', where: '0', none: true },
  { lql: 'm.request.path:NULL', where: '0', none: true },
  { lql: 't:>2024-01-02', where: `timestamp > ${at('02 00:00:00')}` },
  { lql: 't:>=2024-01-01T05:00:05', where: `timestamp >= ${at('01 05:00:05')}` },
  { lql: 't:<2024-01-01T05:00:05Z', where: `timestamp < ${at('01 05:00:05')}` },
  { lql: 't:<=2024-01-01T07:00:05+02:00', where: `timestamp <= ${at('01 05:00:05')}` },
  { lql: 't:2024-01-01T05:00:05', where: `timestamp = ${at('01 05:00:05')}` },
  { lql: 't:1704085205', where: `timestamp = ${at('01 05:00:05')}` },
  { lql: 't:1704085205000', where: `timestamp = ${at('01 05:00:05')}` },
  { lql: 't:1704085205000000', where: `timestamp = ${at('01 05:00:05')}` },
  { lql: 't:2024-01-01', where: "toDate(timestamp) = '2024-01-01'" },
  { lql: 't:2024-01-01..2024-01-02', where: '1', all: true },
  { lql: 't:2024-01-{01..01}', where: "toDate(timestamp) = '2024-01-01'" },
  {
    lql: 't:2024-01-{01..02}T{05..07}:00:{00..31}',
    where: `timestamp BETWEEN ${at('01 05:00:00')} AND ${at('02 07:00:31')}`,
  },
  {
    lql: 't:2024-01-01T05:00:05..2024-01-01T10:00:10',
    where: `timestamp BETWEEN ${at('01 05:00:05')} AND ${at('01 10:00:10')}`,
  },
  { lql: 't:today', where: "toDate(timestamp) = '2024-01-02'" },
  { lql: 't:yesterday', where: "toDate(timestamp) = '2024-01-01'" },
  { lql: 't:now', where: `toStartOfSecond(timestamp) = ${at('02 05:30:15')}`, none: true },
  { lql: 't:last@1h', where: `timestamp >= ${at('02 04:00:00')} AND timestamp <= ${at('02 05:30:15.250')}` },
  {
    lql: 't:last@5400s',
    where: `timestamp >= ${at('02 04:00:15.250')} AND timestamp <= ${at('02 05:30:15.250')}`,
  },
  { lql: 't:this@day', where: `timestamp >= ${at('02 00:00:00')} AND timestamp <= ${at('02 05:30:15.250')}` },
  {
    lql: 't:this@week',
    where: `timestamp <= ${at('02 05:30:15.250')}`,
    why: 'that week started on the first day',
  },
  {
    lql: 'm.response.status_code:>=500 t:last@12h status:404',
    where: `metadata.response.status_code::String = '500' AND timestamp BETWEEN ${at('01 17:00:00')} AND ${at('02 05:30:15.250')} AND status = 404`,
  },
];

/** Filters that a minus negates as a whole. */
const SINGLE = FILTERS.filter(({ lql }) => !lql.includes(' ') || lql.startsWith('"'));

const ids = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row));

describe('filters', () => {
  test.each(FILTERS)('$lql', async ({ lql, where, all = false, none = false }) => {
    const asked = ids(await lab.ask(`${lql} s:id`));
    const byHand = ids(await lab.sql(`SELECT id FROM edge_logs WHERE ${where} ORDER BY timestamp DESC`));
    expect(asked).toEqual(byHand);
    // A filter that lets through all or nothing by mistake would show nothing.
    expect({ all: asked.length === 26, none: asked.length === 0 }).toEqual({ all, none });
  });

  test.each(some(SINGLE, 2))('-$lql matches all others', async ({ lql, where }) => {
    const others = ids(await lab.ask(`-${lql} s:id`));
    const byHand = ids(
      await lab.sql(`SELECT id FROM edge_logs WHERE NOT (${where}) ORDER BY timestamp DESC`),
    );
    expect(others).toEqual(byHand);
  });
});

describe('selected columns', () => {
  test.each([
    { lql: '', sql: 'SELECT * FROM edge_logs ORDER BY timestamp DESC', why: 'every column, newest first' },
    { lql: 's:*', sql: 'SELECT * FROM edge_logs ORDER BY timestamp DESC' },
    { lql: 'f:auth_logs', sql: 'SELECT * FROM auth_logs ORDER BY timestamp DESC' },
    {
      lql: 'f:auth_logs s:timestamp s:m.response.status_code@code action:login',
      sql: "SELECT timestamp, metadata.response.status_code AS code FROM auth_logs WHERE action = 'login' ORDER BY timestamp DESC",
    },
    {
      lql: 's:m.request.path s:attrs.k s:tags s:ms',
      sql: "SELECT metadata.request.path AS metadata_request_path, attrs['k'] AS attrs_k, tags, ms FROM edge_logs ORDER BY timestamp DESC",
    },
    {
      lql: 's:m.request@request s:m.response.arr@arr',
      sql: 'SELECT metadata.^request AS request, metadata.response.arr AS arr FROM edge_logs ORDER BY timestamp DESC',
      why: 'an object is returned as a whole',
    },
    {
      lql: 's:m.request.path@timestamp s:status@event_message t:>2024-01-02 hello',
      sql: `SELECT p AS timestamp, s AS event_message FROM (SELECT metadata.request.path AS p, status AS s, timestamp AS t FROM edge_logs WHERE timestamp > ${at('02 00:00:00')}) ORDER BY t DESC`,
      why: 'an alias replaces no column',
    },
    {
      lql: 's:m.request@edge_logs status:404',
      sql: 'SELECT metadata.^request AS edge_logs FROM edge_logs WHERE status = 404 ORDER BY timestamp DESC',
    },
  ])('$lql', async ({ lql, sql }) => {
    const asked = await lab.ask(lql);
    expect(asked).toEqual(await lab.sql(sql));
    expect(asked).not.toHaveLength(0);
  });
});

describe('charts', () => {
  const chart = (count: string, { table = 'edge_logs', where = '1', bucket = 'toStartOfHour' } = {}) =>
    `SELECT ${bucket}(e.timestamp) AS timestamp, ${count} AS count FROM ${table} AS e WHERE ${where} GROUP BY 1 ORDER BY 1`;
  const code = 'e.metadata.response.status_code.:Int64';

  test.each([
    { lql: 'c:count(*) c:group_by(t::hour)', sql: chart('count()') },
    { lql: 'c:count(*)', sql: chart('count()', { bucket: 'toStartOfMinute' }) },
    {
      lql: 's:id@a s:* s:nope c:count(*) c:group_by(t::hour)',
      sql: chart('count()'),
      why: 'a chart has its own columns',
    },
    { lql: 'c:group_by(t::d)', sql: chart('count()', { bucket: 'toStartOfDay' }) },
    {
      lql: 'c:group_by(t::s) status:500',
      sql: chart('count()', { bucket: 'toStartOfSecond', where: 'status = 500' }),
    },
    {
      lql: 'c:count(m.nothing) c:group_by(t::day)',
      sql: chart('0', { bucket: 'toStartOfDay' }),
      why: 'of values',
    },
    {
      lql: 'c:countd(method) c:group_by(t::day)',
      sql: chart('count(DISTINCT method)', { bucket: 'toStartOfDay' }),
    },
    { lql: 'c:countd(m.request.path) c:group_by(t::day)', sql: chart('count()', { bucket: 'toStartOfDay' }) },
    { lql: 'c:avg(ms) c:group_by(t::day)', sql: chart('sum(ms) / count()', { bucket: 'toStartOfDay' }) },
    {
      lql: 'c:sum(attrs.k) c:group_by(t::day)',
      sql: chart("sum(toInt32(attrs['k']))", { bucket: 'toStartOfDay' }),
    },
    { lql: 'c:min(ms) c:group_by(t::day)', sql: chart('min(ms)', { bucket: 'toStartOfDay' }) },
    {
      lql: 'c:max(attrs.k) c:group_by(t::day)',
      sql: chart("max(toInt32(attrs['k']))", { bucket: 'toStartOfDay' }),
      why: '9 is less than 39',
    },
    { lql: 'c:p50(ms) c:group_by(t::day)', sql: chart('quantile(0.5)(ms)', { bucket: 'toStartOfDay' }) },
    {
      lql: 'c:p99(status) c:group_by(t::day)',
      sql: chart('quantile(0.99)(status)', { bucket: 'toStartOfDay' }),
    },
    {
      lql: 'f:auth_logs c:p95(m.response.status_code) c:group_by(t::hour) m.request.method:GET',
      sql: chart(`quantile(0.95)(${code})`, { table: 'auth_logs' }),
    },
    {
      lql: 'c:avg(m.response.status_code) c:group_by(t::day)',
      sql: chart(`avg(${code})`, { bucket: 'toStartOfDay' }),
    },
  ])('$lql', async ({ lql, sql }) => {
    const asked = await lab.ask(lql);
    expect(readable(asked)).toEqual(readable(await lab.sql(sql)));
    expect(asked.length).toBeGreaterThan(1);
  });
});

/** Buckets as moments, however precisely the engine prints them, and their counts. */
function readable(rows: readonly unknown[]): readonly unknown[] {
  const starts = column(rows, 'timestamp').map((start) => Date.parse(String(start)));
  return column(rows, 'count').map((count, index) => [starts[index], count]);
}
