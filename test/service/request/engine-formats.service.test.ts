// Results in ClickHouse's own formats: equal, byte for byte, to those of an engine with default settings.
import { answer as answerCall } from '../../../src/service/request/answer.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLocal, type Local } from '../../../src/service/app/local.ts';
import { ENGINE_FORMATS, type EngineFormat } from '../../../src/service/formats/clickhouse-formats.ts';
import { withOutputSettings } from '../../../src/service/formats/output-settings.ts';
import { localCall, type Answer } from '../../../src/service/request/call.ts';
import { withDeclaredTypes } from '../../../src/service/request/formats/native/blocks.ts';
import { someOfEach } from '../../support/runs.ts';
import { withoutMarker } from '../../support/avro.ts';
import { familyOf, OTHER_NAMES } from '../../support/format-names.ts';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';
import { TYPE_ROWS } from '../../support/clickhouse-types.ts';

/** Values that formats write in different ways, beside one of each type. */
const VALUES = [
  ...TYPE_ROWS.filter(({ type }) => !type.includes('AggregateFunction')).map(({ value }) => value),
  'toInt64(-9223372036854775808)',
  "toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935')",
  "CAST(123456789.5, 'Decimal64(4)')",
  'inf',
  '-inf',
  'toFloat32(0.1)',
  "'a\"b\\\\c/d\\n\\t\\r\\0<&>\\'é漢'",
  "unhex('C328FF')",
  "toFixedString('é', 4)",
  "toDateTime('2024-01-01 00:00:00')",
  "toDateTime64('2024-01-01 00:00:00.120', 3)",
  "toDate32('1900-01-01')",
  "toIPv6('2001:db8::1.2.3.4')",
  "map('k', 1, 'l', 2)",
  "['x', NULL, 'y\"']",
  "CAST(('a', 1), 'Tuple(s String, n UInt8)')",
  "CAST(NULL, 'Nullable(String)')",
  "''",
  "' spaces '",
  '\'{"a":[1,{"b":null}],"c":"2024-01-01"}\'::JSON',
  "'text'::Dynamic",
  '42::Dynamic',
  'NULL::Dynamic',
  "'s'::Variant(String, UInt64)",
];
const COLUMNS = VALUES.map((value, index) => `${value} AS c${index}`);
const TABLE = `SELECT number AS n, 'row ' || toString(number) AS s FROM numbers(5)`;

let folder: string;
let plain: Session;
let service: TestService;
let local: Local;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-formats-'));
  plain = new Session(join(folder, 'plain'), { connectionArgs: ['--session_timezone=UTC'] });
  service = await startService({ sql: ['CREATE DATABASE app', `CREATE TABLE app.a ORDER BY n AS ${TABLE}`] });
  const query =
    'query: WITH a AS (SELECT n, s FROM app.a) SELECT * FROM a\nmax_rows: 3\nsandbox: { enabled: true }\n';
  const id = 'id: 00000000-0000-4000-8000-0000000000';
  await writeEndpoint(service, 'open', `${id}98\nname: open\n${query}`);
  await writeEndpoint(service, 'guarded', `${id}97\nname: guarded\n${query}pii: { redact: true }\n`);
  const rules = 'pii: { redact: true, columns: { masked: mask, dropped: drop } }\n';
  const ruled = query.replace('SELECT n, s FROM', "SELECT n, s, 'a' AS masked, 'b' AS dropped FROM");
  await writeEndpoint(service, 'ruled', `${id}96\nname: ruled\n${ruled}${rules}`);
  local = await openLocal({ ...service, observe: () => undefined });
});
afterAll(async () => {
  await local.close();
  await service.stop();
  plain.close();
  await rm(folder, { recursive: true, force: true });
});

interface Asked extends Omit<Partial<EngineFormat>, 'engine'> {
  readonly endpoint?: string;
}

function answer(sql: string, engine: string, { endpoint = 'open', ...options }: Asked = {}): Promise<Answer> {
  const format: EngineFormat = { engine, settings: {}, ...options };
  const fields = new Map([
    ['sql', [sql]],
    ['dialect', ['clickhouse']],
  ]);
  return answerCall(local.path, localCall({ requestId: 'test', endpoint }, fields, format));
}

async function text(sql: string, engine: string, options: Asked = {}): Promise<string> {
  return (await answer(sql, engine, options)).body.toString();
}

async function written(sql: string, engine: string): Promise<Buffer> {
  // Documents are strings there, and declared as such: as stored, a column has the paths of other rows, too.
  const isNative = engine === 'Native';
  const settings = isNative ? ' SETTINGS output_format_native_write_json_as_string = 1' : '';
  const bytes = Buffer.from((await plain.queryAsync(`${sql}${settings}`, { format: engine })).bytes());
  return isNative ? withDeclaredTypes(bytes, []) : bytes;
}

/** Without the time that the query took, and without random identifiers of files. */
function comparable(bytes: Buffer): string {
  return withoutMarker(bytes.toString('latin1'))
    .replace(/"elapsed": ?[\d.e-]+/, '"elapsed":0')
    .replace(/<elapsed>[\d.e-]+/, '<elapsed>0')
    .replaceAll(/"elapsed_ns":"\d+"/g, '"elapsed_ns":"0"');
}

function errorOf(cause: Error): string {
  const engine = cause.cause instanceof Error ? cause.cause : cause;
  return `error ${engine.message.slice(0, 9)}`;
}

/** What is around the first difference. */
function difference(expected: string, result: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === result[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  return `${around(expected)} became ${around(result)}`;
}

const FORMATS = ENGINE_FORMATS.filter(({ name }) => !OTHER_NAMES.test(name));
const familyOfFormat = ({ name }: { readonly name: string }): string => familyOf(name);
/** Whose redacted results are compared as well: of each family, every sixth one. */
const GUARDED = new Set(someOfEach(FORMATS, familyOfFormat, { each: 6 }));

/** Every third column, others in the next format. */
const columnsOf = (index: number): readonly string[] =>
  someOfEach(COLUMNS, () => '', { each: 3, from: index });

/** Columns whose types the format has, and one of the others. */
async function split(columns: readonly string[], engine: string) {
  const isWritten = async (some: readonly string[]): Promise<boolean> =>
    written(`SELECT ${some.join(', ')}`, engine).then(
      () => true,
      () => false,
    );
  if (await isWritten(columns)) return { known: columns, unknown: undefined };
  const each = await Promise.all(columns.map((column) => isWritten([column])));
  const unknown = columns[each.indexOf(false)];
  return { known: columns.filter((_, index) => each[index]), unknown };
}

/** Values that redaction changes, or whose binary form has no fixed order of paths. */
const NOT_COMPARED = /1\.2\.3\.4|::1|tuple\(\)|JSON/;

describe('a value of each type is as the engine writes it', () => {
  test.each(someOfEach(FORMATS, familyOfFormat, { each: 2 }))('$name', async (format) => {
    const { name } = format;
    const failures: string[] = [];
    const compare = async (columns: readonly string[], endpoint: string): Promise<void> => {
      const sql = `SELECT ${columns.join(', ')}`;
      const expected = await written(sql, name).then(comparable, errorOf);
      const result = await answer(sql, name, { endpoint }).then(({ body }) => comparable(body), errorOf);
      const isSame = statistics(result) === statistics(expected);
      if (!isSame) failures.push(`${endpoint}, ${columns.length} columns: ${difference(expected, result)}`);
    };
    const { known, unknown } = await split(columnsOf(FORMATS.indexOf(format)), name);
    await compare(known, 'open');
    const compared = known.filter((column) => !NOT_COMPARED.test(column));
    if (GUARDED.has(format)) await compare(compared, 'guarded');
    if (unknown !== undefined) await compare([unknown], 'open');
    expect(failures).toEqual([]);
  });
});

/** Without the work of the query: a redacted result is that of another one. */
function statistics(text: string): string {
  return text
    .replace(/"bytes_read": ?\d+/, '')
    .replace(/<bytes_read>\d+/, '')
    .replaceAll(/\{"progress":\{[^}]*\}\}\n?/g, '');
}

describe('a column that a format cannot have is the fault of neither the engine nor the query', () => {
  test.each([
    ['Avro', 'count()', /names of columns/],
    ['Avro', '1 AS `a b`', /names of columns/],
    ['Avro', "CAST(tuple(1), 'Tuple(`é` UInt8)') AS t", /names of columns/],
    ['Avro', 'toTime(1) AS d', /Avro does not support the type/],
    ['BSONEachRow', 'toTime(1) AS d', /BSONEachRow does not support the type/],
    ['MsgPack', 'toTime(1) AS d', /MsgPack does not support the type/],
    ['ORC', 'generateUUIDv4() AS u', /ORC does not support the type/],
    ['Parquet', 'NULL AS n', /Parquet does not support the type/],
    ['Parquet', 'tuple() AS t', /Parquet does not support the type/],
  ])('%s: %s', async (format, column, message) => {
    for (const endpoint of ['open', 'guarded'])
      await expect(answer(`SELECT ${column} FROM a`, format, { endpoint })).rejects.toMatchObject({
        code: 'format.not_acceptable',
        message: expect.stringMatching(message),
      });
    const { body } = await answer(`SELECT ${column} FROM a`, 'TSV');
    expect(body.length).toBeGreaterThan(0);
  });
});

const ROWS = 'SELECT n, s FROM a ORDER BY n';

describe('a result with more rows than the endpoint allows', () => {
  const first =
    "SELECT n, s FROM (SELECT number AS n, 'row ' || toString(number) AS s FROM numbers(3)) ORDER BY n";
  test.each(['open', 'guarded'])('is cut: %s', async (endpoint) => {
    for (const name of [
      'TSV',
      'CSVWithNames',
      'Native',
      'RowBinaryWithNamesAndTypes',
      'Parquet',
      'Arrow',
      'PrettyCompact',
      'Values',
    ]) {
      const cut = await answer(ROWS, name, { endpoint });
      expect([name, cut.rows, cut.truncated, comparable(cut.body)]).toEqual([
        name,
        3,
        true,
        comparable(await written(first, name)),
      ]);
    }
  });

  test.each(['open', 'guarded'])('is complete with as many rows as allowed: %s', async (endpoint) => {
    const { rows, truncated, body } = await answer(`${ROWS} LIMIT 3`, 'TSV', { endpoint });
    expect([rows, truncated, body.toString()]).toEqual([3, false, '0\trow 0\n1\trow 1\n2\trow 2\n']);
  });

  test.each(['open', 'guarded'])('the limit of the caller: %s', async (endpoint) => {
    const broken = await answer(ROWS, 'TSV', { endpoint, resultRows: { max: 2, overflow: 'break' } });
    expect([broken.rows, broken.truncated, broken.body.toString()]).toEqual([
      2,
      true,
      '0\trow 0\n1\trow 1\n',
    ]);
    const thrown = answer(ROWS, 'TSV', { endpoint, resultRows: { max: 2, overflow: 'throw' } });
    await expect(thrown).rejects.toMatchObject({ code: 'query.too_expensive', cause: { engineCode: 396 } });
    const whole = await answer(`${ROWS} LIMIT 2`, 'TSV', {
      endpoint,
      resultRows: { max: 2, overflow: 'throw' },
    });
    expect([whole.rows, whole.truncated]).toEqual([2, false]);
  });

  test('of the endpoint is not the error of a caller that allows more', async () => {
    const { rows, truncated } = await answer(ROWS, 'TSV', { resultRows: { max: 100, overflow: 'throw' } });
    expect([rows, truncated]).toEqual([3, true]);
  });
});

describe('what JSON reports', () => {
  test.each([
    ['no LIMIT', 'SELECT n FROM a WHERE n < 2 ORDER BY n', undefined],
    ['its own LIMIT', 'SELECT n FROM a ORDER BY n LIMIT 2', 2],
    ['LIMIT and OFFSET', 'SELECT n FROM a ORDER BY n LIMIT 2 OFFSET 1', 2],
    ['groups', 'SELECT n FROM a GROUP BY n LIMIT 2', 2],
    ['a cut result', 'SELECT n FROM a ORDER BY n', 3],
  ])('rows before the limit: %s', async (_, sql, expected) => {
    for (const engine of ['JSON', 'JSONCompact', 'JSONStrings', 'JSONColumnsWithMetadata']) {
      const json = JSON.parse(await text(sql, engine)) as Record<string, unknown>;
      expect(json['rows_before_limit_at_least']).toBe(expected);
    }
    expect(/<rows_before_limit_at_least>(\d+)/.exec(await text(sql, 'XML'))?.[1]).toBe(expected?.toString());
  });

  test('totals', async () => {
    const sql = 'SELECT n % 2 AS k, count() AS c FROM a GROUP BY k WITH TOTALS ORDER BY k';
    expect(JSON.parse(await text(sql, 'JSONCompact'))).toMatchObject({
      data: [
        [0, 3],
        [1, 2],
      ],
      totals: [0, 5],
      rows: 2,
    });
  });
});

interface SettingCase {
  readonly engine: string;
  readonly setting: string;
  readonly value: string;
  readonly sql: string;
  /** The whole result, or a part of it without spaces. */
  readonly expected: string | { readonly part: string };
}

const SETTING_CASES: readonly SettingCase[] = [
  {
    engine: 'JSONEachRow',
    setting: 'output_format_json_quote_64bit_integers',
    value: '1',
    sql: 'SELECT 1::UInt64 AS x',
    expected: '{"x":"1"}\n',
  },
  {
    engine: 'JSONEachRow',
    setting: 'output_format_json_quote_denormals',
    value: '1',
    sql: 'SELECT nan AS x',
    expected: '{"x":"nan"}\n',
  },
  {
    engine: 'TSV',
    setting: 'date_time_output_format',
    value: 'iso',
    sql: "SELECT toDateTime(0, 'UTC') AS x",
    expected: '1970-01-01T00:00:00Z\n',
  },
  { engine: 'CSV', setting: 'format_csv_delimiter', value: ';', sql: 'SELECT 1, 2', expected: '1;2\n' },
  { engine: 'CSV', setting: 'format_csv_delimiter', value: '\t', sql: 'SELECT 1, 2', expected: '1\t2\n' },
  {
    engine: 'CSV',
    setting: 'format_csv_null_representation',
    value: "it's",
    sql: 'SELECT NULL',
    expected: "it's\n",
  },
  { engine: 'TSV', setting: 'bool_true_representation', value: 'ja', sql: 'SELECT true', expected: 'ja\n' },
  {
    engine: 'JSONCompact',
    setting: 'output_format_json_pretty_print',
    value: '0',
    sql: 'SELECT 1 AS x',
    expected: { part: '"data":[[1]]' },
  },
  {
    engine: 'JSONCompact',
    setting: 'extremes',
    value: '1',
    sql: 'SELECT n FROM a WHERE n < 3',
    expected: { part: '"max":[2]' },
  },
  {
    engine: 'PrettyCompact',
    setting: 'output_format_pretty_row_numbers',
    value: '0',
    sql: 'SELECT 1 AS x',
    expected: '┌─x─┐\n│ 1 │\n└───┘\n',
  },
];

describe('output settings', () => {
  test.each(SETTING_CASES)(
    '$engine with $setting=$value',
    async ({ engine, setting, value, sql, expected }) => {
      const format = withOutputSettings({ engine }, [[setting, value]]);
      for (const endpoint of ['open', 'guarded']) {
        const result = await text(sql, engine, { ...format, endpoint });
        if (typeof expected === 'string') expect(result).toBe(expected);
        else expect(result.replaceAll(/\s/g, '')).toContain(expected.part);
        expect(await text(sql, engine, { endpoint })).not.toBe(result);
      }
    },
  );

  test('are not visible to a query, and cannot be changed by it', async () => {
    const format = withOutputSettings({ engine: 'TSV' }, [['bool_true_representation', 'ja']]);
    await expect(text('SELECT true SETTINGS bool_true_representation = 1', 'TSV', format)).rejects.toThrow(
      'SETTINGS',
    );
  });

  test('a JSON result without spaces has no rows before a limit that the query does not have', async () => {
    const { settings } = withOutputSettings({ engine: 'JSON' }, [['output_format_json_pretty_print', '0']]);
    for (const engine of ['JSON', 'JSONCompact', 'JSONStrings', 'JSONColumnsWithMetadata']) {
      expect(JSON.parse(await text('SELECT 1 AS x', engine, { settings }))).not.toHaveProperty(
        'rows_before_limit_at_least',
      );
      expect(JSON.parse(await text('SELECT 1 AS x LIMIT 1', engine, { settings }))).toHaveProperty(
        'rows_before_limit_at_least',
      );
    }
  });
});

describe('empty results', () => {
  const sql = 'SELECT n, s, [n] AS a FROM a WHERE n > 100';
  test.each(FORMATS)('$name', async (format) => {
    const { name } = format;
    const same =
      'SELECT n, s, [n] AS a FROM (SELECT number AS n, toString(number) AS s FROM numbers(5)) WHERE n > 100';
    const expected = statistics(await written(same, name).then(comparable, errorOf)).replace(
      /rows_read\W+\d+/,
      '',
    );
    for (const endpoint of GUARDED.has(format) ? ['open', 'guarded'] : ['open']) {
      const result = await answer(sql, name, { endpoint });
      expect([result.rows, result.truncated]).toEqual([0, false]);
      expect(statistics(comparable(result.body)).replace(/rows_read\W+\d+/, '')).toBe(expected);
    }
  });
});

describe('what the second layer of redaction finds', () => {
  const guarded = (sql: string, engine: string): Promise<string> =>
    text(sql, engine, { endpoint: 'guarded' });

  test.each<[why: string, value: string, type: string, expected: string]>([
    ['a string', "'by a@b.example'", 'String', 'by REDACTED'],
    ['an address', "toIPv4('1.2.3.4')", 'IPv4', '0.0.0.0'],
    ['an address that is nullable', "toNullable(toIPv4('1.2.3.4'))", 'Nullable(IPv4)', '0.0.0.0'],
    ['an array', "['a@b.example', 'x']", 'Array(String)', "['REDACTED','x']"],
    ['a map', "map('k', 'a@b.example')", 'Map(String, String)', "{'k':'REDACTED'}"],
    ['a tuple', "tuple(1, 'a@b.example')", 'Tuple(UInt8, String)', "(1,'REDACTED')"],
    ['a string of low cardinality', "toLowCardinality('a@b.example')", 'LowCardinality(String)', 'REDACTED'],
    ['a fixed string', "toFixedString('a@b.example', 11)", 'String', 'REDACTED'],
    ['JSON', '\'{"a":"a@b.example","n":1}\'::JSON', 'JSON', '{"a":"REDACTED","n":1}'],
    ['Dynamic', "'a@b.example'::Dynamic", 'Nullable(String)', 'REDACTED'],
    ['Variant', "'a@b.example'::Variant(String, UInt8)", 'Nullable(String)', 'REDACTED'],
    [
      'NULL in Dynamic',
      "['a@b.example'::Dynamic, NULL::Dynamic]",
      'Array(Nullable(String))',
      "['REDACTED',NULL]",
    ],
  ])('%s', async (_, value, type, expected) => {
    const sql = `SELECT 1::Int128 AS n, ${value} AS x, nan AS f`;
    const [names, types, row] = (await guarded(sql, 'TSVRawWithNamesAndTypes')).split('\n');
    expect([names, types, row]).toEqual(['n\tx\tf', `Int128\t${type}\tFloat64`, `1\t${expected}\tnan`]);
    for (const name of ['Native', 'Parquet', 'JSON', 'XML', 'RowBinary', 'SQLInsert']) {
      const bytes = await guarded(sql, name).catch((cause: Error) => cause.message);
      expect(bytes).not.toContain('a@b');
    }
  });

  test('the name of a column', async () => {
    expect(await guarded('SELECT 1 AS `a@b.example`, 2 AS y', 'CSVWithNames')).toBe('"REDACTED","y"\n1,2\n');
    expect(await guarded('SELECT 1 AS `a@b.example`, 2 AS y WHERE 0', 'CSVWithNames')).toBe(
      '"REDACTED","y"\n',
    );
  });

  test('columns with the names of rules', async () => {
    const sql = 'SELECT n AS masked, n + 1 AS m, n AS dropped, NULL AS z FROM a ORDER BY n LIMIT 2';
    expect(await text(sql, 'TSVWithNamesAndTypes', { endpoint: 'ruled' })).toBe(
      'masked\tm\tz\nNullable(String)\tUInt64\tNullable(Nothing)\nREDACTED\t1\t\\N\nREDACTED\t2\t\\N\n',
    );
    await expect(text('SELECT n AS dropped FROM a', 'TSV', { endpoint: 'ruled' })).rejects.toMatchObject({
      code: 'format.not_acceptable',
    });
  });

  test('in one row of many', async () => {
    const sql = "SELECT n, if(n = 1, 'a@b.example', s) AS x, s FROM a ORDER BY n";
    const { body, rows, truncated } = await answer(sql, 'CSV', { endpoint: 'guarded' });
    expect([rows, truncated, body.toString()]).toEqual([
      3,
      true,
      '0,"row 0","row 0"\n1,"REDACTED","row 1"\n2,"row 2","row 2"\n',
    ]);
  });

  test('columns whose names are not valid as they are, or are those of other columns', async () => {
    const sql = `SELECT 1 AS hidden0, 2 AS "x y", 3 AS "a.b", length('it''s"') , 'a@b.example' AS hidden`;
    expect(await guarded(sql, 'JSONCompactEachRowWithNames')).toBe(
      `["hidden0", "x y", "a.b", "length('it\\\\'s\\"')", "hidden"]\n[1, 2, 3, 5, "REDACTED"]\n`,
    );
  });

  test('two columns of one name are an error, as their values cannot be told apart', async () => {
    await expect(guarded('SELECT n, n FROM a', 'TSV')).rejects.toMatchObject({
      code: 'format.not_acceptable',
    });
    expect(await text('SELECT n, n FROM a LIMIT 1', 'TSV')).toBe('0\t0\n');
  });

  test('a result that is too large for another step is an error', async () => {
    const sql = 'SELECT arrayStringConcat(arrayMap(i -> toString(sipHash64(i)), range(400000))) AS x';
    await expect(guarded(sql, 'TSV')).rejects.toMatchObject({ code: 'format.too_large' });
  });
});
