// Queries whose functions accept only some values of their parameters: honest ones have no errors, broken ones have.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Parameter } from '../../../src/service/config/generated/endpoint.ts';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { checkOnEngine } from '../../../src/cli/checks/engine/engine-check.ts';
import { NO_TABLES } from '../../../src/cli/checks/engine/tables-on-engine.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const TABLES = `CREATE DATABASE shop;
CREATE TABLE shop.events (ts DateTime64(3, 'UTC'), d Date, id UUID, kind Enum8('view' = 1, 'click' = 2), s String, doc String,
  n Int64, price Decimal(10, 2), f Float64, words Array(String), ip IPv4, ip6 IPv6, attributes Map(String, String), vec Array(Float32))
ENGINE = MergeTree ORDER BY ts;`;

const inspect = createInspect({ piiHashKey: undefined });
let engine: Engine;
let folder: string;
let described = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-values-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  const real = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  engine = { ...real, describe: (statement) => (described++, real.describe(statement)) };
  await engine.execute(TABLES);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

type Specs = Record<string, string | Parameter>;
type Values = Record<string, unknown>;

function fileOf(query: string, parameters: Specs, example?: Values) {
  const specs = Object.entries(parameters).map(([name, spec]) => [
    name,
    typeof spec === 'string' ? { type: spec, required: true } : spec,
  ]);
  const text = stringify({
    id: '5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30',
    name: 'shop.events',
    query,
    parameters: Object.fromEntries(specs),
    ...(example === undefined ? {} : { examples: [{ name: 'one', parameters: example }] }),
  });
  const { inspected, diagnostics } = inspect('a.yaml', text);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  return inspected;
}

async function check(query: string, parameters: Specs, example?: Values) {
  described = 0;
  const file = fileOf(query, parameters, example);
  const findings = await checkOnEngine(engine, file, NO_TABLES);
  const calls = described;
  const columns = await createDescribe(engine).result(file.candidate.endpoint);
  return { findings: findings.map(({ severity, code }) => `${severity} ${code}`), columns, calls };
}

describe('honest queries', () => {
  test.each<[why: string, query: string, parameters: Specs, example?: Values]>([
    ['array with enum', 'SELECT s FROM shop.events WHERE kind IN @kinds', { kinds: { type: 'Array(String)', enum: ['view', 'click'], required: true } }],
    ['array of Enum', 'SELECT s FROM shop.events WHERE kind IN @kinds', { kinds: "Array(Enum8('view' = 1, 'click' = 2))" }],
    ['interval in minutes', 'SELECT toStartOfInterval(ts, INTERVAL @n MINUTE) AS t FROM shop.events', { n: { type: 'UInt16', min: 1, required: true } }],
    ['interval without min', 'SELECT toStartOfInterval(ts, INTERVAL @n HOUR) AS t FROM shop.events', { n: 'UInt16' }],
    ['interval, optional', 'SELECT toStartOfInterval(ts, INTERVAL @n HOUR) AS t FROM shop.events', { n: { type: 'UInt16', default: 5 } }],
    ['time zone', 'SELECT toTimeZone(ts, @tz) AS t FROM shop.events', { tz: 'String' }],
    ['time zone of a format', "SELECT formatDateTime(ts, '%F', @tz) AS t FROM shop.events", { tz: 'String' }],
    ['format and time zone', 'SELECT formatDateTime(ts, @pattern, @tz) AS t FROM shop.events', { pattern: 'String', tz: 'String' }],
    ['time zone of a bucket', 'SELECT toStartOfDay(ts, @tz) AS t, toStartOfInterval(ts, INTERVAL @n HOUR, @tz) AS u FROM shop.events', { tz: 'String', n: 'UInt8' }],
    ['modulo', 'SELECT n % @n AS rest FROM shop.events', { n: 'Int64' }],
    ['division', 'SELECT intDiv(n, @n) AS whole, modulo(n, @m) AS rest FROM shop.events', { n: 'Int64', m: 'UInt8' }],
    ['UUID', 'SELECT s FROM shop.events WHERE id = toUUID(@id)', { id: 'String' }],
    ['UUID by cast', 'SELECT s FROM shop.events WHERE id = @id::UUID', { id: 'String' }],
    ['UUID by CAST', 'SELECT s FROM shop.events WHERE id = CAST(@id AS UUID)', { id: 'String' }],
    ['UUID compared as a string', 'SELECT s FROM shop.events WHERE id = @id', { id: 'String' }, { id: '61f0c404-5cb3-11e7-907b-a6006ad3dba0' }],
    ['best effort', 'SELECT s FROM shop.events WHERE ts > parseDateTimeBestEffort(@s)', { s: 'String' }],
    ['parseDateTime', "SELECT s FROM shop.events WHERE ts > parseDateTime(@s, '%Y-%m-%d')", { s: 'String' }, { s: '2024-01-01' }],
    ['toDateTime with a zone', 'SELECT s FROM shop.events WHERE ts > toDateTime(@s, @tz)', { s: 'String', tz: 'String' }],
    ['four strings of different kinds', 'SELECT toTimeZone(ts, @tz) AS t FROM shop.events WHERE id = toUUID(@id) AND ip = toIPv4(@ip) AND ts > toDateTime(@since)', { tz: 'String', id: 'String', ip: 'String', since: 'String' }],
    ['JSON_VALUE', 'SELECT JSON_VALUE(doc, @path) AS v FROM shop.events', { path: 'String' }],
    ['JSONExtract with a type', "SELECT JSONExtract(doc, @key, 'String') AS v FROM shop.events", { key: 'String' }],
    ['index of an array', 'SELECT words[@i] AS w FROM shop.events', { i: 'Int64' }],
    ['index of a tuple', 'SELECT tupleElement((s, n), @i) AS v FROM shop.events', { i: 'UInt8' }],
    ['quantile', 'SELECT quantile(@q)(f) AS v FROM shop.events', { q: 'Float64' }],
    ['quantiles', 'SELECT quantiles(@a, @b)(f) AS v FROM shop.events', { a: 'Float64', b: 'Float64' }],
    ['topK', 'SELECT topK(@k)(s) AS v FROM shop.events', { k: 'UInt8' }],
    ['histogram', 'SELECT histogram(@bins)(f) AS v FROM shop.events', { bins: 'UInt8' }],
    ['separator', 'SELECT splitByChar(@sep, s) AS v FROM shop.events', { sep: 'String' }],
    ['unit of dateTrunc', 'SELECT dateTrunc(@unit, ts) AS v FROM shop.events', { unit: 'String' }],
    ['unit of dateDiff', "SELECT dateDiff(@unit, ts, now()) AS v FROM shop.events", { unit: { type: 'String', enum: ['second', 'hour'], required: true } }],
    ['groups', 'SELECT extractGroups(s, @re) AS v FROM shop.events', { re: { type: 'String', format: 'regex', required: true } }],
    ['range of addresses', 'SELECT s FROM shop.events WHERE isIPAddressInRange(toString(ip), @cidr)', { cidr: 'String' }],
    ['addresses', 'SELECT s FROM shop.events WHERE ip = toIPv4(@a) AND ip6 = toIPv6(@b)', { a: 'String', b: 'String' }],
    ['substring', 'SELECT substring(s, @start, @length) AS v FROM shop.events', { start: 'Int64', length: 'Int64' }],
    ['fixed string', 'SELECT toFixedString(s, @n) AS v FROM shop.events', { n: 'UInt8' }],
    ['cast to a number', 'SELECT n > @s::Int64 AS v, toUInt32(@t) AS u FROM shop.events', { s: 'String', t: 'String' }],
    ['cast to an Enum', "SELECT s FROM shop.events WHERE kind = CAST(@k AS Enum8('view' = 1, 'click' = 2))", { k: 'String' }, { k: 'click' }],
    ['aggregate by name', 'SELECT arrayReduce(@f, [n]) AS v FROM shop.events', { f: 'String' }],
    ['a function of the column itself', 'SELECT s FROM shop.events WHERE throwIf(@n < 5) = 0', { n: { type: 'UInt8', min: 5, required: true } }],
    ['two constants that fit each other', 'SELECT cosineDistance([1., 2.], @v) AS v FROM shop.events', { v: 'Array(Float64)' }, { v: [1, 2] }],
    ['a vector', 'SELECT cosineDistance(vec, @v) AS v FROM shop.events', { v: 'Array(Float32)' }],
    ['a token', 'SELECT s FROM shop.events WHERE hasToken(s, @w)', { w: 'String' }],
    ['a key of a map', 'SELECT attributes[@key] AS v FROM shop.events', { key: 'String' }],
    ['ends of WITH FILL', 'SELECT ts, n FROM shop.events ORDER BY ts WITH FILL FROM @from TO @to STEP INTERVAL 1 DAY', { from: 'DateTime64(3)', to: 'DateTime64(3)' }],
    ['FROM before a value', "SELECT extract(DAY FROM @day) AS d, trim(BOTH ' ' FROM @s) AS t, s IS DISTINCT FROM @s AS e FROM shop.events", { day: 'Date', s: 'String' }],
    ['elements of a tuple', 'SELECT @p.lat AS a, @p.2 AS b FROM shop.events', { p: 'Tuple(lat Float64, lon Float64)' }],
    ['a map', 'SELECT @m[s] AS v, mapKeys(@m) AS k FROM shop.events', { m: 'Map(String, UInt64)' }],
    ['a tuple', 'SELECT s FROM shop.events WHERE (s, n) = @pair', { pair: 'Tuple(String, Int64)' }],
    ['a list of tuples', 'SELECT s FROM shop.events WHERE (s, n) IN @pairs', { pairs: 'Array(Tuple(String, Int64))' }],
    ['a zoned time', "SELECT s FROM shop.events WHERE ts > @since", { since: "DateTime64(3, 'Europe/Berlin')" }],
    ['LIMIT and OFFSET', 'SELECT s FROM shop.events ORDER BY ts LIMIT @n OFFSET @m', { n: 'UInt16', m: 'UInt16' }],
    ['a function in WITH, of the parameter', 'WITH toUUID(@id) AS u SELECT s FROM shop.events WHERE id = u', { id: 'String' }],
    ['a table of WITH', 'WITH t AS (SELECT s, toTimeZone(ts, @tz) AS at FROM shop.events) SELECT s, at FROM t WHERE id_ = toUUID(@id)'.replace('id_', 'generateUUIDv4()'), { tz: 'String', id: 'String' }],
    ['a decimal', 'SELECT s FROM shop.events WHERE price > @p AND price % @q = 0', { p: 'Decimal(10, 2)', q: 'Decimal64(2)' }],
    ['nullable', 'SELECT s FROM shop.events WHERE @k IS NULL OR s = @k', { k: { type: 'Nullable(String)' } }],
    ['a pattern of events', "SELECT sequenceMatch(@p)(toDateTime(ts), kind = 'view', kind = 'click') AS m FROM shop.events", { p: 'String' }],
    ['many strings', 'SELECT ngramDistance(s, @a) AS a, hasToken(s, @b) AS b, URLHierarchy(@c) AS c, base64Decode(@d) AS d, unhex(@e) AS e, extractAll(s, @f) AS f, splitByChar(@g, s) AS g FROM shop.events', Object.fromEntries('abcdefg'.split('').map((name) => [name, 'String']))],
    ['days of a range', 'SELECT ts AS t, count() AS c FROM shop.events GROUP BY t ORDER BY t WITH FILL FROM toDateTime64(@a, 3) TO toDateTime64(@b, 3) STEP toIntervalHour(@n)', { a: 'String', b: 'String', n: 'UInt8' }],
    ['a zone by another name', 'WITH @tz AS zone, @id AS x SELECT toTimeZone(ts, zone) AS t FROM shop.events', { tz: 'String', id: 'String' }],
    ['FixedString and LowCardinality', 'SELECT s FROM shop.events WHERE s = @a OR s = @b', { a: 'FixedString(2)', b: 'LowCardinality(String)' }],
  ])('%s', async (_why, query, parameters, example) => {
    const { findings, columns } = await check(query, parameters, example);
    expect([findings, columns?.length ?? 0]).toEqual([[], expect.toSatisfy((n: number) => n > 0)]);
  }); // prettier-ignore

  test('are analysed in one call per part if the first values work', async () => {
    expect((await check('SELECT n % @n AS r FROM shop.events', { n: 'Int64' })).calls).toBe(1);
    const withExample = await check('SELECT s FROM shop.events WHERE id = @id', { id: 'String' }, { id: '61f0c404-5cb3-11e7-907b-a6006ad3dba0' });
    expect(withExample.calls).toBe(1);
  }); // prettier-ignore
});

describe('queries that need a value that only the author knows', () => {
  test.each<[why: string, query: string, parameters: Specs, columns: readonly string[] | undefined]>([
    ['the type of the result does not depend on it', "SELECT transform(toString(kind), ['a'], ['b'], s) AS v, CAST(@k AS Enum8('x1' = 77)) AS e FROM shop.events", { k: 'String' }, ['v', 'e']],
    ['the engine needs a constant', "SELECT dictGet(@name, 'a', n) AS v FROM shop.events", { name: 'String' }, undefined],
  ])('%s', async (_why, query, parameters, names) => {
    const { findings, columns, calls } = await check(query, parameters);
    expect([findings, columns?.map(({ name }) => name)]).toEqual([['warning engine.value_needed'], names]);
    expect(calls).toBeLessThan(40);
  }); // prettier-ignore
});

describe('broken queries are errors, whatever the values are', () => {
  test.each<[code: string, query: string, parameters: Specs, example?: Values]>([
    ['engine.unknown_column', 'SELECT nope FROM shop.events WHERE id = toUUID(@id)', { id: 'String' }],
    ['engine.unknown_column', 'SELECT toTimeZone(tss, @tz) AS t FROM shop.events', { tz: 'String' }],
    ['engine.unknown_table', 'SELECT s FROM shop.event WHERE s = @s', { s: 'String' }],
    ['engine.unknown_function', 'SELECT toTimeZon(ts, @tz) AS t FROM shop.events', { tz: 'String' }],
    ['engine.wrong_type', 'SELECT sum(@s) AS v FROM shop.events', { s: 'String' }],
    ['engine.wrong_type', 'SELECT toStartOfHour(@s) AS v FROM shop.events', { s: 'String' }],
    ['engine.wrong_type', "SELECT s FROM shop.events WHERE ts > 'yesterday' AND s = @s", { s: 'String' }],
    ['engine.wrong_type', "SELECT s FROM shop.events WHERE n = 'abc' AND id = toUUID(@id)", { id: 'String' }],
    ['engine.wrong_type', 'SELECT s FROM shop.events WHERE n = @s', { s: 'String' }],
    ['engine.wrong_aggregate', 'SELECT s, count() AS c FROM shop.events WHERE n % @n = 0', { n: 'Int64' }],
    ['engine.wrong_arguments', 'SELECT toUUID(@id, 1, 2, 3) AS v FROM shop.events', { id: 'String' }],
    ['engine.wrong_arguments', "SELECT splitByChar('', s) AS v FROM shop.events WHERE s = @s", { s: 'String' }],
    ['engine.syntax', 'SELECT s FROM shop.events WHERE AND n % @n = 1', { n: 'Int64' }],
  ])('%s: %s', async (code, query, parameters, example) => {
    const { findings, calls } = await check(query, parameters, example);
    expect(findings).toEqual([`error ${code}`]);
    expect(calls).toBeLessThan(12); // some of them look for the place
  }); // prettier-ignore
});
