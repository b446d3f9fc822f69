// The SQL that each LQL form compiles to.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Table } from '../../../src/sql/lql/resolve.ts';
import { tokenize } from '../../../src/sql/clickhouse/lexer.ts';
import { anyText } from './arbitrary.ts';
import { compiled } from './corpus.ts';

const TABLES: readonly Table[] = [
  {
    name: 'edge_logs',
    columns: [
      { name: 'id', type: 'String' },
      { name: 'timestamp', type: "DateTime64(3, 'UTC')" },
      { name: 'event_message', type: 'String' },
      { name: 'num', type: 'Float64' },
      { name: 'single', type: 'Float32' },
      { name: 'str', type: 'String' },
      { name: 'ok', type: 'Bool' },
      { name: 'tags', type: 'Array(String)' },
      { name: 'codes', type: 'Array(UInt16)' },
      { name: 'attrs', type: 'Map(String, String)' },
      { name: 'lists', type: 'Map(String, Array(String))' },
      { name: 'pair', type: 'Tuple(left String, right Tuple(x UInt8))' },
      { name: 'bare', type: 'Tuple(String, UInt8)' },
      { name: 'nest.a', type: 'Array(String)' },
      { name: 'items', type: 'Array(Tuple(sku String, count UInt8))' },
      { name: 'uid', type: 'UUID' },
      { name: 'nanos', type: "DateTime64(9, 'UTC')" },
      { name: 'kind', type: "Enum8('a' = 1)" },
      {
        name: 'metadata',
        type: 'JSON(status UInt16, `user.id` Nullable(String), headers Map(String, String))',
      },
    ],
  },
  { name: 'auth_logs', columns: [{ name: 'id', type: 'String' }] },
];

/** The conditions, with names shortened to be read. */
function where(lql: string): string {
  const { sql } = compiled(lql, TABLES);
  const conditions = sql.split('\nORDER BY')[0]?.split('\nWHERE ')[1] ?? '';
  return conditions.replaceAll('`edge_logs`.', '').replaceAll('`', '');
}

const TEXT = "CAST(metadata.a.b, 'Nullable(String)')";
const ATTR = "if(mapContains(attrs, 'k'), attrs['k'], NULL)";
const DAY =
  "(timestamp >= toDateTime64('2024-01-01 00:00:00', 6, 'UTC') AND timestamp < toDateTime64('2024-01-02 00:00:00', 6, 'UTC'))";

describe('terms search', () => {
  test('the JSON text of objects', () => {
    const table = { name: 't', columns: [{ name: 'message', type: 'JSON' }] };
    expect(compiled('x', [table]).sql).toContain("position(toJSONString(`t`.`message`), 'x') > 0");
  });

  const columns = ['id', 'Body', 'text', 'meta.line'].map((name) => ({ name, type: 'String' }));
  const searched = (message: string | undefined, names: readonly string[]): string => {
    const table = { name: 't', columns: columns.filter(({ name }) => names.includes(name)), message };
    return compiled('x', [table]).sql.split('\n')[2] ?? '';
  };
  test.each([
    { message: undefined, names: ['Body', 'text'], is: 'Body', why: 'the first of the usual names' },
    { message: 'meta.line', names: ['Body', 'meta.line'], is: 'meta.line', why: 'the declared one' },
    { message: 'meta.line', names: ['id', 'text'], is: 'text', why: 'another one if it is not readable' },
  ])('$why', ({ message, names, is }) => {
    expect(searched(message, names)).toBe(`WHERE position(\`t\`.\`${is}\`, 'x') > 0`);
  });
});

describe('conditions', () => {
  test.each([
    { lql: 'num:5', is: 'num = 5' },
    { lql: 'num:>5', is: 'num > 5' },
    { lql: 'num:>=-5.50', is: 'num >= -5.50' },
    { lql: 'num:<05', is: 'num < 5' },
    { lql: 'num:<=5', is: 'num <= 5' },
    { lql: 'num:"5"', is: 'num = 5', why: 'a column of numbers cannot be searched' },
    { lql: 'num:1..5', is: 'num BETWEEN 1 AND 5' },
    { lql: 'num:12345678901234567', is: "num = toDecimal256('12345678901234567', 0)" },
    { lql: 'single:0.1', is: 'single = toFloat32(0.1)' },
    { lql: 'str:x', is: "str = 'x'" },
    { lql: 'str:>x', is: "str > 'x'" },
    { lql: 'str:5', is: 'toFloat64OrNull(str) = 5' },
    { lql: 'str:"5"', is: "str = '5'" },
    { lql: 'str:1..5', is: 'toFloat64OrNull(str) BETWEEN 1 AND 5' },
    { lql: 'str:true', is: "str = 'true'" },
    { lql: 'str:>2024-01-01', is: "str > '2024-01-01'", why: 'a column of strings is not a time' },
    { lql: 'str:2024-01-01..2024-01-02', is: "str BETWEEN '2024-01-01' AND '2024-01-02'" },
    { lql: 'ok:true', is: 'ok = true' },
    { lql: 'ok:"false"', is: 'ok = false' },
    { lql: 'kind:a', is: "toString(kind) = 'a'" },
    {
      lql: 'uid:550e8400-e29b-41d4-a716-446655440000',
      is: "uid = toUUID('550e8400-e29b-41d4-a716-446655440000')",
    },
    { lql: 'num:NULL', is: 'num IS NULL' },
    { lql: '-num:NULL', is: 'NOT (num IS NULL)' },
    { lql: '-num:5', is: '(num IS NULL OR NOT (num = 5))' },
    { lql: '-num:1..5', is: '(num IS NULL OR NOT (num BETWEEN 1 AND 5))' },
    { lql: '-str:5', is: '(toFloat64OrNull(str) IS NULL OR NOT (toFloat64OrNull(str) = 5))' },
    { lql: 'str:~^a', is: "match(str, '^a')" },
    { lql: 'num:~^5', is: "match(toString(num), '^5')" },
    { lql: 'tags:@>x', is: "has(tags, 'x')" },
    { lql: 'tags:@>5', is: 'arrayExists(x -> toFloat64OrNull(x) = 5, tags)' },
    { lql: 'codes:@>5', is: 'arrayExists(x -> x = 5, codes)' },
    { lql: 'tags:@>~^x', is: "arrayExists(x -> match(x, '^x'), tags)" },
    { lql: '-tags:@>x', is: "(tags IS NULL OR NOT (has(tags, 'x')))" },
    { lql: 'attrs.k:x', is: `${ATTR} = 'x'` },
    { lql: 'attrs.k:5', is: `toFloat64OrNull(${ATTR}) = 5` },
    { lql: 'attrs.k:NULL', is: `${ATTR} IS NULL` },
    {
      lql: 'attrs.a.b:x',
      is: "if(mapContains(attrs, 'a.b'), attrs['a.b'], NULL) = 'x'",
      why: 'the complete key',
    },
    { lql: 'lists.a:@>x', is: "has(lists['a'], 'x')" },
    { lql: 'lists.a:NULL', is: "NOT mapContains(lists, 'a')" },
    { lql: 'pair.right.x:5', is: 'pair.right.x = 5' },
    { lql: 'bare.2:5', is: 'bare.2 = 5' },
    { lql: 'nest.a:@>x', is: "has(nest.a, 'x')", why: 'a flattened Nested' },
    { lql: 'items.sku:@>x', is: "has(items.sku, 'x')" },
    { lql: 'm.status:500', is: 'metadata.status = 500', why: 'a typed path' },
    { lql: 'm.user.id:x', is: "metadata.user.id = 'x'" },
    {
      lql: 'm.headers.a.b:x',
      is: "if(mapContains(metadata.headers, 'a.b'), metadata.headers['a.b'], NULL) = 'x'",
    },
    { lql: 'm.a.b:x', is: `${TEXT} = 'x'` },
    { lql: 'm.a.b:5', is: `toFloat64OrNull(${TEXT}) = 5` },
    { lql: 'm.a.b:true', is: `${TEXT} = 'true'` },
    { lql: 'm.a.b:1..5', is: `toFloat64OrNull(${TEXT}) BETWEEN 1 AND 5` },
    { lql: 'm.a.b:~x', is: `match(${TEXT}, 'x')` },
    { lql: 'm.a.b:NULL', is: '(metadata.a.b IS NULL AND empty(metadata.^a.b))' },
    {
      lql: 'm.a.b:9007199254740993',
      is: `toDecimal256OrNull(${TEXT}, 18) = toDecimal256('9007199254740993', 18)`,
    },
    {
      lql: 'm.level:notice..error',
      is: "CAST(metadata.level, 'Nullable(String)') IN ('notice', 'warning', 'error')",
    },
    { lql: 'metadata."k8s/pod":NULL', is: '(metadata.k8s/pod IS NULL AND empty(metadata.^k8s/pod))' },
    {
      lql: 'attrs."a \'b\'":NULL',
      is: String.raw`if(mapContains(attrs, 'a \'b\''), attrs['a \'b\''], NULL) IS NULL`,
    },
    {
      lql: 'nanos:"2024-01-01T00:00:00.123456789Z"',
      is: "(nanos >= toDateTime64('2024-01-01 00:00:00.123456', 6, 'UTC') AND nanos < toDateTime64('2024-01-01 00:00:00.123457', 6, 'UTC'))",
      why: 'the digits that do not count are any',
    },
    { lql: '"nest.a":@>x', is: "has(nest.a, 'x')", why: 'one name, or two' },
    { lql: 'x', is: "position(event_message, 'x') > 0" },
    { lql: '-"a b"', is: "(event_message IS NULL OR NOT (position(event_message, 'a b') > 0))" },
    { lql: '~x', is: "match(event_message, 'x')" },
    { lql: String.raw`~"\d 'a' \"b\""`, is: String.raw`match(event_message, '\\d \'a\' "b"')` },
    { lql: 't:>2024-01-01', is: "timestamp > toDateTime64('2024-01-01 00:00:00', 6, 'UTC')" },
    {
      lql: 't:<=2024-01-01T03:14:15.345',
      is: "timestamp <= toDateTime64('2024-01-01 03:14:15.345000', 6, 'UTC')",
    },
    { lql: 't:2024-01-01', is: DAY },
    { lql: '-t:2024-01-01', is: `(timestamp IS NULL OR NOT (${DAY}))` },
    { lql: 't:1704067200', is: "timestamp = toDateTime64('2024-01-01 00:00:00', 6, 'UTC')" },
    {
      lql: 't:last@2h',
      is: "timestamp BETWEEN toDateTime64('2024-01-02 03:00:00', 6, 'UTC') AND toDateTime64('2024-01-02 05:30:15.250000', 6, 'UTC')",
    },
    { lql: 'num:1 str:x y', is: "num = 1\n  AND str = 'x'\n  AND position(event_message, 'y') > 0" },
  ])('$lql', ({ lql, is }) => {
    expect(where(lql)).toBe(is);
  });
});

describe('statements', () => {
  const bucket = "toStartOfInterval(`edge_logs`.`timestamp`, INTERVAL 1 minute, 'UTC')";
  const chart = (count: string, period = 'minute') => {
    const start = bucket.replace('minute', period);
    return `SELECT ${start} AS \`timestamp\`, ${count} AS \`count\`\nFROM \`edge_logs\`\nGROUP BY ${start}\nORDER BY ${start} ASC`;
  };

  test.each([
    { lql: '', is: 'SELECT *\nFROM `edge_logs`\nORDER BY `edge_logs`.`timestamp` DESC' },
    { lql: 'f:auth_logs', is: 'SELECT *\nFROM `auth_logs`', why: 'without a timestamp, no order' },
    { lql: 'f:auth_logs s:* s:id@a', is: 'SELECT *, `auth_logs`.`id` AS `a`\nFROM `auth_logs`' },
    {
      lql: 'f:auth_logs s:id@auth_logs id:x',
      is: "SELECT `auth_logs_`.`id` AS `auth_logs`\nFROM `auth_logs` AS `auth_logs_`\nWHERE `auth_logs_`.`id` = 'x'",
      why: 'a result name never refers to a column',
    },
    {
      lql: 's:m.user.id s:m.status@code s:timestamp',
      is: 'SELECT `edge_logs`.`metadata`.`user`.`id` AS `metadata_user_id`, `edge_logs`.`metadata`.`status` AS `code`, `edge_logs`.`timestamp` AS `timestamp`\nFROM `edge_logs`\nORDER BY `edge_logs`.`timestamp` DESC',
    },
    { lql: 'c:group_by(t::day)', is: chart('count()', 'day') },
    { lql: 'c:count(*)', is: chart('count()') },
    { lql: 'c:countd(str)', is: chart('uniqExact(`edge_logs`.`str`)') },
    { lql: 'c:countd(*)', is: chart('uniqExact(`edge_logs`.`timestamp`)') },
    { lql: 'c:avg(num)', is: chart('avg(`edge_logs`.`num`)') },
    { lql: 'c:sum(num)', is: chart('sum(`edge_logs`.`num`)') },
    { lql: 'c:min(timestamp)', is: chart('min(`edge_logs`.`timestamp`)') },
    { lql: 'c:max(str)', is: chart('max(toFloat64OrNull(`edge_logs`.`str`))') },
    { lql: 'c:p50(num)', is: chart('quantile(0.50)(`edge_logs`.`num`)') },
    { lql: 'c:p95(num)', is: chart('quantile(0.95)(`edge_logs`.`num`)') },
    {
      lql: 'c:p99(m.a) c:group_by(t::h)',
      is: chart(
        "quantile(0.99)(toFloat64OrNull(CAST(`edge_logs`.`metadata`.`a`, 'Nullable(String)')))",
        'hour',
      ),
    },
  ])('$lql', ({ lql, is }) => {
    expect(compiled(lql, TABLES).sql).toBe(is);
  });

  test('the caller sets the limit', () => {
    const { sql } = compiled('f:auth_logs', TABLES, { maxRows: 11 });
    expect(sql).toBe('SELECT *\nFROM `auth_logs`\nLIMIT 11');
  });

  test('a single table need not be named', () => {
    expect(compiled('', TABLES.slice(1), { defaultTable: undefined }).table).toBe('auth_logs');
  });

  test('regular expressions are returned with their locations', () => {
    expect(compiled('~a str:~"b c" str:~5 tags:@>~d e', TABLES).regexes).toEqual([
      { pattern: 'a', span: { start: 1, end: 2 } },
      { pattern: 'b c', span: { start: 8, end: 13 } },
      { pattern: '5', span: { start: 19, end: 20 } },
      { pattern: 'd', span: { start: 29, end: 30 } },
    ]);
  });
});

describe('values never become SQL', () => {
  const forms = ['%', '-%', 'str:%', 'str:>%', 'm.a:%', 'attrs.k:%', 'tags:@>%', 'm.a:@>%', 'kind:%'];

  test.each(forms)('the SQL has the same tokens for any %s', (form) => {
    const harmless = kinds(compiled(form.replace('%', '"x"'), TABLES).sql);
    fc.assert(
      fc.property(fc.oneof(anyText, fc.constantFrom(...ATTACKS)), (text) => {
        const quoted = `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
        expect(
          kinds(
            compiled(
              form.replace('%', () => quoted),
              TABLES,
            ).sql,
          ),
        ).toEqual(harmless);
      }),
      { numRuns: 200, seed: 11 },
    );
  });
});

const ATTACKS = [
  "' OR 1 = 1 --",
  String.raw`\' OR 1 = 1 --`,
  '` OR 1 = 1 --',
  '/* */ ; DROP TABLE x',
  '{a:String} $$ # @x',
  '‘ ’ “ ”',
  "a\nb\tc\r''",
];

function kinds(sql: string): readonly string[] {
  return tokenize(sql).map(({ kind }) => kind);
}
