// Rows in the shape of BigQuery's results, compared with a plain recursive definition.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bigqueryShape, microsecondsOf } from '../../../src/service/formats/bigquery-shape.ts';
import { timestampsOf } from '../../../src/service/request/formats/result-shape.ts';

const AT = '2024-03-01T12:00:00.123456Z';
const MICROS = 1709294400123456;

const shaped = (row: unknown, types: Readonly<Record<string, string>> = {}): unknown => {
  const columns = Object.entries(types).map(([name, type]) => ({ name, type }));
  return JSON.parse(bigqueryShape(Buffer.from(`${JSON.stringify(row)}\n`), timestampsOf(columns)).toString());
};

describe('timestamps', () => {
  test.each([
    { type: 'DateTime', value: AT, expected: MICROS, why: 'a column' },
    { type: "Nullable(DateTime64(6, 'UTC'))", value: null, expected: null, why: 'NULL' },
    { type: 'LowCardinality(Nullable(DateTime))', value: AT, expected: MICROS, why: 'LowCardinality' },
    {
      type: 'SimpleAggregateFunction(max, DateTime64(3))',
      value: AT,
      expected: MICROS,
      why: 'after the function',
    },
    { type: 'Date', value: '2024-03-01', expected: '2024-03-01', why: 'dates are strings in BigQuery, too' },
    { type: 'String', value: AT, expected: AT, why: 'only by type' },
    { type: 'DateTime', value: 'REDACTED', expected: 'REDACTED', why: 'redacted' },
    { type: 'Array(Array(DateTime))', value: [[AT], []], expected: [[MICROS], []], why: 'nested arrays' },
    { type: 'Map(String, DateTime)', value: { a: AT }, expected: [{ a: MICROS }], why: 'a map' },
    {
      type: 'Tuple(String, DateTime)',
      value: [AT, AT],
      expected: [AT, MICROS],
      why: 'a tuple without names',
    },
    {
      type: 'Array(Tuple(`a "b` DateTime, c Tuple(d DateTime)))',
      value: [{ 'a "b': AT, c: { d: AT } }],
      expected: [{ 'a "b': MICROS, c: [{ d: MICROS }] }],
      why: 'records in an array',
    },
    {
      type: 'JSON(a.b DateTime64(9), a.c String)',
      value: { a: { b: AT, c: AT, d: AT }, b: AT },
      expected: [{ a: [{ b: MICROS, c: AT, d: AT }], b: AT }],
      why: 'typed paths only',
    },
    { type: 'Dynamic', value: AT, expected: AT, why: 'the type varies by row' },
  ])('$type: $why', ({ type, value, expected }) => {
    expect(shaped({ x: value }, { x: type })).toEqual({ x: expected });
  });

  test.each([
    ['1970-01-01T00:00:00Z', '0'],
    ['1969-12-31T23:59:59.999999999Z', '-1'],
    ['1900-01-01T00:00:00Z', '-2208988800000000'],
    ['2299-12-31T23:59:59.999999999Z', '10413791999999999'],
    ['2024-03-01T12:00:00', undefined],
    ['', undefined],
  ])('%s', (text, expected) => expect(microsecondsOf(text)).toBe(expected));
});

/** The definition. */
function reference(value: unknown, isElement: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => reference(each, true));
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, reference(each, false)]),
  );
  return isElement ? object : [object];
}

test('every object inside a row is an element of an array, and everything else stays', () => {
  const row = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(row, (each) => {
      const plain: unknown = JSON.parse(JSON.stringify(each));
      expect(JSON.stringify(shaped(plain))).toBe(JSON.stringify(reference(plain, true)));
    }),
  );
});

test('numbers keep their digits, and rows their order', () => {
  const lines = Buffer.from('{"n":18446744073709551615,"f":1.10}\n{"o":{}}\n{}\n');
  expect(bigqueryShape(lines, undefined).toString()).toBe(
    '{"n":18446744073709551615,"f":1.10}\n{"o":[{}]}\n{}\n',
  );
});
