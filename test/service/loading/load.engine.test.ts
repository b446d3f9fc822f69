// Loading files of rows into tables: every row or none, through views, and undone whenever it does not end.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { readAll, readRows } from '../../../src/service/engine/rows.ts';
import { copyRows } from '../../../src/service/loading/aside.ts';
import { readJournal, recoverLoads, writeJournal } from '../../../src/service/loading/journal.ts';
import type { LoadEvent } from '../../../src/service/loading/load-event.ts';
import { createLoad, type LoadRequest } from '../../../src/service/loading/load.ts';
import { readTables } from '../../../src/service/loading/tables.ts';
import { statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const TABLES = `CREATE DATABASE app;
CREATE TABLE app.events (id UInt32, at DateTime('UTC'), tag LowCardinality(String) DEFAULT 'none', n UInt8, small Array(Nullable(Int8)), upper String MATERIALIZED upper(tag)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE app.totals (tag String, n UInt64) ENGINE = SummingMergeTree ORDER BY tag;
CREATE MATERIALIZED VIEW app.to_totals TO app.totals AS SELECT tag, count() AS n FROM app.events GROUP BY tag;
CREATE MATERIALIZED VIEW app.sums (tag String, n UInt64) ENGINE = SummingMergeTree ORDER BY tag AS SELECT tag, n FROM app.totals;
CREATE DICTIONARY app.known (tag String, n UInt64) PRIMARY KEY tag SOURCE(CLICKHOUSE(DB 'app' TABLE 'totals')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
CREATE TABLE app.strict (id UInt8, CONSTRAINT small CHECK id < 100) ENGINE = MergeTree ORDER BY id;
CREATE TABLE app.last (id UInt8, day Date) ENGINE = ReplacingMergeTree ORDER BY id PARTITION BY day;
CREATE TABLE app.states (day Date, visitors AggregateFunction(uniq, String), hits AggregateFunction(count)) ENGINE = AggregatingMergeTree ORDER BY day;
CREATE TABLE app.short (at DateTime, n UInt8) ENGINE = MergeTree ORDER BY n TTL at + INTERVAL 1 DAY;
CREATE TABLE app.blank (e String EPHEMERAL 'x', s String DEFAULT concat(e, '!'), i Int64 DEFAULT 7) ENGINE = MergeTree ORDER BY s;
CREATE TABLE app.fragile (n UInt32) ENGINE = MergeTree ORDER BY n;
CREATE TABLE app.broken (n UInt32) ENGINE = MergeTree ORDER BY n;
CREATE MATERIALIZED VIEW app.to_broken TO app.broken AS SELECT n + throwIf(n = 13, 'thirteen') AS n FROM app.fragile;
CREATE VIEW app.shown AS SELECT 1 AS n`;

let engine: Engine;
let data: string;
let load: ReturnType<typeof createLoad>;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'millrace-'));
  const options = { connections: 4, queue: 10, memory: 2 ** 30, observe: () => undefined };
  engine = await createEmbeddedEngine({ ...REAL_TIME, path: join(data, 'engine'), ...options });
  for (const sql of TABLES.split(';\n')) await engine.execute(sql);
  load = createLoad({ engine, dataFolder: data, now: () => new Date('2024-05-01T12:00:00Z') });
});
afterAll(() => engine.close(0));

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Options = Partial<Omit<LoadRequest, 'bytes'>> & { readonly chunk?: number };

/** The events without progress. */
async function events(
  table: string,
  content: string | Uint8Array,
  options: Options = {},
): Promise<LoadEvent[]> {
  const { chunk = 7, ...rest } = options;
  const bytes = chunked(Buffer.from(content), chunk);
  const request = {
    table,
    name: 'f',
    format: 'ndjson',
    keepsGoodRows: false,
    again: false,
    ...rest,
  } as const;
  const all: LoadEvent[] = [];
  for await (const event of load({ ...request, bytes })) if (event.kind !== 'progress') all.push(event);
  return all;
}

const rowsOf = (sql: string): Promise<readonly unknown[]> => readRows(engine, sql);

test('NDJSON, CSV and Parquet, with defaults, through chains of views, and into dictionaries', async () => {
  const json =
    '\ufeff{"id":1,"at":"2024-05-01T10:00:00Z","tag":"a","small":[1,null]}\r\n\n {"id":2,"tag":"b\\n"}\t\n{"id":3}';
  expect(await events('app.events', json)).toEqual([{ kind: 'loaded', rows: 3, rejected: 0 }]);
  const csv = 'id, "tag",at\r\n4,"a ""quoted""\nline",2024-05-01 10:00:00\r\n\r\n5,a,\n';
  expect(await events('app.events', csv, { format: 'csv' })).toEqual([
    { kind: 'loaded', rows: 2, rejected: 0 },
  ]);
  const made = statement("SELECT toUInt64(6) AS id, 'p' AS tag, [toInt16(1)] AS small");
  const parquet = await readAll((await engine.run(made, { format: 'Parquet' })).chunks);
  expect(await events('app.events', parquet, { format: 'parquet' })).toEqual([
    { kind: 'loaded', rows: 1, rejected: 0 },
  ]);
  expect(await rowsOf('SELECT id, tag, upper, toUnixTimestamp(at) > 0 FROM app.events ORDER BY id')).toEqual([
    [1, 'a', 'A', 1],
    [2, 'b\n', 'B\n', 0],
    [3, 'none', 'NONE', 0],
    [4, 'a "quoted"\nline', 'A "QUOTED"\nLINE', 1],
    [5, 'a', 'A', 0],
    [6, 'p', 'P', 0],
  ]);
  for (const table of ['totals', 'sums'])
    expect(await rowsOf(`SELECT sum(n), sumIf(n, tag = 'a') FROM app.${table}`)).toEqual([[6, 2]]);
  expect(await rowsOf("SELECT dictGet('app.known', 'n', 'p')")).toEqual([[1]]);
});

test.each([
  {
    table: 'app.last',
    rows: '{"id":1,"day":"2024-01-01"}\n{"id":1,"day":"2024-01-01"}\n',
    sql: 'SELECT count() FROM app.last FINAL',
    result: [[1]],
    why: 'rows that the engine of the table merges',
  },
  {
    table: 'app.states',
    rows: '{"day":"2024-05-01","visitors":["a","b","a"],"hits":[1,1,1]}\n',
    sql: 'SELECT uniqMerge(visitors), countMerge(hits) FROM app.states',
    result: [[2, 3]],
    why: 'states as lists of values',
  },
  {
    table: 'app.blank',
    rows: '{"e":"given"}\n{}\n{"i":null}\n',
    sql: 'SELECT s, i FROM app.blank ORDER BY s',
    result: [
      ['given!', 7],
      ['x!', 7],
      ['x!', 7],
    ],
    why: 'defaults, of ephemeral columns too',
  },
  {
    table: 'app.to_totals',
    rows: '{"tag":"view","n":5}\n',
    sql: "SELECT sum(n) FROM app.totals WHERE tag = 'view'",
    result: [[5]],
    why: 'the table that a view fills',
  },
  {
    table: 'app.known',
    rows: '{"tag":"dictionary","n":6}\n',
    sql: "SELECT dictGet('app.known', 'n', 'dictionary')",
    result: [[6]],
    why: 'the table that a dictionary reads',
  },
])('$table: $why', async ({ table, rows, sql, result }) => {
  expect((await events(table, rows)).at(-1)).toEqual({
    kind: 'loaded',
    rows: expect.any(Number) as number,
    rejected: 0,
  });
  expect(await rowsOf(sql)).toEqual(result);
});

test('more partitions than a block may have', async () => {
  const days = Array.from({ length: 300 }, (_, day) =>
    new Date(Date.UTC(2020, 0, day)).toISOString().slice(0, 10),
  );
  const csv = `id,day\n${days.map((day) => `7,${day}\n`).join('')}`;
  expect(await events('app.last', csv, { format: 'csv' })).toEqual([
    { kind: 'loaded', rows: 300, rejected: 0 },
  ]);
});

test('rows that expire are reported', async () => {
  const rows = '{"at":"2001-01-01","n":1}\n{"at":"2100-01-01","n":2}\n';
  expect(await events('app.short', rows)).toEqual([
    { kind: 'note', text: expect.stringContaining('TTL') },
    { kind: 'loaded', rows: 2, rejected: 0 },
  ]);
});

/** Each with the reason as a pattern. */
const BAD: readonly (readonly [row: string, reason: RegExp, why: string])[] = [
  ['{"id":"x"}', /reading the value of key id/, 'not a number'],
  ['{"id":1', /must be a JSON object/, 'cut off'],
  ['[{"id":1}]', /must be a JSON object/, 'a list'],
  ['null', /must be a JSON object/, 'no object'],
  ['{"id":1}{"id":2}', /1 rows were expected, and 2/, 'two objects'],
  ['{"id":1,"idd":2}', /unknown field.*idd/, 'an unknown column'],
  ['{"id":1,"upper":"A"}', /unknown field.*upper/, 'a column that is computed'],
  ['{"n":256}', /value of n/, 'a number beyond its type, which would wrap around'],
  ['{"id":-1}', /./, 'a negative number'],
  ['{"id":18446744073709551616}', /value of id/, 'a number beyond 64 bits'],
  ['{"small":[1,null,200]}', /value of small/, 'the same in a list'],
  ['{"at":"2024-02-30"}', /\bat\b/, 'a day that does not exist'],
  ['{"at":"2200-01-01 00:00:00"}', /value of at/, 'a time beyond its type'],
  ['{"at":"1969-01-01"}', /value of at/, 'a time before its type'],
  ['{"tag":"\\ud800"}', /./, 'half of a surrogate pair'],
  [`{"id":1,"tag":${'['.repeat(5000)}}`, /./, 'many brackets'],
];

describe('bad rows', () => {
  test('with the good ones kept: each is reported at its line, with its reason', async () => {
    await engine.execute('TRUNCATE TABLE app.events');
    const text = BAD.map(([row], index) => `{"id":${index},"n":255}\n${row}\n`).join('');
    const all = await events('app.events', text, { keepsGoodRows: true, chunk: 1000 });
    const bad = all.filter(({ kind }) => kind === 'bad_row');
    expect(bad).toEqual(
      BAD.map(([row, reason], index) => {
        return { kind: 'bad_row', line: 2 * index + 2, reason: expect.stringMatching(reason) as string, row };
      }),
    );
    expect(all.at(-1)).toEqual({ kind: 'loaded', rows: BAD.length, rejected: BAD.length });
    expect(await rowsOf('SELECT count(), sum(id) FROM app.events')).toEqual([
      [BAD.length, (BAD.length * (BAD.length - 1)) / 2],
    ]);
  });

  test.each(BAD)('%s fails its file: $why', async (row) => {
    const before = await rowsOf('SELECT (SELECT count() FROM app.events), (SELECT sum(n) FROM app.totals)');
    const all = await events('app.events', `{"id":1}\n\n{"id":2}\n${row}\n{"id":"y"}\n`);
    expect(all).toMatchObject([{ kind: 'failed', line: 4 }]);
    expect(await rowsOf('SELECT (SELECT count() FROM app.events), (SELECT sum(n) FROM app.totals)')).toEqual(
      before,
    );
  });

  test('of CSV are found by their first line, whatever their quotes', async () => {
    const csv = 'id,tag\n1,"a\n\n2\n"\nx,b"c\n2,"unclosed ""\n3,b\n';
    const all = await events('app.events', csv, { format: 'csv', keepsGoodRows: true });
    expect(all).toMatchObject([
      { kind: 'bad_row', line: 6, row: 'x,b"c' },
      { kind: 'bad_row', line: 7, row: '2,"unclosed ""\n3,b\n' },
      { kind: 'loaded', rows: 1, rejected: 2 },
    ]);
  });

  test('of a constraint, and bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"id":1}\n{"id":101}\n{"id":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n'),
    ]);
    const all = await events('app.strict', bytes, { keepsGoodRows: true });
    expect(all).toMatchObject([
      { kind: 'bad_row', line: 2, row: '{"id":101}' },
      { kind: 'bad_row', line: 3, row_base64: Buffer.from(bytes.subarray(20, 30)).toString('base64') },
      { kind: 'loaded', rows: 1, rejected: 2 },
    ]);
  });

  test('a whole file of them, in several batches', async () => {
    const text = Array.from({ length: 3000 }, (_, n) => (n % 500 === 0 ? `{"id":${n}}` : '{"n":999}')).join(
      '\n',
    );
    const all = await events('app.events', text, { keepsGoodRows: true, chunk: 2 ** 16 });
    expect(all.at(-1)).toEqual({ kind: 'loaded', rows: 6, rejected: 2994 });
  });
});

test.each([
  {
    table: 'app.evnts',
    content: '{"id":1}',
    failed: { hint: 'Did you mean app.events?' },
    why: 'an unknown table',
  },
  { table: 'system.tables', content: '{}', failed: {}, why: "the engine's own" },
  { table: 'millrace_loads.rows', content: '{}', failed: {}, why: 'one of the loading itself' },
  { table: 'app.shown', content: '{}', failed: { hint: expect.any(String) }, why: 'a view' },
  { table: "app.events` SELECT 1 -- '", content: '{}', failed: {}, why: 'SQL in place of a name' },
  {
    table: 'app.events',
    format: 'csv',
    content: 'id,tagg\n1,a\n',
    failed: { line: 1, hint: 'Did you mean tag?' },
    why: 'an unknown column',
  },
  { table: 'app.events', format: 'csv', content: 'id,id\n1,2\n', failed: {}, why: 'a column twice' },
  {
    table: 'app.events',
    format: 'parquet',
    content: 'PAR1 and not more PAR1',
    failed: {},
    why: 'not Parquet, though its ends say so',
  },
  { table: 'app.events', format: 'parquet', content: '{"id":1}', failed: {}, why: 'not Parquet' },
  {
    table: 'app.events',
    content: Buffer.alloc(2 ** 24 + 10, 'x'),
    failed: { line: 1 },
    why: 'a line of more than 16 MiB',
  },
] as const)('$why', async ({ table, content, failed, ...rest }) => {
  const all = await events(table, content, { ...rest, keepsGoodRows: true, chunk: 2 ** 20 });
  expect(all).toMatchObject([{ kind: 'failed', ...failed }]);
  expect(await leftovers()).toEqual([]);
});

test.each(['SELECT 300 AS n', 'SELECT 1 AS n, 2 AS nn', "SELECT 'x' AS n"])('Parquet of %s', async (sql) => {
  const parquet = await readAll((await engine.run(statement(sql), { format: 'Parquet' })).chunks);
  expect(await events('app.events', parquet, { format: 'parquet' })).toMatchObject([{ kind: 'failed' }]);
});

/** What a load needs while it runs. */
async function leftovers(): Promise<readonly unknown[]> {
  const databases = await rowsOf("SELECT name FROM system.databases WHERE name = 'millrace_loads'");
  const { pending } = await readJournal(data);
  return [
    ...databases,
    ...(pending === undefined ? [] : [pending]),
    ...(existsSync(join(data, 'engine/rows-of-loads')) ? ['files'] : []),
  ];
}

describe('a load that does not end', () => {
  const counts = (): Promise<readonly unknown[]> =>
    rowsOf(
      'SELECT (SELECT count() FROM app.events), (SELECT sum(n) FROM app.totals), (SELECT sum(n) FROM app.sums)',
    );

  test('since a view fails, is undone', async () => {
    expect(await events('app.fragile', '{"n":1}\n{"n":13}\n')).toMatchObject([
      { kind: 'failed', message: expect.stringContaining('thirteen') },
    ]);
    expect(await rowsOf('SELECT n FROM app.fragile UNION ALL SELECT n FROM app.broken')).toEqual([]);
    expect(await leftovers()).toEqual([]);
    expect(await events('app.fragile', '{"n":1}\n')).toEqual([{ kind: 'loaded', rows: 1, rejected: 0 }]);
  });

  test.each(['reading', 'adding'] as const)(
    'since nobody waits for it while it is %s, is undone',
    async (phase) => {
      const before = await counts();
      const bytes = chunked(Buffer.from(`{"id":70,"tag":"${phase}"}\n`), 100);
      const request = {
        table: 'app.events',
        name: 'f',
        format: 'ndjson',
        keepsGoodRows: false,
        again: false,
      } as const;
      for await (const event of load({ ...request, bytes })) {
        expect((await events('app.events', '{}'))[0]).toMatchObject({ kind: 'failed' }); // one at a time
        if (event.kind === 'progress' && event.phase === phase) break;
      }
      expect(await counts()).toEqual(before);
      expect(await leftovers()).toEqual([]);
    },
  );

  test('since its process was killed, is undone before anything reads the tables, and the next load says so', async () => {
    const before = await counts();
    // As a process leaves it that was killed while rows were added.
    await engine.execute('CREATE DATABASE millrace_loads');
    const tables = ['app.events', 'app.totals'].map((table, at) => ({
      table,
      copy: `millrace_loads.copy_${at}`,
    }));
    const known = await readTables(engine);
    const sums = known.targets.get('app.sums') ?? '';
    tables.push({ table: sums, copy: 'millrace_loads.copy_2' });
    for (const each of tables) await copyRows(engine, known, each);
    await engine.execute("INSERT INTO app.events (id, tag) VALUES (1, 'killed')");
    expect(await counts()).not.toEqual(before);
    const pending = { table: 'app.events', name: 'killed.csv', at: '2024-05-01T10:00:00Z', tables };
    await writeJournal(data, { ...(await readJournal(data)), pending });
    // Killed again while it is undone: nothing is lost.
    const half = async (): Promise<void> => {
      await engine.execute('TRUNCATE TABLE app.events');
    };
    await half();
    await recoverLoads(engine, data);
    await recoverLoads(engine, data);
    expect(await counts()).toEqual(before);
    expect(await leftovers()).toEqual([]);
    const said = await events('app.events', '{"id":71}\n');
    expect(said).toMatchObject([
      { kind: 'note', text: expect.stringContaining('killed.csv') },
      { kind: 'loaded' },
    ]);
    expect(await events('app.events', '{"id":72}\n')).toMatchObject([{ kind: 'loaded' }]);
  });
});

test('a file that is in the table is not loaded twice, unless asked to, or the table was created again', async () => {
  const rows = '{"id":80}\n';
  expect(await events('app.strict', rows)).toMatchObject([{ kind: 'loaded' }]);
  expect(await events('strict', rows)).toMatchObject([{ kind: 'failed' }]);
  expect(await events('app.strict', rows)).toEqual([
    { kind: 'already_loaded', rows: 1, at: '2024-05-01T12:00:00.000Z' },
  ]);
  expect(await events('app.strict', rows, { again: true })).toMatchObject([{ kind: 'loaded' }]);
  await engine.execute('CREATE OR REPLACE TABLE app.strict (id UInt8) ENGINE = MergeTree ORDER BY id');
  expect(await events('app.strict', rows)).toMatchObject([{ kind: 'loaded' }]);
});

test('a journal that cannot be read is an error, not an empty one', async () => {
  const path = join(data, 'loads.json');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, 20));
  await expect(events('app.events', '{}')).rejects.toThrow(SyntaxError);
  writeFileSync(path, text);
});
