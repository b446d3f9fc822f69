// Types as the engine prints them: parsed and printed again, and their values as JSON Schema and TypeScript.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { bigqueryShape } from '../../src/format/bigquery-shape.ts';
import { columnSchema } from '../../src/openapi/columns.ts';
import { timestampsOf } from '../../src/request/result-shape.ts';
import { parseType, printType, typeArguments } from '../../src/sql/type.ts';
import { typescriptOf } from '../../src/sql/typescript-type.ts';
import { TYPE_ROWS } from '../support/clickhouse-types.ts';
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
