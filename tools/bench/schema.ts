// Measures sort keys, skip indexes, typed JSON paths and pre-aggregation: the same rows in several tables, queried alternately.
// Produces the figures of docs/operate/scale.md: npx tsx tools/bench/schema.ts --rows 10000000
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Session } from 'chdb';

const DAYS = 7;
const PROJECTS = 1000;
/** A project of medium size: projects differ in size as much as customers do. */
const PROJECT = 400;

const ref = (project: string): string =>
  `arrayStringConcat(arrayMap(i -> char(97 + cityHash64(${project}, i) % 26), range(20)))`;

/** One week of edge proxy rows, each derived from a hash of its number; traffic per project falls off with the cube. */
const eventRows = (rows: number): string => `
  WITH cityHash64(number) AS h, toUInt32(pow((h % 1000003) / 1000003, 3) * ${PROJECTS}) AS p, ${ref('p')} AS project,
    ['/rest/v1/items', '/rest/v1/orders', '/auth/v1/token', '/storage/v1/object/photos', '/realtime/v1/websocket'][1 + intDiv(h, 7) % 5] AS path,
    intDiv(h, 11) % 100000 AS page
  SELECT
    project,
    toDateTime64('2024-03-01 00:00:00', 6, 'UTC') + number * ${DAYS} * 86400 / ${rows} AS timestamp,
    lower(hex(MD5(toString(number)))) AS id,
    concat('GET | 200 | https://', project, '.example.net', path, '?page=', toString(page)) AS event_message,
    path,
    concat('https://', project, '.example.net', path, '?page=', toString(page)) AS url,
    ['GET', 'POST', 'PATCH'][1 + h % 3] AS method,
    toUInt16([200, 200, 200, 201, 204, 304, 401, 404, 500][1 + intDiv(h, 13) % 9]) AS status,
    toUInt32(intDiv(h, 17) % 900) AS took,
    concat('Mozilla/5.0 (X11) Chrome/', toString(100 + intDiv(h, 19) % 25)) AS agent,
    concat('198.51.100.', toString(intDiv(h, 23) % 256)) AS ip
  FROM numbers(${rows})`;

const METADATA_TEXT = `concat('{"request":{"method":"', method, '","path":"', path, '","url":"', url, '","headers":{"user_agent":"', agent,
  '","cf_connecting_ip":"', ip, '"}},"response":{"status_code":', toString(status), ',"origin_time":', toString(took), '}}')`;
const TYPED = `JSON(request.method LowCardinality(String), request.path LowCardinality(String), request.url String,
  request.headers.user_agent String, request.headers.cf_connecting_ip String, response.status_code UInt16, response.origin_time UInt32)`;
const URL_COLUMN = ', url String, INDEX url_parts url TYPE ngrambf_v1(4, 8192, 3, 0) GRANULARITY 1';
const BY_PROJECT = '(project, timestamp)';

interface Table {
  readonly name: string;
  readonly metadata: string;
  readonly order: string;
  readonly more?: string;
}

const TABLES: readonly Table[] = [
  { name: 'by_time', metadata: TYPED, order: 'timestamp', more: URL_COLUMN },
  { name: 'by_project', metadata: TYPED, order: BY_PROJECT },
  { name: 'with_index', metadata: TYPED, order: BY_PROJECT, more: URL_COLUMN },
  { name: 'untyped', metadata: 'JSON', order: BY_PROJECT },
  { name: 'map', metadata: 'Map(LowCardinality(String), String)', order: BY_PROJECT },
  { name: 'text', metadata: 'String', order: BY_PROJECT },
];

const FLAT = `map('request.method', method, 'request.path', path, 'request.url', url, 'request.headers.user_agent', agent,
  'request.headers.cf_connecting_ip', ip, 'response.status_code', toString(status), 'response.origin_time', toString(took))`;

function tableSql({ name, metadata, order, more = '' }: Table): readonly string[] {
  const value = metadata.startsWith('Map')
    ? FLAT
    : metadata === 'String'
      ? METADATA_TEXT
      : `${METADATA_TEXT}::${metadata}`;
  return [
    `CREATE TABLE ${name} (project LowCardinality(String), timestamp DateTime64(6, 'UTC'), id String, event_message String,
      metadata ${metadata}${more}) ENGINE = MergeTree PARTITION BY toDate(timestamp) ORDER BY ${order}`,
    `INSERT INTO ${name} SELECT project, timestamp, id, event_message, ${value}${more === '' ? '' : ', url'} FROM events`,
    `OPTIMIZE TABLE ${name} FINAL`,
  ];
}

const COUNTED = [
  `CREATE TABLE counted (project LowCardinality(String), minute DateTime, rest UInt64, storage UInt64, auth UInt64, realtime UInt64)
    ENGINE = SummingMergeTree PARTITION BY toDate(minute) ORDER BY (project, minute)`,
  `INSERT INTO counted SELECT project, toStartOfMinute(timestamp) AS minute, countIf(match(path, '/rest')),
    countIf(match(path, '/storage')), countIf(match(path, '/auth')), countIf(match(path, '/realtime'))
    FROM events GROUP BY project, minute`,
  'OPTIMIZE TABLE counted FINAL',
];

interface Question {
  readonly name: string;
  /** SQL by variant; the first is the reference. */
  readonly ways: Readonly<Record<string, string>>;
}

const areas = (path: string): string =>
  ['rest', 'storage', 'auth', 'realtime']
    .map((area) => `countIf(match(${path}, '/${area}')) AS ${area}`)
    .join(', ');
const perDay = (table: string, where: string): string =>
  `SELECT toStartOfDay(timestamp) AS day, ${areas('metadata.request.path')} FROM ${table} WHERE ${where} GROUP BY day ORDER BY day`;
const newest = (table: string, me: string): string =>
  `SELECT id, timestamp, event_message, metadata FROM ${table} WHERE project = ${me} ORDER BY timestamp DESC LIMIT 100`;
const slowest = (table: string, path: string, took: string): string =>
  `SELECT ${path} AS path, avg(${took}) AS took FROM ${table} WHERE timestamp >= '2024-03-03 00:00:00' AND timestamp < '2024-03-05 00:00:00' GROUP BY path ORDER BY took`;

/** Queries about the project `me`, a literal. */
const questions = (me: string): readonly Question[] => [
  {
    name: 'newest 100 rows of a project',
    ways: { 'sorted by time': newest('by_time', me), 'sorted by project and time': newest('by_project', me) },
  },
  {
    name: 'counts per day of a week, project matched in the URL',
    ways: {
      'sorted by project, no index': perDay('by_project', `match(metadata.request.url, ${me})`),
      'URL as a column of its own': `${perDay('with_index', `match(url, ${me})`)} SETTINGS use_skip_indexes = 0`,
      'and an index over its parts': perDay('with_index', `match(url, ${me})`),
      'the same index, sorted by time': perDay('by_time', `match(url, ${me})`),
      'project compared as a column too': perDay('with_index', `project = ${me} AND match(url, ${me})`),
      'counted ahead': `SELECT toStartOfDay(minute) AS day, sum(rest), sum(storage), sum(auth), sum(realtime) FROM counted WHERE project = ${me} GROUP BY day ORDER BY day`,
    },
  },
  {
    name: 'mean time by path, two days, all projects',
    ways: {
      'text, parsed': slowest(
        'text',
        "JSONExtractString(metadata, 'request', 'path')",
        "JSONExtractUInt(metadata, 'response', 'origin_time')",
      ),
      map: slowest('map', "metadata['request.path']", "toUInt32(metadata['response.origin_time'])"),
      'JSON, untyped': slowest(
        'untyped',
        'metadata.request.path::String',
        'metadata.response.origin_time::UInt32',
      ),
      'JSON with typed paths': slowest(
        'by_project',
        'metadata.request.path',
        'metadata.response.origin_time',
      ),
    },
  },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rows: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '9' } },
  });
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  try {
    const session = await open(folder);
    const run = async (sql: string): Promise<string> =>
      (await session.queryAsync(sql, { format: 'TSV' })).text();
    await fill(run, Number(values.rows));
    print(['question', 'way', 'median ms', 'to the first', 'rows'], await askAll(run, Number(values.rounds)));
    print(['table', 'bytes a row', 'of them its indexes'], await sizes(run, Number(values.rows)));
    session.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function open(folder: string): Promise<Session> {
  const config = join(folder, 'config.xml');
  await writeFile(config, '<clickhouse></clickhouse>');
  // The query condition cache makes repeated scans look faster than they are.
  const connectionArgs = [`--config-file=${config}`, '--use_query_condition_cache=0'];
  return new Session(join(folder, 'engine'), { connectionArgs });
}

type Run = (sql: string) => Promise<string>;

async function fill(run: Run, rows: number): Promise<void> {
  const statements = [
    'CREATE DATABASE bench',
    'USE bench',
    `CREATE VIEW events AS ${eventRows(rows)}`,
    ...TABLES.flatMap(tableSql),
    ...COUNTED,
  ];
  for (const sql of statements) {
    process.stderr.write(`${sql.slice(0, 60).replaceAll(/\s+/g, ' ')}\n`);
    await run(sql);
  }
}

/** Runs each query in all its variants alternately, round by round; a first round warms the file caches. */
async function askAll(run: Run, rounds: number): Promise<readonly (readonly string[])[]> {
  const lines: string[][] = [];
  const me = `'${(await run(`SELECT ${ref(`toUInt32(${PROJECT})`)}`)).trim()}'`;
  for (const { name, ways } of questions(me)) {
    const times = new Map<string, number[]>(Object.keys(ways).map((way) => [way, []]));
    const counts = new Map<string, number>();
    for (let round = 0; round <= rounds; round++) {
      for (const [way, sql] of Object.entries(ways)) {
        const started = performance.now();
        counts.set(way, (await run(sql)).split('\n').length - 1);
        if (round > 0) times.get(way)?.push(performance.now() - started);
      }
    }
    const medians = [...times].map(([way, all]) => [way, median(all)] as const);
    const first = medians[0]?.[1] ?? 1;
    for (const [way, ms] of medians) {
      lines.push([name, way, ms.toFixed(1), (ms / first).toFixed(3), String(counts.get(way))]);
    }
  }
  return lines;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function sizes(run: Run, rows: number): Promise<readonly (readonly string[])[]> {
  const text = await run(
    `SELECT table, sum(bytes_on_disk), sum(secondary_indices_compressed_bytes) FROM system.parts
     WHERE active AND database = 'bench' GROUP BY table ORDER BY table`,
  );
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  return lines.map(([table = '', bytes, indexes]) => [
    table,
    (Number(bytes) / rows).toFixed(1),
    (Number(indexes) / rows).toFixed(1),
  ]);
}

function print(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const all = [head, head.map(() => '---'), ...lines];
  process.stdout.write(`${all.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n`);
}

await main();
