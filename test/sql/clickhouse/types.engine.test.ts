// Types as the engine prints them: parsed and printed again, and their values as JSON Schema and TypeScript.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { bigqueryShape } from '../../../src/service/formats/bigquery-shape.ts';
import { columnSchema } from '../../../src/service/openapi/columns.ts';
import { timestampsOf } from '../../../src/service/request/formats/result-shape.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import {
  decimalOf,
  enumNames,
  isFloat,
  hasState,
  holdsNull,
  integerOf,
  isNullable,
  plainType,
  timeScale,
  timeZone,
} from '../../../src/sql/types/traits.ts';
import { parseDeclaredType, parseType, printType, typeArguments } from '../../../src/sql/types/type.ts';
import { typescriptOf } from '../../../src/sql/types/typescript-type.ts';
import { TYPE_ROWS } from '../../support/clickhouse-types.ts';
import { openOracle } from './oracle.ts';

const oracle = openOracle();
afterAll(() => oracle.close());

const ajv = addFormats.default(new Ajv.default({ strict: false }));
const SETTINGS = `SETTINGS enable_time_time64_type = 1, date_time_output_format = 'iso', output_format_json_quote_denormals = 0,
  output_format_json_named_tuples_as_objects = 1`;

/** The engine prints a Tuple with named elements on several lines. */
function onOneLine(type: string): string {
  return type.replaceAll(/\(\n\s*/g, '(').replaceAll(/,\n\s*/g, ', ');
}

/** A value and its type, as the engine returns them. */
async function ask(value: string, int64: 'number' | 'string'): Promise<readonly [unknown, string]> {
  const isQuoted = int64 === 'string' ? 1 : 0;
  const quote = `output_format_json_quote_64bit_integers = ${isQuoted}, output_format_json_quote_decimals = ${isQuoted}`;
  const sql = `SELECT x, toTypeName(x) FROM (SELECT ${value} AS x) ${SETTINGS}, ${quote}`;
  const [x, type] = JSON.parse(await oracle.ask(sql, 'JSONCompactEachRow')) as [unknown, string];
  return [x, onOneLine(type)];
}

describe('the types of values', () => {
  test.each(TYPE_ROWS)('$type', async ({ value, type, typescript, quoted = typescript }) => {
    expect(printType(parseType(type))).toBe(type);
    expect(typescriptOf(type, 'number')).toBe(typescript);
    expect(typescriptOf(type, 'string')).toBe(quoted);
    for (const int64 of ['number', 'string'] as const) {
      const [json, reported] = await ask(value, int64);
      expect(reported).toBe(type);
      const line = Buffer.from(`${JSON.stringify({ x: json })}\n`);
      const shaped = bigqueryShape(line, timestampsOf([{ name: 'x', type }]));
      const { x } = JSON.parse(shaped.toString()) as { x: unknown };
      for (const [shape, value] of [
        ['standard', json],
        ['bigquery', x],
      ] as const) {
        const validate = ajv.compile(columnSchema(type, int64, shape));
        validate(value);
        expect(validate.errors).toBeNull();
      }
    }
  });
});

const LEAVES = [
  'String',
  'UInt8',
  'Int256',
  'Float64',
  'BFloat16',
  'Date32',
  'UUID',
  'IPv6',
  'Bool',
  'Point',
  'IntervalDay',
  'Decimal(9, 3)',
  "DateTime('Asia/Tokyo')",
  "DateTime64(9, 'UTC')",
  'FixedString(7)',
  'Dynamic',
  'Time64(2)',
  String.raw`Enum8('it\'s, (b)' = -3, 'a' = 1)`,
  "JSON(max_dynamic_paths=4, a.b UInt8, `c d` Array(String), SKIP x.y, SKIP REGEXP 'q(')".replace(
    "'q('",
    "'q'",
  ),
  'Variant(Array(String), UInt64)',
  'AggregateFunction(quantiles(0.5, 0.9), Float64)',
  'SimpleAggregateFunction(max, Nullable(String))',
] as const;
const NAMES = ['a', 'b c', 'SKIP', 'String', 'a.b', '1a', "it's", 'back\\slash', 'tick`', 'ü', 'select', '('];

/** Types as somebody could declare them. */
const declared = fc.letrec<{ type: string }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<string>(...LEAVES),
    tie('type').map((inner) => `Array(${inner})`),
    tie('type').map((inner) => `Map(String, ${inner})`),
    fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map((list) => `Tuple(${list.join(', ')})`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('type')), {
        minLength: 1,
        maxLength: 3,
        selector: ([name]) => name,
      })
      .map((list) => `Tuple(${list.map(([name, type]) => `${quoted(name)} ${type}`).join(', ')})`),
    fc.constantFrom('Nullable(String)', 'Nullable(Decimal(4, 1))', 'LowCardinality(Nullable(String))'),
  ),
})).type;

function quoted(name: string): string {
  return `\`${name.replaceAll(/[\\`]/g, String.raw`\$&`)}\``;
}

describe('what the engine prints', () => {
  test('is parsed, and printed again unchanged', async () => {
    const types = fc.sample(declared, { numRuns: 300, seed: 7 });
    const literals = types.map(
      (type) => `toTypeName(defaultValueOfTypeName('${type.replaceAll(/[\\']/g, String.raw`\$&`)}'))`,
    );
    const reported = JSON.parse(
      await oracle.ask(`SELECT [${literals.join(', ')}] AS x ${SETTINGS}`, 'JSONCompactEachRow'),
    ) as [string[]];
    for (const each of reported[0]) expect(printType(parseType(each))).toBe(onOneLine(each));
  });

  test('of the printed type is the same type', async () => {
    const types = fc.sample(declared, { numRuns: 100, seed: 8 }).map((type) => printType(parseType(type)));
    const literal = (type: string): string => `'${type.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
    const pairs = types.map((type) => `toTypeName(defaultValueOfTypeName(${literal(type)}))`);
    const [reported] = JSON.parse(
      await oracle.ask(`SELECT [${pairs.join(', ')}] AS x ${SETTINGS}`, 'JSONCompactEachRow'),
    ) as [string[]];
    const again = reported.map((each) => printType(parseType(each)));
    const twice = again.map((each) => printType(parseType(each)));
    expect(twice).toEqual(again);
    expect(again.map((each) => typescriptOf(each, 'number'))).toEqual(
      types.map((each) => typescriptOf(each, 'number')),
    );
  });
});

/** Types as they are declared: names that look like types or keywords, wrappers, settings, versions, other names. */
const DECLARED: readonly string[] = [
  'Nullable(Nothing)', 'Nullable(Tuple(a UInt8))', 'LowCardinality(FixedString(2))', "Nullable(Enum8('Array(' = 1))",
  'Time', 'Nullable(Time64(9))', 'BFloat16', 'Geometry', 'Nullable(Point)', 'IntervalNanosecond', 'QBit(Float32, 16)',
  'Decimal', 'Decimal(5)', 'Decimal32(3)', 'Decimal256(76)', 'DateTime32', 'DateTime64', 'INET6', 'INT UNSIGNED', 'VARCHAR(10)',
  "Array(DateTime64(3, 'Asia/Tokyo'))", "Map(DateTime64(3, 'UTC'), LowCardinality(Nullable(String)))", "Variant(Date, DateTime('UTC'))",
  String.raw`Enum('\t\n\\' = 1, '' = 2, 'LowCardinality(String)' = -3, 'c\`d, e' = 4)`,
  "Tuple(`Nullable(x)` String, `a``b` UInt8, from UInt8, Array Array(String), `it's` UInt8, \"b c\" UInt8)",
  'Nested(a UInt8, `b c` Nested(d String))',
  "JSON(`skip` UInt8, `SKIP` String, a.`b c`.d String, `a-b`.c UInt8, max_dynamic_paths = 2, SKIP x.y, SKIP REGEXP 'q, e')",
  'Array(JSON(a.b Array(JSON(c UInt8))))',
  'Dynamic(max_types=3)',
  'SimpleAggregateFunction(sumMap, Tuple(Array(UInt8), Array(UInt64)))',
  'SimpleAggregateFunction(groupArrayArray(10), Array(UInt8))',
  'AggregateFunction(1, sumMap, Array(UInt8), Array(UInt8))',
  "AggregateFunction(sequenceMatch('(?1)(?2)'), DateTime, UInt8, UInt8)",
  'AggregateFunction(count)',
]; // prettier-ignore

test.each(DECLARED)('%s is read from what the engine prints, by each way to ask for it', async (type) => {
  const literal = quoteString(type);
  const settings =
    'enable_time_time64_type = 1, allow_experimental_qbit_type = 1, allow_suspicious_variant_types = 1, enable_nullable_tuple_type = 1, flatten_nested = 0';
  const shown = `SELECT toTypeName(defaultValueOfTypeName(${literal})) SETTINGS ${settings}`;
  const described = `DESCRIBE format(JSONEachRow, ${quoteString(`c ${type}`)}, '{}') SETTINGS ${settings}`;
  const [printed = ''] = JSON.parse(await oracle.ask(shown, 'JSONCompactEachRow')) as string[];
  const [, again = ''] = JSON.parse(await oracle.ask(described, 'JSONCompactEachRow')) as string[];
  for (const each of [printed, again]) {
    const parsed = parseType(each);
    expect(parsed.name).toMatch(/^\w+$/);
    expect(printType(parsed)).toBe(onOneLine(printed));
  }
}); // prettier-ignore

test.each<[declared: string, read: string]>([
  ['INT UNSIGNED', 'UInt32'],
  ['Tuple(int INT UNSIGNED, `double` DOUBLE PRECISION)', 'Tuple(int UInt32, `double` Float64)'],
  ['Tuple(date DATE, text TEXT, binary BLOB)', 'Tuple(date Date, text String, binary String)'],
  ['Array( NATIONAL CHAR VARYING )', 'Array(String)'],
  ['Map(VARCHAR, Nullable(BIGINT))', 'Map(String, Nullable(Int64))'],
  ['LowCardinality(CHARACTER LARGE OBJECT)', 'LowCardinality(String)'],
  ['Nullable(NUMERIC(9, 2))', 'Nullable(Decimal(9, 2))'],
  ["Array(TIMESTAMP('UTC'))", "Array(DateTime('UTC'))"],
  ["ENUM('INT' = 1)", "Enum('INT' = 1)"],
  ['VARCHAR(10)', 'VARCHAR(10)'],
  ['DOUBLE PRECISION(3)', 'DOUBLE PRECISION(3)'],
])('%s is declared under another name', async (declared, read) => {
  expect(printType(parseDeclaredType(declared))).toBe(read);
  const shown = (type: string) =>
    oracle.ask(`SELECT toTypeName(defaultValueOfTypeName(${quoteString(type)}))`);
  if (declared !== read) expect(await shown(declared)).toBe(await shown(read));
});

describe('traits', () => {
  test.each<[type: string, plain: string, isNull: boolean, holds: boolean]>([
    ['LowCardinality(Nullable(String))', 'String', true, true],
    ["SimpleAggregateFunction(max, Nullable(DateTime64(9, 'UTC')))", "DateTime64(9, 'UTC')", true, true],
    ["Enum8('Nullable(x)' = 1)", "Enum8('Nullable(x)' = 1)", false, false],
    ['Tuple(`Nullable(x)` UInt8)', 'Tuple(`Nullable(x)` UInt8)', false, false],
    ['Array(Nullable(UInt8))', 'Array(Nullable(UInt8))', false, false],
    ['Nullable(Tuple(a UInt8))', 'Tuple(a UInt8)', true, true],
    ['Variant(String, UInt8)', 'Variant(String, UInt8)', false, true],
    ['JSON', 'JSON', false, false],
  ])('of %s: its plain type, and NULL', (type, plain, isNull, holds) => {
    const parsed = parseType(type);
    expect(printType(plainType(parsed))).toBe(plain);
    expect([isNullable(parsed), holdsNull(parsed)]).toEqual([isNull, holds]);
  });

  test.each<[type: string, scale: number | undefined, zone: string | undefined]>([
    ['DateTime', 0, undefined],
    ["DateTime('Europe/Berlin')", 0, 'Europe/Berlin'],
    ['DateTime64(6)', 6, undefined],
    ["DateTime64(9, 'UTC')", 9, 'UTC'],
    ['Time64(3)', 3, undefined],
    ['Date32', undefined, undefined],
    ["Enum8('DateTime64(9)' = 1)", undefined, undefined],
  ])('of %s: scale and zone', (type, scale, zone) => {
    expect([timeScale(parseType(type)), timeZone(parseType(type))]).toEqual([scale, zone]);
  });

  test.each<[type: string, what: Partial<ReturnType<typeof numbersOf>>]>([
    ['UInt256', { integer: { isSigned: false, bits: 256 } }],
    ['Int8', { integer: { isSigned: true, bits: 8 } }],
    ['BFloat16', { isFloat: true }],
    ['Decimal(76, 4)', { decimal: { precision: 76, scale: 4 } }],
    ['Decimal64(3)', { decimal: { precision: 18, scale: 3 } }],
    ['IntervalDay', {}],
    ['Point', {}],
  ])('of %s: numbers', (type, what) => {
    expect(numbersOf(type)).toEqual({ isFloat: false, ...what });
  });

  test('states and names of enums inside of a type, and not in the names of its elements', () => {
    expect(hasState(parseType('Array(Tuple(a AggregateFunction(count)))'))).toBe(true);
    expect(hasState(parseType('SimpleAggregateFunction(max, UInt8)'))).toBe(false);
    expect(hasState(parseType('Tuple(`AggregateFunction(count)` UInt8)'))).toBe(false);
    expect(enumNames(parseType(String.raw`Enum16('it\'s' = 1, 'b, c)' = -2)`))).toEqual(["it's", 'b, c)']);
  });
});

function numbersOf(type: string) {
  const parsed = parseType(type);
  return { integer: integerOf(parsed), isFloat: isFloat(parsed), decimal: decimalOf(parsed) };
}

describe('any other text', () => {
  test('is a name without arguments', () => {
    for (const text of [
      '',
      'Array(',
      'Array)',
      'a b c',
      "Enum8('a' =",
      'Tuple(a',
      'Map(String,, String)',
      '`x',
      '\ud800',
    ])
      expect(parseType(text)).toEqual({ name: text, arguments: undefined });
  });

  test('never fails, in linear time', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."Array(),'` =.-[]1".split('')) })),
        (text) => {
          const printed = printType(parseType(text));
          expect(printType(parseType(printed))).toBe(printed);
        },
      ),
    );
    const deep = `${'Array('.repeat(20_000)}JSON${')'.repeat(20_000)}`;
    expect(printType(parseType(deep))).toBe(deep);
    let inner = parseType(deep);
    while (inner.name === 'Array') inner = typeArguments(inner)[0]?.type ?? parseType('');
    expect(inner.name).toMatch(/^Array\(Array/);
  });
});
