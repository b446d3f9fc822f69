// `millrace test` as an author runs it: the real command over folders of endpoint files, fixtures and tables.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { run, scratch, start, type Finished } from '../../support/command.ts';

const GOLDEN = join(import.meta.dirname, '../../golden/test-command');

const TABLES = `CREATE DATABASE app;
CREATE TABLE app.events (id String, at DateTime64(3, 'UTC'), n UInt64 DEFAULT 0, data JSON) ENGINE = MergeTree ORDER BY at;
CREATE TABLE app.names ENGINE = MergeTree ORDER BY n EMPTY AS SELECT toUInt64(1) AS n, '' AS name;
CREATE TABLE default.plain (n UInt8) ENGINE = Memory;
INSERT INTO app.names VALUES (1, 'a row that schema files do not load');
`;

let count = 0;
/** An endpoint file; ids differ. */
function endpoint(name: string, rest: string): string {
  count++;
  return `id: 00000000-0000-4000-8000-${String(count).padStart(12, '0')}\nname: ${name}\n${rest}`;
}

/** A folder with files by path; the schema is there already. */
function folder(files: Readonly<Record<string, string>>): string {
  const path = scratch();
  for (const [name, text] of Object.entries({ 'schema/tables.sql': TABLES, ...files })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

const ARGS = ['test', '--schema', 'schema'];
const go = (cwd: string, ...args: string[]): Promise<Finished> => run([...ARGS, ...args], { cwd });

interface TestRun {
  readonly passed: number;
  readonly failed: number;
  readonly findings: Finding[];
  readonly examples: { example: string; outcome: string; failures: Finding[] }[];
}
interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

async function runTests(cwd: string, ...args: string[]): Promise<TestRun> {
  const { out, err } = await go(cwd, '--format', 'json', ...args);
  if (out === '') throw new Error(err);
  return JSON.parse(out) as TestRun; // the command's own output
}

/** `example: outcome`, or where and what failed. */
const lines = ({ examples, findings }: TestRun): string[] => [
  ...findings.map(({ file, line, code }) => `${file}:${line} ${code}`),
  ...examples.map(({ example, outcome, failures }) =>
    [`${example}: ${outcome}`, ...failures.map(({ line, code }) => `${line} ${code}`)].join(' '),
  ),
];

/** The parts that differ from run to run taken out. */
function steady(text: string): string {
  return text
    .replace(/\b\d+(\.\d+)? m?s\b/g, '0 ms')
    .replace(/time="[\d.]+"/g, 'time="0"')
    .replace(/"ms": \d+/g, '"ms": 0');
}

const FAILING = endpoint(
  'events',
  `query: |
  WITH events AS (SELECT id, n, data FROM app.events)
  SELECT id, n, data FROM events ORDER BY id
parameters: {}
max_rows: 2
sandbox: { enabled: true }
examples:
  - name: fine
    expect: { columns: [id, n, data], rows: 2, truncated: true }
  - name: 'all wrong: <"&\\u0007">'
    expect:
      columns: [id, m]
      rows: 3
      truncated: false
      result:
        - { id: a, n: 1, data: { x: { y: [1, 2] }, z: '1' } }
        - { id: c, n: 2, data: {} }
  - name: rejected
    sql: SELECT secret FROM events
    expect: { rows: 1 }
  - name: not rejected as expected
    sql: SELECT id FROM app.events
    expect: { status: 400, code: sandbox.function_denied }
  - name: answered
    expect:
      status: 403
`,
);
const ROWS = `{"id":"a","at":"2024-05-01T12:00:00Z","n":1,"data":{"x":{"y":[1,3]},"z":1}}
{"id":"b","at":"2024-05-01T12:00:01Z","n":2}

{"id":"c","at":"2024-05-01T12:00:02Z","n":3}
`;

describe('output', () => {
  const cwd = folder({
    'endpoints/events.yaml': FAILING.replace(
      '\'all wrong: <"&\\u0007">\'',
      String.raw`"all wrong: <\"&\u0007\">"`,
    ),
    'endpoints/fine.yaml': endpoint(
      'fine',
      'query: SELECT 1 AS one\nexamples: [{ name: an answer will do }]\n',
    ),
    'endpoints/fixtures/app.events.ndjson': ROWS,
  });
  test.each(['human', 'junit', 'json'])('%s', async (format) => {
    const { code, out, err } = await go(cwd, '--format', format);
    expect(code).toBe(1);
    await expect(steady(out + err)).toMatchFileSnapshot(join(GOLDEN, `${format}.txt`));
  });

  test('all passed', async () => {
    const { code, out, err } = await go(cwd, 'fi*');
    expect([code, steady(out), steady(err)]).toEqual([
      0,
      'ok   fine  1 passed  0 ms\n\n',
      '1 passed, 0 failed in 0 ms\n',
    ]);
  });

  test('selected examples, and only the first failure', async () => {
    expect(lines(await runTests(cwd, '--bail'))).toHaveLength(2);
    expect(lines(await runTests(cwd, 'events', '--name', 'ANSWERED'))).toEqual([
      'answered: failed 28 test.status',
    ]);
  });

  test.each([
    {
      why: 'a missing endpoint',
      args: ['event'],
      says: /no endpoint "event"\. Did you mean events\?/,
    },
    { why: 'no example of this name', args: ['--name', 'nope'], says: /No example name contains "nope"/ },
    {
      why: 'no such folder of fixtures',
      args: ['--fixtures', 'nowhere'],
      says: /Folder nowhere does not exist[^]*--fixtures/,
    },
    {
      why: 'no such folder of tables',
      args: ['--schema', 'nowhere'],
      says: /nowhere does not exist[^]*--schema/,
    },
    {
      why: 'no such folder of endpoints',
      args: ['--endpoints', 'nowhere'],
      says: /Folder nowhere does not exist[^]*--endpoints/,
    },
  ])('$why exits 2', async ({ args, says }) => {
    const { code, out, err } = await go(cwd, ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });

  test('without any tables it exits 2, and offers no flag that it does not have', async () => {
    const bare = folder({ 'endpoints/one.yaml': endpoint('one', 'query: SELECT 1 AS n\n') });
    rmSync(join(bare, 'schema'), { recursive: true });
    const { code, err } = await run(['test'], { cwd: bare });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/neither schema nor seeds exists.*, or name .*--schema$/m),
    ]);
  });

  test('files with errors are findings, and the others are tested', async () => {
    const broken = folder({
      'endpoints/a.yaml': 'name: a\n',
      'endpoints/b.yaml': endpoint('b', 'query: SELECT 1 AS n\nexamples: [{ name: b }]\n'),
    });
    expect(lines(await runTests(broken))).toEqual([
      'endpoints/a.yaml:1 schema.missing_key',
      'endpoints/a.yaml:1 schema.missing_key',
      'b: passed',
    ]);
  });
});

describe('the clock', () => {
  test('is that of the example: in the query, in consumer SQL and LQL; columns keep their names', async () => {
    const cwd = folder({
      'endpoints/clock.yaml': endpoint(
        'clock',
        `query: |
  WITH events AS (SELECT id, at AS timestamp FROM app.events WHERE at > now() - INTERVAL 1 HOUR)
  SELECT now(), today() AS day, count() AS n FROM events
cache: { ttl: 900 }
limits: { rate: 1/h, concurrency: 1 }
sandbox: { enabled: true }
examples:
  - name: noon
    now: 2024-05-01T12:30:00.5Z
    expect: { columns: [now(), day, n], result: [{ now(): 2024-05-01T12:30:00Z, day: 2024-05-01, n: 3 }] }
  - name: an hour later, with an offset
    now: 2024-05-01T16:00:01+03:00
    expect: { result: [{ now(): 2024-05-01T13:00:01Z, day: 2024-05-01, n: 1 }] }
  - name: own SQL
    now: 2024-05-01T13:00:01Z
    sql: SELECT id, now64(3) AS t, 'now()' AS text FROM events
    expect: { result: [{ id: c, t: 2024-05-01T13:00:01.000Z, text: now() }] }
  - name: own LQL
    now: 2024-05-01T12:00:02Z
    lql: f:events t:last@1s s:id
    expect: { result: [{ id: c }, { id: b }] }
  - name: the real one
    expect: { result: [{ n: 0 }] }
  - name: beyond what a DateTime holds
    now: 2200-01-01T00:00:00Z
`,
      ),
      'endpoints/fixtures/app.events.ndjson': ROWS,
    });
    const { examples } = await runTests(cwd);
    expect(examples.map(({ outcome }) => outcome)).toEqual([
      'passed',
      'passed',
      'passed',
      'passed',
      'failed',
      'failed',
    ]);
    expect(examples[4]?.failures.map(({ message }) => message.replace(/"20.*"/, 'a time'))).toEqual([
      'result[0]["now()"]: expected nothing, got a time',
      'result[0].day: expected nothing, got a time',
    ]);
    expect(examples[5]?.failures).toMatchObject([{ code: 'test.now', column: 10 }]);
  });
});

test('watches are run over fixtures with a clock that moves: messages, groups, times, and what differs', async () => {
  const watched = (message: string, expected: string): string => `  - name: ${message}
    from: 2024-05-01T12:00:00Z
    until: 2024-05-01T12:20:00Z
    fixtures:
      app.events: [{ id: a, at: "2024-05-01T12:02:30Z" }, { id: a, at: "2024-05-01T12:04:30Z" }, { id: b, at: "2024-05-01T12:04:30Z" }]
    expect: ${expected}
`;
  const cwd = folder({
    'endpoints/watched.yaml': endpoint(
      'watched',
      `query: SELECT id, count() AS n FROM app.events WHERE at > now() - INTERVAL 5 MINUTE AND at <= now() GROUP BY id
watch:
  as: alerts
  every: 1m
  when: n > 1
  for: 2m
  notify: [oncall]
  group_by: [id]
  message: "{n} of {id}"
  tests:
${[
  watched(
    'right',
    '[{ state: firing, at: 2024-05-01T12:07:00Z, group: { id: a }, message: 2 of a }, { state: resolved, at: 2024-05-01T12:08:00Z }]',
  ),
  watched('too few', '[{ state: firing }]'),
  watched('too many', '[{ state: firing }, { state: resolved }, { state: firing }]'),
  watched('another', '[{ state: firing, group: { id: b } }]'),
]
  .join('')
  .replaceAll(/^/gm, '  ')
  .trimEnd()}
`,
    ),
  });
  const { examples } = await runTests(cwd);
  expect(examples.map(({ example, failures }) => [example, failures.map(({ code, message }) => `${code} ${message}`)])).toEqual([
    ['watch default: right', []],
    ['watch default: too few', ['test.watch 1 further message; the first is {"state":"resolved","at":"2024-05-01T12:08:00.000Z","group":{"id":"a"},"message":"2 of a"}']],
    ['watch default: too many', ['test.watch expected {"state":"firing"}, and no more messages were sent']],
    ['watch default: another', ['test.watch expected the group {"id":"b"}; got {"state":"firing","at":"2024-05-01T12:07:00.000Z","group":{"id":"a"},"message":"2 of a"}']],
  ]); // prettier-ignore
});

describe('fixtures', () => {
  const query = `query: |
  SELECT (SELECT arraySort(groupArray(id)) FROM app.events) AS events, (SELECT arraySort(groupArray(name)) FROM app.names) AS names,
    (SELECT sum(n) FROM default.plain) AS plain
`;
  test('of the folder, the file and the example; those of one example are invisible to the next', async () => {
    const cwd = folder({
      'endpoints/fixtures/2.sql':
        "INSERT INTO app.events (id, data) VALUES ('from sql', '{}');\nINSERT INTO default.plain VALUES (1);",
      'endpoints/fixtures/1.sql':
        "CREATE TABLE app.more (id String) ENGINE = Memory; -- ; '\nINSERT INTO app.more VALUES (';')",
      'endpoints/fixtures/app.events.ndjson': '{"id":"from ndjson; --\'"}\r\n\n',
      'endpoints/fixtures/app.names.csv': 'name,n\n"from\n""csv"";",1\n',
      'endpoints/fixtures/app.more.csv': 'id\nfrom csv\n',
      'endpoints/fixtures/README.md': 'not a fixture',
      'endpoints/a.yaml': endpoint(
        'a',
        `${query}examples:
  - name: the folder
    expect: &folder { result: [{ events: ["from ndjson; --'", from sql], names: ["from\\n\\"csv\\";"], plain: 1 }] }
  - name: own rows
    fixtures: { app.events: [{ id: x }, { id: "y'); DROP TABLE app.events" }], default.plain: [] }
    expect: { result: [{ events: [x, "y'); DROP TABLE app.events"], names: ["from\\n\\"csv\\";"], plain: 0 }] }
  - name: other rows of the same table
    fixtures: { app.events: [{ id: z }] }
    expect: { result: [{ events: [z], names: ["from\\n\\"csv\\";"], plain: 1 }] }
  - name: the folder again
    expect: *folder
`,
      ),
      'endpoints/b.yaml': endpoint(
        'b',
        `${query}fixtures: { app.names: [{ name: of the file }], app.events: [] }
examples:
  - name: of the file
    expect: { result: [{ events: [], names: [of the file], plain: 1 }] }
  - name: of the example before those of the file
    fixtures: { app.names: [{ name: of the example }] }
    expect: { result: [{ events: [], names: [of the example], plain: 1 }] }
  - name: of the file again
    expect: { result: [{ events: [], names: [of the file], plain: 1 }] }
`,
      ),
    });
    const { examples, findings } = await runTests(cwd);
    expect(findings).toEqual([]);
    expect(examples.flatMap(({ failures }) => failures)).toEqual([]);
    expect(examples).toHaveLength(7);
  });

  test('that cannot be loaded are all reported at their location, and nothing is run', async () => {
    const cwd = folder({
      'endpoints/a.yaml': endpoint('a', 'query: SELECT 1 AS n\nexamples: [{ name: a }]\n'),
      'endpoints/fixtures/app.events.ndjson': '{"id":"1"}\n\n{"id":"2","nope":1}\n',
      'endpoints/fixtures/app.names.ndjson': '{"n":1}\n\n{"n":2\n',
      'endpoints/fixtures/app.event.csv': 'id\n1\n',
      'endpoints/fixtures/default.plain.csv': 'n\n"1"\nmany\n',
      'endpoints/fixtures/app.events.json': '[]',
      'endpoints/fixtures/bad.sql': 'SELECT nope',
      'endpoints/fixtures/default.plain.ndjson': `{"n":1}\n${' '.repeat(33 * 2 ** 20)}`,
    });
    const result = await runTests(cwd);
    expect(result.examples).toEqual([]);
    const at = result.findings.map(({ file, line, code, hint }) => [
      file.replace('endpoints/fixtures/', ''),
      line,
      code,
      hint,
    ]);
    expect(at).toEqual([
      ['app.events.json', 0, 'fixture.misnamed', expect.stringContaining('database.table.ndjson')],
      ['app.names.ndjson', 3, 'fixture.rejected', undefined],
      ['default.plain.ndjson', 0, 'fixture.too_large', expect.any(String)],
      ['bad.sql', 0, 'fixture.rejected', undefined],
      ['app.event.csv', 1, 'fixture.unknown_table', 'Did you mean app.events?'],
      ['app.events.ndjson', 3, 'fixture.rejected', undefined],
      ['default.plain.csv', 3, 'fixture.rejected', undefined],
    ]);
  });

  test('in an example fail only that example', async () => {
    const cwd = folder({
      'endpoints/a.yaml': endpoint(
        'a',
        `query: SELECT count() AS n FROM app.events
examples:
  - name: no such table
    fixtures:
      app.evnts: []
  - name: no such column
    fixtures:
      app.events: [{ id: a }, { idd: b }]
  - name: a value of another type
    fixtures:
      app.events:
        - id: a
        - n: many
  - name: none
    expect: { result: [{ n: 0 }] }
`,
      ),
    });
    expect(lines(await runTests(cwd))).toEqual([
      'no such table: failed 7 fixture.unknown_table',
      'no such column: failed 10 fixture.rejected',
      'a value of another type: failed 15 fixture.rejected',
      'none: passed',
    ]);
  });
});

const DERIVED = `CREATE TABLE app.hits (path String, visitor String) ENGINE = MergeTree ORDER BY path;
CREATE TABLE app.errors (path String) ENGINE = Null;
CREATE TABLE app.totals (path String, hits UInt64, errors UInt64) ENGINE = SummingMergeTree ORDER BY path;
CREATE TABLE app.visits (path String, visitors AggregateFunction(uniq, String), hits AggregateFunction(count),
  last AggregateFunction(argMax, String, DateTime), half AggregateFunction(quantiles(0.5, 0.9), Float64), kept SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY path;
CREATE MATERIALIZED VIEW app.hits_to_totals TO app.totals AS SELECT path, count() AS hits, 0 AS errors FROM app.hits GROUP BY path;
CREATE MATERIALIZED VIEW app.errors_to_totals TO app.totals AS SELECT path, 0 AS hits, count() AS errors FROM app.errors GROUP BY path;
CREATE MATERIALIZED VIEW app.paths (path String, hits UInt64) ENGINE = SummingMergeTree ORDER BY path AS SELECT path, hits FROM app.totals;
CREATE TABLE app.labels (path String, hits UInt64, other String) ENGINE = MergeTree ORDER BY path;
CREATE MATERIALIZED VIEW app.hits_to_labels TO app.labels AS SELECT path, count() AS hits, 'x' AS other FROM app.hits GROUP BY path;
CREATE MATERIALIZED VIEW app.hits_to_visits TO app.visits AS SELECT path, uniqState(visitor) AS visitors, countState() AS hits FROM app.hits GROUP BY path;
CREATE DICTIONARY app.known (path String, hits UInt64) PRIMARY KEY path SOURCE(CLICKHOUSE(DB 'app' TABLE 'labels')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(60);
CREATE DICTIONARY app.asked (path String, hits UInt64) PRIMARY KEY path SOURCE(CLICKHOUSE(QUERY 'SELECT path, hits FROM app.labels')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(60);
CREATE DICTIONARY app.far (path String, title String) PRIMARY KEY path SOURCE(HTTP(URL 'https://example.net' FORMAT 'CSV')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(60);
CREATE VIEW app.busy AS SELECT path FROM app.totals;
`;

test('fixtures of a file or an example reach views and dictionaries, and have states as lists of values', async () => {
  const cwd = folder({
    'schema/derived.sql': DERIVED,
    'endpoints/fixtures/app.hits.ndjson': '{"path":"/a","visitor":"x"}\n{"path":"/a","visitor":"y"}\n',
    'endpoints/fixtures/app.errors.csv': 'path\n/a\n',
    'endpoints/fixtures/app.far.csv': 'path,title\n/a,A\n',
    'endpoints/totals.yaml': endpoint(
      'totals',
      `query: |
  SELECT path, sum(hits) AS hits, sum(errors) AS errors, (SELECT sum(hits) FROM app.paths) AS paths,
    dictGet('app.known', 'hits', path) AS known, dictGet('app.asked', 'hits', path) AS asked, dictGet('app.far', 'title', path) AS title
  FROM app.totals GROUP BY path ORDER BY path
examples:
  - name: the folder
    expect: &folder { result: [{ path: /a, hits: 2, errors: 1, paths: 2, known: 2, asked: 2, title: A }] }
  - name: the source of a view
    fixtures: { app.hits: [{ path: /b, visitor: z }], app.errors: [] }
    expect: { result: [{ path: /b, hits: 1, errors: 0, paths: 1, known: 1, asked: 1, title: '' }] }
  - name: one of two sources, the other has the rows of the folder
    fixtures: { app.hits: [{ path: /a, visitor: z }] }
    expect: { result: [{ path: /a, hits: 1, errors: 1, paths: 1, known: 1, asked: 1, title: A }] }
  - name: both sources
    fixtures: { app.hits: [{ path: /a }], app.errors: [{ path: /a }, { path: /a }] }
    expect: { result: [{ path: /a, hits: 1, errors: 2, paths: 1, known: 1, asked: 1, title: A }] }
  - name: a source and what its view fills
    fixtures: { app.hits: [{ path: /a }], app.totals: [{ path: /c, hits: 7 }] }
    expect: { result: [{ path: /c, hits: 7, errors: 0, paths: 7, known: 0, asked: 0, title: '' }] }
  - name: a view
    fixtures: { app.paths: [{ path: /a, hits: 40 }] }
    expect: { result: [{ path: /a, hits: 2, errors: 1, paths: 40, known: 2, asked: 2, title: A }] }
  - name: dictionaries
    fixtures: { app.known: [{ path: /a, hits: 9 }], app.far: [{ path: /a, title: D }] }
    expect: { result: [{ path: /a, hits: 2, errors: 1, paths: 2, known: 9, asked: 9, title: D }] }
  - name: a dictionary over a query
    fixtures: { app.asked: [{ path: /d, hits: 9 }] }
  - name: a view without rows
    fixtures: { app.busy: [{ path: /d }] }
  - name: the folder again
    expect: *folder
`,
    ),
    'endpoints/visits.yaml': endpoint(
      'visits',
      `query: |
  SELECT path, uniqMerge(visitors) AS visitors, countMerge(hits) AS hits, argMaxMerge(last) AS last, quantilesMerge(0.5, 0.9)(half) AS half, sum(kept) AS kept
  FROM app.visits GROUP BY path ORDER BY path
examples:
  - name: made by a view
    fixtures: { app.hits: [{ path: /a, visitor: x }] }
    expect: { result: [{ path: /a, visitors: 1, hits: 1, last: '', half: [null, null], kept: 0 }] }
  - name: written by hand
    fixtures:
      app.visits:
        - { path: /a, visitors: [x, y, x], hits: [1, 1, 1], last: [[old, '2024-01-01'], [new, '2024-05-01T10:00:00Z']], half: [1, 2, 3], kept: 4 }
        - { path: /a, visitors: ["z'"], kept: 1 }
    expect: { result: [{ path: /a, visitors: 3, hits: 3, last: new, half: [2, 2.8000000000000003], kept: 5 }] }
  - name: not values of the argument
    fixtures:
      app.visits:
        - { path: /a }
        - { path: /a, half: [many] }
`,
    ),
  });
  const result = await runTests(cwd);
  expect(result.findings).toEqual([]);
  expect(lines(result)).toEqual([
    'the folder: passed',
    'the source of a view: passed',
    'one of two sources, the other has the rows of the folder: passed',
    'both sources: passed',
    'a source and what its view fills: passed',
    'a view: passed',
    'dictionaries: passed',
    'a dictionary over a query: failed 29 fixture.not_a_table',
    'a view without rows: failed 31 fixture.not_a_table',
    'the folder again: passed',
    'made by a view: passed',
    'written by hand: passed',
    'not values of the argument: failed 20 fixture.rejected',
  ]);
  const failed = result.examples.flatMap(({ failures }) => failures);
  expect(failed[0]?.hint).toContain('app.labels');
});

describe('--update', () => {
  test('writes the actual results, keeps comments and layout, and passes from then on', async () => {
    const before = endpoint(
      'a',
      `query: SELECT id, n FROM app.events ORDER BY id   # kept
sandbox: {enabled: false}
# about examples
examples:
  - name: nothing expected # one
    # two
  - {name: in braces, expect: {rows: 9,columns: [x]}} # three
  - name: in lines
    expect:
      # four
      result: # five
        - { id: gone }
      rows: 3
  - name: must not become a rejection
    sql: SELECT 1
    expect: { rows: 1 }
  - name: another kind of rejection
    sql: SELECT 1
    expect: { status: 422, code: query.failed }
# the end
`,
    );
    const cwd = folder({ 'endpoints/a.yaml': before, 'endpoints/fixtures/app.events.ndjson': ROWS });
    expect(lines(await runTests(cwd, '--update'))).toEqual([
      'nothing expected: updated',
      'in braces: updated',
      'in lines: updated',
      'must not become a rejection: failed 16 test.status',
      'another kind of rejection: updated',
    ]);
    const rows = ['a', 'b', 'c'].map((id, index) => `        - { id: ${id}, n: ${index + 1} }\n`).join('');
    expect(readFileSync(join(cwd, 'endpoints/a.yaml'), 'utf8')).toBe(
      before
        .replace(
          '# one\n',
          `# one\n    expect:\n      columns: [id, n]\n      rows: 3\n      result:\n${rows}`,
        )
        .replace('{rows: 9,columns: [x]}', '{rows: 3,columns: [id, n]}')
        .replace('        - { id: gone }\n', rows)
        .replace('{ status: 422, code: query.failed }', '{ status: 400, code: sandbox.disabled }'),
    );
    expect(lines(await runTests(cwd, '--update')).filter((line) => !line.endsWith('passed'))).toEqual([
      expect.stringContaining('must not become a rejection: failed'),
    ]);
  });
});

describe('--watch', () => {
  test('reruns what a change affects; Ctrl+C leaves nothing behind', async () => {
    const file = (expected: number): string =>
      `query: SELECT sum(n) AS n FROM app.events\nexamples: [{ name: one, expect: { result: [{ n: ${expected} }] } }]\n`;
    const [a, b] = [endpoint('a', file(6)), endpoint('b', file(6))];
    const cwd = folder({
      'endpoints/a.yaml': a,
      'endpoints/b.yaml': b,
      'endpoints/fixtures/app.events.ndjson': ROWS,
    });
    const temporary = scratch();
    const { child, finished, output, says } = start([...ARGS, '--watch'], {
      cwd,
      env: { TMPDIR: temporary },
    });
    await says(/2 passed, 0 failed in[^]*Waiting for changes/);
    expect(readdirSync(temporary)).toHaveLength(1);
    writeFileSync(join(cwd, 'endpoints/a.yaml'), a.replace('{ n: 6 }', '{ n: 7 }'));
    await says(/0 passed, 1 failed in[^]*Waiting for changes/); // a alone
    writeFileSync(join(cwd, 'endpoints/fixtures/app.events.ndjson'), '{"n":7}\n');
    await says(/1 passed, 1 failed in[^]*Waiting for changes/); // both
    writeFileSync(join(cwd, 'schema/more.sql'), 'CREATE TABLE nope (');
    await says(/more\.sql:1:19: warning[^]*Waiting for changes/);
    rmSync(join(cwd, 'schema/more.sql'));
    const waited = (): number => output().split('Waiting for changes').length;
    const before = waited();
    while (waited() === before) await setTimeout(20);
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('an interrupted run leaves nothing behind either', async () => {
    const cwd = folder({
      'endpoints/a.yaml': endpoint('a', 'query: SELECT 1 AS n\nexamples: [{ name: a }]\n'),
      'endpoints/fixtures/slow.sql': 'SELECT sleep(3) FROM numbers(100) SETTINGS max_block_size = 1',
    });
    const temporary = scratch();
    const { child, finished } = start(ARGS, { cwd, env: { TMPDIR: temporary } });
    while (readdirSync(temporary).length === 0) await setTimeout(20);
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

test('the shipped files pass', async () => {
  const { code, err } = await run(['test'], { cwd: join(import.meta.dirname, '../../..') });
  expect(err).toMatch(/^\d+ passed, 0 failed/);
  expect(code).toBe(0);
});
