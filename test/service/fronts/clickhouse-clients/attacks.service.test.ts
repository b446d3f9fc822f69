// The attack corpus, other tenants' rows and redaction through the ClickHouse interface, in all of its formats.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENGINE_FORMATS } from '../../../../src/service/formats/clickhouse-formats.ts';
import { ATTACKS, BENIGN } from '../../../guard/sandbox/fixture.ts';
import { INDEX_ORACLES, oracles } from '../../../guard/sandbox/oracles.ts';
import { DATABASES, rotated, startAttacked } from '../../../support/attacked-service.ts';
import { answered } from '../../../support/answered.ts';
import { withoutMarker } from '../../../support/avro.ts';
import { familyOf, OTHER_NAMES } from '../../../support/format-names.ts';
import { runs, some, someOfEach } from '../../../support/runs.ts';
import { KEY, type TestService } from '../../../support/service.ts';

const KINDS = ['compact', 'by_path', 'joined', 'indexed'];
const IS_LONG = process.env['FUZZ_CASES'] !== undefined;
/** Other names of the same formats only in the long form. */
const FORMATS = ENGINE_FORMATS.map(({ name }) => name).filter((name) => IS_LONG || !OTHER_NAMES.test(name));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);

let service: TestService;
beforeAll(async () => {
  service = await startAttacked({ kinds: KINDS });
});
afterAll(() => service.stop());

interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** What differs from call to call, or names the endpoint. The body is compared itself; its time may have a digit more. */
const OWN: ReadonlySet<string> = new Set([
  'content-length',
  'date', 'age', 'server-timing', 'x-request-id', 'x-clickhouse-query-id', 'millrace-endpoint',
]); // prettier-ignore

async function ask(sql: string, fields: Readonly<Record<string, string>>): Promise<Seen> {
  const url = `${service.service.address}/clickhouse/?${new URLSearchParams(fields).toString()}`;
  const send = () => fetch(url, { method: 'POST', body: sql, headers: { 'X-ClickHouse-Key': KEY } });
  const response = await answered(send);
  const headers = [...response.headers]
    .filter(([name]) => !OWN.has(name))
    .map(
      ([name, value]) =>
        [name, value.replace(/"(?:elapsed_ns|result_bytes|read_bytes)":"\d+"/g, '')] as const,
    );
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
}

/** 501 is for what ClickHouse has and this interface has not. */
const isExpected = (status: number): boolean => status < 500 || status === 501;
const asMine = { database: 'corpus', param_project: 'mine' };

/**
 * Of the attacks, those that this interface answers: they read virtual tables, constants of the interface or nothing, and have the
 * rows of no one else.
 */
const ANSWERED: ReadonlySet<string> = new Set(
  `a41 a46 a48 a51 a53 a222 a224 a230 a231 a233 a235 a245 a246 a247 a248 a249 a251 a253 a305 a306 a332 a367 a373 a374 a377 a456 a457 a460`.split(
    /\s+/,
  ),
);

/** The others are in the tests of other interfaces. */
const TRIED = someOfEach(ATTACKS, ({ cat }) => cat, { each: 9, from: 1 });

test.each(TRIED.map(({ id, sql }, index) => [id, rotated(FORMATS, index), sql] as const))(
  'attack %s in %s: %s',
  async (id, format, sql) => {
    const { status, body } = await ask(sql, { ...asMine, default_format: format });
    expect(body.includes('CANARY')).toBe(false);
    if (status === 200) {
      // Some formats are compressed, or write strings in pieces.
      const text = (await ask(sql, { ...asMine, default_format: 'JSONCompact' })).body.toString();
      expect(text).not.toMatch(/CANARY|_secret|users_|\b(?:default|app)\.\w/);
      expect([id, text.slice(0, 300), ANSWERED.has(id)]).toEqual([id, expect.anything(), true]);
    } else {
      expect([400, 403, 404, 413, 501]).toContain(status);
      expect(body.toString()).toMatch(/^Code: \d+\. DB::Exception: \S/);
    }
  },
);

test('attacks in the parts of a request that are not the query', async () => {
  const secret = 'SELECT name FROM default.users';
  const requests: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['', { query: secret }],
    ['name FROM default.users', { query: 'SELECT' }],
    ['SELECT {x:Identifier} FROM edge_logs', { param_x: 'name FROM default.users --' }],
    ['SELECT id FROM {x:Identifier}', { param_x: 'default.users' }],
    ['SELECT id FROM {x:Identifier}.{y:Identifier}', { param_x: 'default', param_y: 'users' }],
    ['SELECT id FROM {x:Identifier}', { param_x: 'users`, `app`.`logs' }],
    ['SELECT {x:String} FROM edge_logs', { param_x: "' FROM default.users --" }],
    ['SELECT {x:UInt64} FROM edge_logs', { param_x: '1 FROM default.users --' }],
    ['SELECT {x:Array(String)} FROM edge_logs', { param_x: "[(SELECT name FROM default.users)]" }],
    ['SELECT {x:Map(String, String)} FROM edge_logs', { param_x: "{'a':(SELECT name FROM default.users)}" }],
    ['SELECT {x:DateTime} FROM edge_logs', { param_x: 'now() FROM default.users' }],
    ["SELECT {x:AggregateFunction(groupBitmap, UInt8)} FROM edge_logs", { param_x: 'AQ8' }],
    ['SELECT * FROM users', { database: 'default' }],
    ['SELECT * FROM edge_logs', { database: 'default' }],
    ['SELECT * FROM logs', { database: 'app' }],
    ['SELECT * FROM users', { database: 'corpus`.default' }],
    ['SELECT * FROM edge_logs', { database: 'corpus:project=other' }],
    ['SELECT * FROM edge_logs', { database: "corpus:project=mine' OR project = 'other" }],
    ['SELECT id FROM edge_logs', { default_format: "JSON SETTINGS x = (SELECT name FROM default.users)" }],
    ['SELECT id FROM edge_logs', { additional_table_filters: "{'app.logs':'1'}" }],
    ['SELECT id FROM edge_logs', { additional_result_filter: '1' }],
    ['SELECT id FROM edge_logs', { session_timezone: "UTC' SETTINGS readonly=0 --" }],
    ['SELECT id FROM edge_logs', { output_format_json_quote_64bit_integers: '1, readonly = 0' }],
    ['SELECT id FROM edge_logs', { format_csv_delimiter: "';" }],
    ['SELECT * FROM x', { x_structure: 'name String', x_format: 'TSV' }],
    ['SELECT * FROM `corpus`.edge_logs, `default`.users', {}],
    ['SELECT * FROM `corpus:project=other`.edge_logs', {}],
    ['SELECT * FROM "corpus"./**/users', {}],
    ['SELECT users.name FROM edge_logs, default./* corpus. */users', {}],
    ['WITH corpus AS (SELECT 1) SELECT * FROM corpus.users', {}],
    ['SELECT * FROM system.users', {}],
    ['SELECT * FROM system.tables, default.users', {}],
    ["SELECT * FROM edge_logs WHERE id IN (SELECT name FROM system.tables)", {}],
    ['SELECT * FROM information_schema.tables t, `app`.logs', {}],
    ['DESCRIBE TABLE default.users', {}],
    ["DESCRIBE (SELECT * FROM default.users)", {}],
    ["DESCRIBE file('/etc/passwd')", {}],
    ["DESCRIBE url('http://127.0.0.1:1/', CSV)", {}],
    ['SHOW CREATE TABLE default.users', {}],
    ['SHOW TABLES FROM default', {}],
    ["SHOW TABLES FROM corpus LIKE '%' INTO OUTFILE '/tmp/x'", {}],
    ['SHOW TABLES WHERE name IN (SELECT name FROM default.users)', {}],
    ['SHOW TABLES WHERE 1) UNION ALL (SELECT name FROM default.users', {}],
    ["SHOW DATABASES WHERE 1) UNION ALL SELECT name FROM users --", {}],
    ["SHOW COLUMNS FROM corpus.edge_logs WHERE 1 = (SELECT count() FROM file('/etc/passwd'))", {}],
    ['EXISTS TABLE default.users', {}],
    ['SELECT 1 INTO OUTFILE \'/tmp/millrace-attack\'', {}],
    ["EXPLAIN SELECT * FROM edge_logs", {}],
    ["EXPLAIN AST SELECT * FROM edge_logs", {}],
    ['SELECT 1 FORMAT JSON SETTINGS readonly = 0; SELECT * FROM default.users', {}],
    ['SET readonly = 0; SELECT * FROM default.users', {}],
    ['USE default; SELECT * FROM users', {}],
    ['USE default', {}],
    ["KILL QUERY WHERE query_id IN (SELECT name FROM default.users)", {}],
    ["KILL QUERY WHERE 1", {}],
    ["SELECT getSetting('max_threads')", {}],
    ["SELECT currentDatabase(), (SELECT name FROM default.users LIMIT 1)", {}],
    ["SELECT * FROM numbers(10) WHERE number IN (SELECT id FROM default.users)", {}],
    ["SELECT * FROM system.numbers, app.logs LIMIT 1", {}],
  ]; // prettier-ignore
  const allowed = new Set([
    // The value is a string, or the caller's own rows and parameters.
    'SELECT {x:String} FROM edge_logs',
  ]);
  for (const [sql, fields] of requests) {
    const { status, body } = await ask(sql, { ...asMine, ...fields });
    const text = body.toString();
    expect([sql, fields, text.slice(0, 400)]).toEqual([sql, fields, expect.not.stringMatching(/CANARY/)]);
    expect([sql, status, text.slice(0, 400)]).toEqual([sql, expect.toSatisfy(isExpected), expect.any(String)]);
    if (allowed.has(sql) || status !== 200) continue;
    expect([sql, fields, text.slice(0, 400)]).toEqual([sql, fields, expect.not.stringMatching(/users_|_secret|other/)]);
  }
}); // prettier-ignore

test('consumer queries of the corpus are answered in every format', async () => {
  const each = Math.min(FORMATS.length, runs(2));
  for (const [index, { id, sql }] of someOfEach(BENIGN, ({ cat }) => cat, { each: 10 }).entries()) {
    const expected = await service.call('/api/endpoints/query/corpus?format=json', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: 'mine', sql }),
    });
    const { result } = (await expected.json()) as { result: unknown[] }; // our own envelope
    const plain = await ask(sql, { ...asMine, default_format: 'JSONCompact' });
    expect([id, plain.status, plain.body.toString()]).toEqual([id, 200, expect.not.stringContaining('CANARY')]);
    const { data } = JSON.parse(plain.body.toString()) as { data: unknown[] }; // as ClickHouse writes it
    expect([id, data.length]).toEqual([id, result.length]);
    for (let n = 0; n < each; n += 1) {
      const format = rotated(FORMATS, index * each + n);
      const { status, body } = await ask(sql, { ...asMine, default_format: format });
      // Avro has no names with signs in them, and ORC and Parquet no such types.
      if (status === 200) expect(body.includes('CANARY')).toBe(false);
      else expect([id, format, status, body.toString()]).toEqual([id, expect.stringMatching(/^(?:Avro|ORC|Parquet|Arrow|ArrowStream|BSONEachRow|MsgPack)$/), expect.any(Number), expect.stringMatching(/^Code: \d+/)]);
    }
  }
}, 600_000); // prettier-ignore

describe('other tenants’ rows change nothing', () => {
  const both = async (sql: string, kind: string, format: string) =>
    Promise.all(
      DATABASES.map(async (database) => {
        const name = `${kind}.${database}`;
        const { status, headers, body } = await ask(sql, { database: name, param_project: 'mine', default_format: format });
        const text = withoutMarker(body.toString('latin1')).replaceAll(database, '');
        // Some formats have the time of the run.
        return { status, headers, body: text.replace(/"elapsed": ?[\d.e-]+|<elapsed>[\d.e-]+|"elapsed_ns":"\d+"/g, '') };
      }),
    ); // prettier-ignore

  const texts = [
    'SELECT id, num, ratio, text FROM t ORDER BY id',
    "SELECT count() AS n FROM t WHERE intDiv(1, NOT (secret LIKE 'CANARY%'))",
    'SELECT count() AS n FROM t WHERE intDiv(10, num) > 5',
  ];

  test.each(someOfEach(FORMATS, familyOf, { each: 2 }))('in %s', async (format) => {
    for (const sql of runs(1) > 1 ? texts : [rotated(texts, FORMATS.indexOf(format))]) {
      const [calm, hostile] = await both(sql, 'compact', format);
      expect(hostile).toEqual(calm);
    }
  });

  test('in generated queries', { timeout: 3_600_000 }, async () => {
    const generated = some(oracles(runs(26, 60), SEED), 2).filter(({ language, dialect }) => language === 'sql' && dialect !== 'bigquery');
    const statuses = new Map<number, number>();
    const indexed = some(INDEX_ORACLES, 14).map((condition) => `SELECT count() AS n FROM t WHERE ${condition}`);
    const texts = [...indexed, ...generated.map(({ text }) => text)];
    for (const [index, sql] of texts.entries()) {
      const kind = rotated(KINDS, index);
      const [calm, hostile] = await both(sql, kind, rotated(FORMATS, index));
      expect([sql, hostile]).toEqual([sql, calm]);
      statuses.set(calm?.status ?? 0, (statuses.get(calm?.status ?? 0) ?? 0) + 1);
    }
    // Queries that all fail would prove nothing.
    expect(statuses.get(200)).toBeGreaterThan(texts.length / 4);
  }); // prettier-ignore
});
